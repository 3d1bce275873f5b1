/// Just enough JSON (RFC 8259) to read the lists of the shared vaults.
enum JSON: Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  struct Malformed: Error { let offset: Int }

  init(_ text: [UInt8]) throws {
    var parser = Parser(text: text)
    self = try parser.value()
    try parser.end()
  }

  subscript(_ key: String) -> JSON? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  var string: String? {
    if case .string(let text) = self { text } else { nil }
  }

  var int: Int? {
    if case .number(let number) = self { Int(exactly: number) } else { nil }
  }

  var array: [JSON] {
    if case .array(let items) = self { items } else { [] }
  }

  private struct Parser {
    let text: [UInt8]
    var at = 0

    private func fault() -> Malformed { Malformed(offset: at) }

    private mutating func skipSpace() {
      while at < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[at]) { at += 1 }
    }

    private mutating func take(_ word: String) -> Bool {
      guard text[at...].starts(with: word.utf8) else { return false }
      at += word.utf8.count
      return true
    }

    mutating func end() throws {
      skipSpace()
      if at != text.count { throw fault() }
    }

    mutating func value() throws -> JSON {
      skipSpace()
      if take("null") { return .null }
      if take("true") { return .bool(true) }
      if take("false") { return .bool(false) }
      if take("\"") { return .string(try stringRest()) }
      if take("[") { return .array(try items("]") { try $0.value() }) }
      if take("{") {
        let members = try items("}") { parser in
          parser.skipSpace()
          guard parser.take("\"") else { throw parser.fault() }
          let key = try parser.stringRest()
          parser.skipSpace()
          guard parser.take(":") else { throw parser.fault() }
          return (key, try parser.value())
        }
        return .object(Dictionary(members) { _, last in last })
      }
      return .number(try number())
    }

    private mutating func items<Item>(
      _ close: String, _ item: (inout Parser) throws -> Item
    ) throws -> [Item] {
      var items: [Item] = []
      skipSpace()
      if take(close) { return items }
      while true {
        items.append(try item(&self))
        skipSpace()
        if take(close) { return items }
        guard take(",") else { throw fault() }
      }
    }

    private mutating func number() throws -> Double {
      let digits = text[at...].prefix { "+-.eE0123456789".utf8.contains($0) }
      guard let number = Double(String(decoding: digits, as: UTF8.self)) else { throw fault() }
      at += digits.count
      return number
    }

    private mutating func stringRest() throws -> String {
      var units: [UInt16] = []
      while at < text.count {
        let run = text[at...].prefix { $0 != 0x22 && $0 != 0x5C }
        units += Array(String(decoding: run, as: UTF8.self).utf16)
        at += run.count
        if take("\"") { return String(decoding: units, as: UTF16.self) }
        units.append(try escape())
      }
      throw fault()
    }

    private mutating func escape() throws -> UInt16 {
      let simple: [(String, UInt16)] = [
        ("\\\"", 0x22), ("\\\\", 0x5C), ("\\/", 0x2F), ("\\b", 8), ("\\f", 12), ("\\n", 10),
        ("\\r", 13), ("\\t", 9),
      ]
      for (mark, unit) in simple where take(mark) { return unit }
      guard take("\\u"), at + 4 <= text.count,
        let unit = UInt16(String(decoding: text[at..<(at + 4)], as: UTF8.self), radix: 16)
      else { throw fault() }
      at += 4
      return unit
    }
  }
}
