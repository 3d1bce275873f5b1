import Secrets

/// A text with `{{ ENTRY/FIELD }}` where fields are to stand; `\{{` is `{{` itself.
struct Template {
  enum Piece: Hashable {
    /// As it stands.
    case text(Range<Int>)
    /// A field, and the line that it stands in.
    case field([UInt8], line: Int)
  }

  /// Why a text is no template: the line.
  enum Failure: Error, Hashable {
    /// `{{` without `}}` in the same line.
    case unended(line: Int)
    /// Nothing between them.
    case empty(line: Int)
  }

  private(set) var pieces: [Piece] = []

  init(_ text: Span<UInt8>) throws(Failure) {
    var line = 1
    var start = 0
    var i = 0
    while i < text.count {
      if text[i] == UInt8(ascii: "\\"), Self.has("{{", at: i + 1, of: text) {
        pieces.append(.text(start..<i))
        start = i + 1
        i += 3
      } else if Self.has("{{", at: i, of: text) {
        pieces.append(.text(start..<i))
        guard let end = Self.end(after: i + 2, of: text) else { throw .unended(line: line) }
        let name = Self.trimmed(text.extracting(i + 2..<end))
        guard !name.isEmpty else { throw .empty(line: line) }
        pieces.append(.field(name, line: line))
        start = end + 2
        i = start
      } else {
        if text[i] == UInt8(ascii: "\n") { line += 1 }
        i += 1
      }
    }
    pieces.append(.text(start..<text.count))
    pieces.removeAll { if case .text(let range) = $0 { range.isEmpty } else { false } }
  }

  /// Whether two bytes stand at a place.
  private static func has(_ pair: StaticString, at place: Int, of text: Span<UInt8>) -> Bool {
    guard place + 1 < text.count else { return false }
    return pair.withUTF8Buffer { pair in
      unsafe text[place] == pair[0] && text[place + 1] == pair[1]
    }
  }

  /// Where the `}}` stands that ends a field; nil where its line has none.
  private static func end(after start: Int, of text: Span<UInt8>) -> Int? {
    var i = start
    while i < text.count, text[i] != UInt8(ascii: "\n") {
      if has("}}", at: i, of: text) { return i }
      i += 1
    }
    return nil
  }

  private static func trimmed(_ text: Span<UInt8>) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
    var start = 0
    var end = text.count
    while start < end, isBlank(text[start]) { start += 1 }
    while end > start, isBlank(text[end - 1]) { end -= 1 }
    return (start..<end).map { text[$0] }
  }
}
