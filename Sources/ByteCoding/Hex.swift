/// Bytes as hexadecimal digits (RFC 4648, section 8).
///
/// For digests, identifiers and key files. The arrays aren't overwritten; secrets go through the
/// form that writes into a span.
package enum Hex {
  /// The bytes that `text` spells, in either case; `nil` if it isn't an even number of digits.
  package static func decode(_ text: Span<UInt8>) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count / 2)
    var i = 0
    while i < text.count {
      guard let high = digit(text[i]), let low = digit(text[i + 1]) else { return nil }
      bytes.append(high << 4 | low)
      i += 2
    }
    return bytes
  }

  /// Appends the bytes that `text` spells; says whether it is an even number of digits.
  ///
  /// - Precondition: there is room for half as many bytes as `text` has.
  package static func decode(_ text: Span<UInt8>, into output: inout OutputRawSpan) -> Bool {
    guard text.count.isMultiple(of: 2) else { return false }
    var i = 0
    while i < text.count {
      guard let high = digit(text[i]), let low = digit(text[i + 1]) else { return false }
      output.append(high << 4 | low)
      i += 2
    }
    return true
  }

  /// The digits of `bytes`, two a byte.
  package static func encode(_ bytes: Span<UInt8>, uppercase: Bool = false) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count * 2)
    for i in bytes.indices {
      text.append(character(bytes[i] >> 4, uppercase: uppercase))
      text.append(character(bytes[i] & 15, uppercase: uppercase))
    }
    return text
  }

  /// The value of one digit.
  @inlinable package static func digit(_ character: UInt8) -> UInt8? {
    switch character {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): character - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func character(_ digit: UInt8, uppercase: Bool) -> UInt8 {
    if digit < 10 { return UInt8(ascii: "0") + digit }
    return (uppercase ? UInt8(ascii: "A") : UInt8(ascii: "a")) + digit - 10
  }
}
