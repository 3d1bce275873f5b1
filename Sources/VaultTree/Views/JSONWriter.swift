import Secrets

/// Writes one JSON value into memory that is overwritten when it goes away.
///
/// Objects and lists are set out a member a line, each level two blanks further in. Names and values are
/// bytes of UTF-8; a byte that is none becomes U+FFFD, because JSON can't hold it.
struct JSONWriter: ~Copyable {
  /// What has been written.
  private(set) var output = WipedBuffer()
  /// For each object or list that is open: whether it holds anything yet.
  private var open: [Bool] = []

  // MARK: - Objects and lists

  /// Opens an object, as a member called `name` or as an item of a list.
  mutating func beginObject(_ name: StaticString? = nil) { begin(name, "{") }
  mutating func endObject() { end("}") }

  /// Opens a list, as a member called `name`.
  mutating func beginList(_ name: StaticString) { begin(name, "[") }
  mutating func endList() { end("]") }

  private mutating func begin(_ name: StaticString?, _ bracket: StaticString) {
    beginValue(name)
    output.append(bracket)
    open.append(false)
  }

  private mutating func end(_ bracket: StaticString) {
    let holdsAny = open.popLast() ?? false
    if holdsAny { beginLine() }
    output.append(bracket)
    if open.isEmpty { output.append(UInt8(ascii: "\n")) }
  }

  // MARK: - Values

  /// Writes a text, as a member called `name` or as an item of a list.
  mutating func write(_ text: Span<UInt8>, as name: StaticString? = nil) {
    beginValue(name)
    append(quoting: text)
  }

  /// Writes a text as a member whose name is data too.
  mutating func write(_ text: Span<UInt8>, named name: [UInt8]) {
    beginItem()
    append(quoting: name.span)
    output.append(": ")
    append(quoting: text)
  }

  mutating func write(_ number: Int, as name: StaticString) {
    beginValue(name)
    for byte in "\(number)".utf8 { output.append(byte) }
  }

  mutating func writeNull(as name: StaticString) {
    beginValue(name)
    output.append("null")
  }

  private mutating func beginValue(_ name: StaticString?) {
    beginItem()
    guard let name else { return }
    output.append(UInt8(ascii: "\""))
    output.append(name)
    output.append("\": ")
  }

  /// Separates what follows from what is before it.
  private mutating func beginItem() {
    guard let holdsAny = open.last else { return }
    if holdsAny { output.append(UInt8(ascii: ",")) }
    open[open.count - 1] = true
    beginLine()
  }

  private mutating func beginLine() {
    output.append(UInt8(ascii: "\n"))
    for _ in open { output.append("  ") }
  }

  // MARK: - Texts

  private mutating func append(quoting text: Span<UInt8>) {
    output.append(UInt8(ascii: "\""))
    var i = 0
    while i < text.count {
      let length = UTF8Sequence.length(in: text, at: i)
      switch length {
      case 0:
        // U+FFFD.
        output.append(0xEF)
        output.append(0xBF)
        output.append(0xBD)
        i += 1
      case 1:
        append(quoting: text[i])
        i += 1
      default:
        output.append(text.extracting(i..<(i + length)))
        i += length
      }
    }
    output.append(UInt8(ascii: "\""))
  }

  private mutating func append(quoting byte: UInt8) {
    switch byte {
    case UInt8(ascii: "\""): output.append("\\\"")
    case UInt8(ascii: "\\"): output.append("\\\\")
    case UInt8(ascii: "\n"): output.append("\\n")
    case UInt8(ascii: "\r"): output.append("\\r")
    case UInt8(ascii: "\t"): output.append("\\t")
    case 0..<0x20, 0x7F:
      output.append("\\u00")
      output.append(Self.digit(byte >> 4))
      output.append(Self.digit(byte & 15))
    default: output.append(byte)
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

/// What stands for one character in UTF-8.
enum UTF8Sequence {
  /// The number of bytes of the character that begins at `start`; 0 where none does.
  static func length(in text: Span<UInt8>, at start: Int) -> Int {
    let first = text[start]
    let length: Int
    // The bounds of the second byte keep out overlong forms, surrogates, and what is beyond U+10FFFF.
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch first {
    case 0..<0x80: return 1
    case 0xC2...0xDF: length = 2
    case 0xE0...0xEF:
      length = 3
      if first == 0xE0 { second = 0xA0...0xBF }
      if first == 0xED { second = 0x80...0x9F }
    case 0xF0...0xF4:
      length = 4
      if first == 0xF0 { second = 0x90...0xBF }
      if first == 0xF4 { second = 0x80...0x8F }
    default: return 0
    }
    guard length <= text.count - start, second.contains(text[start + 1]) else { return 0 }
    for i in 2..<max(length, 2) where text[start + i] & 0xC0 != 0x80 { return 0 }
    return length
  }
}
