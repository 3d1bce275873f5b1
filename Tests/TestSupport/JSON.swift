/// JSON (RFC 8259), as far as the lists and expected contents of the shared vaults need it.
package indirect enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case string([UInt8])
  case array([JSON])
  case object([(key: String, value: JSON)])

  package struct Malformed: Error { let offset: Int }

  package init(parsing bytes: [UInt8]) throws(Malformed) {
    var parser = Parser(bytes: bytes)
    self = try parser.value()
  }

  package static func == (left: JSON, right: JSON) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.bool(let a), .bool(let b)): a == b
    case (.number(let a), .number(let b)): a == b
    case (.string(let a), .string(let b)): a == b
    case (.array(let a), .array(let b)): a == b
    case (.object(let a), .object(let b)):
      a.count == b.count && zip(a, b).allSatisfy { $0 == $1 }
    default: false
    }
  }

  package subscript(_ key: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.key == key }?.value
  }

  package var members: [(key: String, value: JSON)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// Empty for what is no array.
  package var array: [JSON] { if case .array(let items) = self { items } else { [] } }

  package var bytes: [UInt8]? { if case .string(let bytes) = self { bytes } else { nil } }

  package var string: String? { bytes.map { String(decoding: $0, as: UTF8.self) } }

  package var int: Int? { if case .number(let digits) = self { Int(digits) } else { nil } }
}

extension JSON {
  private struct Parser {
    let bytes: [UInt8]
    var i = 0

    mutating func value() throws(Malformed) -> JSON {
      skipBlanks()
      guard i < bytes.count else { throw Malformed(offset: i) }
      switch bytes[i] {
      case UInt8(ascii: "{"): return try object()
      case UInt8(ascii: "["): return try array()
      case UInt8(ascii: "\""): return .string(try text())
      default: return try word()
      }
    }

    private mutating func skipBlanks() {
      while i < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[i]) { i += 1 }
    }

    private mutating func take(_ byte: UInt8) -> Bool {
      skipBlanks()
      guard i < bytes.count, bytes[i] == byte else { return false }
      i += 1
      return true
    }

    private mutating func object() throws(Malformed) -> JSON {
      _ = take(UInt8(ascii: "{"))
      var members: [(key: String, value: JSON)] = []
      if take(UInt8(ascii: "}")) { return .object([]) }
      repeat {
        skipBlanks()
        let key = String(decoding: try text(), as: UTF8.self)
        guard take(UInt8(ascii: ":")) else { throw Malformed(offset: i) }
        members.append((key, try value()))
      } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "}")) else { throw Malformed(offset: i) }
      return .object(members)
    }

    private mutating func array() throws(Malformed) -> JSON {
      _ = take(UInt8(ascii: "["))
      var elements: [JSON] = []
      if take(UInt8(ascii: "]")) { return .array([]) }
      repeat { elements.append(try value()) } while take(UInt8(ascii: ","))
      guard take(UInt8(ascii: "]")) else { throw Malformed(offset: i) }
      return .array(elements)
    }

    private mutating func word() throws(Malformed) -> JSON {
      let start = i
      while i < bytes.count, ![0x20, 0x0A, 0x0D, 0x09, 0x2C, 0x5D, 0x7D].contains(bytes[i]) {
        i += 1
      }
      let word = String(decoding: bytes[start..<i], as: UTF8.self)
      switch word {
      case "null": return .null
      case "true": return .bool(true)
      case "false": return .bool(false)
      default:
        guard Double(word) != nil else { throw Malformed(offset: start) }
        return .number(word)
      }
    }

    private mutating func text() throws(Malformed) -> [UInt8] {
      guard i < bytes.count, bytes[i] == UInt8(ascii: "\"") else { throw Malformed(offset: i) }
      i += 1
      var units: [UInt16] = []
      var text: [UInt8] = []
      while i < bytes.count, bytes[i] != UInt8(ascii: "\"") {
        guard bytes[i] == UInt8(ascii: "\\"), i + 1 < bytes.count else {
          text.append(bytes[i])
          i += 1
          continue
        }
        i += 2
        switch bytes[i - 1] {
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "u"):
          units.append(try unit())
          let followed = i + 1 < bytes.count && bytes[i] == 0x5C && bytes[i + 1] == 0x75
          if UTF16.isLeadSurrogate(units[units.count - 1]), followed { continue }
          text += Array(String(decoding: units, as: UTF16.self).utf8)
          units = []
        default: text.append(bytes[i - 1])
        }
      }
      guard i < bytes.count else { throw Malformed(offset: i) }
      i += 1
      return text
    }

    private mutating func unit() throws(Malformed) -> UInt16 {
      guard i + 4 <= bytes.count,
        let unit = UInt16(String(decoding: bytes[i..<(i + 4)], as: UTF8.self), radix: 16)
      else { throw Malformed(offset: i) }
      i += 4
      return unit
    }
  }
}
