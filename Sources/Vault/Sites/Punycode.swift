/// Host names whose labels are written in ASCII though they have other letters: RFC 3492.
enum Punycode {
  private static let base: UInt32 = 36
  private static let tMin: UInt32 = 1
  private static let tMax: UInt32 = 26
  private static let skew: UInt32 = 38
  private static let damp: UInt32 = 700
  private static let longestLabel = 63

  /// What follows `xn--`, as letters; nil for what spells none.
  static func decoded(_ label: some Collection<UInt8>) -> [Unicode.Scalar]? {
    guard label.count <= longestLabel, label.allSatisfy({ $0 < 0x80 }) else { return nil }
    let bytes = Array(label)
    var output: [UInt32] = []
    var rest = bytes[...]
    if let dash = bytes.lastIndex(of: UInt8(ascii: "-")) {
      output = bytes[..<dash].map { UInt32($0) }
      rest = bytes[(dash + 1)...]
    }
    var n: UInt32 = 128
    var i: UInt32 = 0
    var bias: UInt32 = 72
    while !rest.isEmpty {
      let old = i
      guard let delta = delta(&rest, bias) else { return nil }
      let (sum, overflow) = i.addingReportingOverflow(delta)
      guard !overflow else { return nil }
      let count = UInt32(output.count) + 1
      bias = adapted(sum - old, count, isFirst: old == 0)
      let next = n.addingReportingOverflow(sum / count)
      guard !next.overflow, next.partialValue <= 0x10FFFF else { return nil }
      n = next.partialValue
      i = sum % count
      output.insert(n, at: Int(i))
      i += 1
    }
    let scalars = output.compactMap { Unicode.Scalar($0) }
    return scalars.count == output.count ? scalars : nil
  }

  /// A number of variable length.
  private static func delta(_ rest: inout ArraySlice<UInt8>, _ bias: UInt32) -> UInt32? {
    var value: UInt32 = 0
    var weight: UInt32 = 1
    var k = base
    while true {
      guard let digit = rest.popFirst().flatMap({ number(of: $0) }) else { return nil }
      let (part, overflow) = digit.multipliedReportingOverflow(by: weight)
      let (sum, carried) = value.addingReportingOverflow(part)
      guard !overflow, !carried else { return nil }
      value = sum
      let limit = k <= bias ? tMin : min(k - bias, tMax)
      if digit < limit { return value }
      let (next, tooMuch) = weight.multipliedReportingOverflow(by: base - limit)
      guard !tooMuch else { return nil }
      weight = next
      k += base
    }
  }

  private static func number(of byte: UInt8) -> UInt32? {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(byte - UInt8(ascii: "a"))
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(byte - UInt8(ascii: "A"))
    case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(byte - UInt8(ascii: "0")) + 26
    default: nil
    }
  }

  private static func adapted(_ delta: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
    var delta = isFirst ? delta / damp : delta / 2
    delta += delta / count
    var k: UInt32 = 0
    while delta > (base - tMin) * tMax / 2 {
      delta /= base - tMin
      k += base
    }
    return k + (base - tMin + 1) * delta / (delta + skew)
  }
}
