/// An element of another document, as its own bytes.
///
/// What a merge takes over needs no protection or is taken apart; the rest comes as it was written.
enum RawElement {
  /// The text of an element.
  static func text(of bytes: [UInt8]) -> StoredText {
    let span = bytes.span
    guard isElement(span) else { return .empty }
    return .plain(XMLText.plain(span.extracting(XMLElement(in: span, at: 0).content)))
  }

  /// Whether the bytes start with a start tag; what stands between elements doesn't.
  static func isElement(_ bytes: Span<UInt8>) -> Bool {
    guard bytes.count > 1, bytes[0] == UInt8(ascii: "<") else { return false }
    return bytes[1] != UInt8(ascii: "!") && bytes[1] != UInt8(ascii: "?")
      && bytes[1] != UInt8(ascii: "/")
  }
}

extension Span where Element == UInt8 {
  /// A copy of a part of the bytes.
  func copy(of range: Range<Int>) -> [UInt8] {
    var copy: [UInt8] = []
    copy.reserveCapacity(range.count)
    for i in range { copy.append(self[i]) }
    return copy
  }
}

extension EditableElement {
  /// The element whose bytes these are, its children as their own bytes.
  init(raw bytes: [UInt8]) {
    self.init(.other)
    let span = bytes.span
    guard RawElement.isElement(span) else { return }
    let element = XMLElement(in: span, at: 0)
    tag = .raw(
      span.copy(of: element.whole.lowerBound..<element.attributes.upperBound),
      name: span.copy(of: element.name))
    var position = element.content.lowerBound
    let end = element.content.upperBound
    while let child = XMLElement.next(in: span, from: position, to: end) {
      appendRaw(span, position..<child.whole.lowerBound)
      children.append(
        EditableChild(
          kind: ElementKind(span.extracting(child.name)),
          content: .raw(span.copy(of: child.whole))))
      position = child.whole.upperBound
    }
    appendRaw(span, position..<max(position, end))
  }

  /// Appends what stands between elements, unless it is blank.
  mutating func appendRaw(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    for i in range where !XMLCharacters.isSpace(bytes[i]) {
      children.append(EditableChild(kind: .other, content: .raw(bytes.copy(of: range))))
      return
    }
  }
}
