/// An element of a document that was found well-formed, as ranges of the bytes it was found in.
///
/// This is the second look, at a part that someone asks for: tags are matched by counting. Where
/// the bytes aren't well-formed after all, ranges are cut at their end; nothing is read beyond.
struct XMLElement {
  /// From the `<` of the start tag to behind the `>` of the end tag.
  let whole: Range<Int>
  let name: Range<Int>
  /// From behind the name to before the `>` or `/>`.
  let attributes: Range<Int>
  /// Between the tags.
  let content: Range<Int>
  /// `<name/>`.
  let isEmptyTag: Bool

  /// Reads the element whose `<` is at `start`.
  init(in bytes: Span<UInt8>, at start: Int) {
    let tag = XMLElement(startTagIn: bytes, at: start)
    guard !tag.isEmptyTag else {
      self = tag
      return
    }
    let end = Self.endOfContent(in: bytes, from: tag.content.lowerBound)
    self.init(
      whole: start..<(end < bytes.count ? Self.endOfTag(in: bytes, at: end + 1) : end),
      name: tag.name, attributes: tag.attributes, content: tag.content.lowerBound..<end,
      isEmptyTag: false)
  }

  /// Reads the element that all of `bytes` are, without a look at what lies in it.
  init(whole bytes: Span<UInt8>) {
    let tag = XMLElement(startTagIn: bytes, at: 0)
    guard !tag.isEmptyTag else {
      self = tag
      return
    }
    // There is no `<` in an end tag: with the last one it begins.
    var end = bytes.count - 1
    while end > tag.content.lowerBound, bytes[end] != UInt8(ascii: "<") { end -= 1 }
    self.init(
      whole: 0..<bytes.count, name: tag.name, attributes: tag.attributes,
      content: tag.content.lowerBound..<max(tag.content.lowerBound, end), isEmptyTag: false)
  }

  /// Reads only the start tag at `start`: the element seems to end with it.
  init(startTagIn bytes: Span<UInt8>, at start: Int) {
    var i = start + 1
    while i < bytes.count, !Self.endsName(bytes[i]) { i += 1 }
    let name = min(start + 1, i)..<i
    let end = Self.endOfTag(in: bytes, at: i)
    let isEmptyTag = end - 2 >= i && bytes[end - 2] == UInt8(ascii: "/")
    self.init(
      whole: start..<end, name: name, attributes: i..<max(i, end - (isEmptyTag ? 2 : 1)),
      content: end..<end, isEmptyTag: isEmptyTag)
  }

  private init(
    whole: Range<Int>, name: Range<Int>, attributes: Range<Int>, content: Range<Int>,
    isEmptyTag: Bool
  ) {
    self.whole = whole
    self.name = name
    self.attributes = attributes
    self.content = content
    self.isEmptyTag = isEmptyTag
  }

  private static func endsName(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") || XMLCharacters.isSpace(byte)
  }

  /// Behind the `>` of a tag, from anywhere in it outside of quotes.
  private static func endOfTag(in bytes: Span<UInt8>, at start: Int) -> Int {
    var i = start
    while i < bytes.count {
      let c = bytes[i]
      i += 1
      if c == UInt8(ascii: ">") { return i }
      if c == UInt8(ascii: "\"") || c == UInt8(ascii: "'") {
        while i < bytes.count, bytes[i] != c { i += 1 }
        i += 1
      }
    }
    return bytes.count
  }

  /// Where the end tag starts that belongs to a start tag before `start`.
  private static func endOfContent(in bytes: Span<UInt8>, from start: Int) -> Int {
    var i = start
    var depth = 0
    while i < bytes.count {
      while i < bytes.count, bytes[i] != UInt8(ascii: "<") { i += 1 }
      guard i + 1 < bytes.count else { return bytes.count }
      switch bytes[i + 1] {
      case UInt8(ascii: "/"):
        if depth == 0 { return i }
        depth -= 1
        i = endOfTag(in: bytes, at: i + 2)
      case UInt8(ascii: "!"), UInt8(ascii: "?"):
        i = endOfOther(in: bytes, at: i)
      default:
        i = endOfTag(in: bytes, at: i + 1)
        if bytes[i - 2] != UInt8(ascii: "/") { depth += 1 }
      }
    }
    return bytes.count
  }

  /// Behind a comment, an instruction or a CDATA section.
  private static func endOfOther(in bytes: Span<UInt8>, at start: Int) -> Int {
    let end: Int
    if XMLText.isAt(start, in: bytes, "<!--") {
      end = XMLText.find("-->", in: bytes, from: start + 4) + 3
    } else if XMLText.isAt(start, in: bytes, "<![CDATA[") {
      end = XMLText.find("]]>", in: bytes, from: start + 9) + 3
    } else {
      end = XMLText.find("?>", in: bytes, from: start + 2) + 2
    }
    return min(end, bytes.count)
  }

  /// Behind whatever starts with the `<` at `start`: an element, a comment, an instruction, a CDATA
  /// section, a stray end tag.
  static func endOfMarkup(in bytes: Span<UInt8>, at start: Int) -> Int {
    guard start + 1 < bytes.count else { return bytes.count }
    switch bytes[start + 1] {
    case UInt8(ascii: "!"), UInt8(ascii: "?"): return endOfOther(in: bytes, at: start)
    case UInt8(ascii: "/"): return endOfTag(in: bytes, at: start + 2)
    default: return XMLElement(in: bytes, at: start).whole.upperBound
    }
  }

  /// The next element among siblings, from `start` on; `nil` before `end` if there is none.
  static func next(in bytes: Span<UInt8>, from start: Int, to end: Int) -> XMLElement? {
    var i = start
    while i < end {
      while i < end, bytes[i] != UInt8(ascii: "<") { i += 1 }
      guard i + 1 < end else { return nil }
      switch bytes[i + 1] {
      case UInt8(ascii: "!"), UInt8(ascii: "?"): i = endOfOther(in: bytes, at: i)
      case UInt8(ascii: "/"): return nil
      default: return XMLElement(in: bytes, at: i)
      }
    }
    return nil
  }

  func isNamed(_ name: StaticString, in bytes: Span<UInt8>) -> Bool {
    self.name.count == name.utf8CodeUnitCount
      && XMLText.isAt(self.name.lowerBound, in: bytes, name)
  }

  /// The text of an attribute's value, between its quotes.
  func attribute(_ name: StaticString, in bytes: Span<UInt8>) -> Range<Int>? {
    var found: Range<Int>?
    forEachAttribute(in: bytes) { attribute in
      if Self.has(attribute.name, name, in: bytes) { found = attribute.value }
    }
    return found
  }

  /// The attributes but for those named, each with the white space before it.
  func attributes(in bytes: Span<UInt8>, without names: [StaticString]) -> [Range<Int>] {
    var kept: [Range<Int>] = []
    forEachAttribute(in: bytes) { attribute in
      if !names.contains(where: { Self.has(attribute.name, $0, in: bytes) }) {
        kept.append(attribute.whole)
      }
    }
    return kept
  }

  private static func has(
    _ range: Range<Int>, _ name: StaticString, in bytes: Span<UInt8>
  ) -> Bool {
    range.count == name.utf8CodeUnitCount && XMLText.isAt(range.lowerBound, in: bytes, name)
  }

  private func forEachAttribute(
    in bytes: Span<UInt8>, _ body: (XMLScanner.Attribute) -> Void
  ) {
    let end = attributes.upperBound
    var i = attributes.lowerBound
    while i < end {
      let start = i
      while i < end, XMLCharacters.isSpace(bytes[i]) { i += 1 }
      let nameStart = i
      while i < end, bytes[i] != UInt8(ascii: "="), !XMLCharacters.isSpace(bytes[i]) { i += 1 }
      let nameEnd = i
      while i < end, bytes[i] != UInt8(ascii: "\""), bytes[i] != UInt8(ascii: "'") { i += 1 }
      guard i < end else { return }
      let quote = bytes[i]
      let valueStart = i + 1
      i = valueStart
      while i < end, bytes[i] != quote { i += 1 }
      guard i < end else { return }
      i += 1
      body(
        XMLScanner.Attribute(
          whole: start..<i, name: nameStart..<nameEnd, value: valueStart..<i - 1))
    }
  }
}
