import ByteCoding
import Secrets

/// What an element says, however it is spelt: to compare elements of two documents.
///
/// White space between elements, comments, entities, CDATA, the order of attributes and elements
/// that say nothing don't count, nor do the ways in which programs spell one and the same: `True` and
/// `true`, `null` and nothing, the order and the separators of tags.
/// For what isn't a secret: fields are compared in another way.
struct PlainElement: Hashable, Sendable {
  var name: [UInt8] = []
  var attributes: Set<[UInt8]> = []
  /// The text; of an element with elements in it, empty.
  var text: [UInt8] = []
  var children: [PlainElement] = []

  /// Whether it says no more than one that isn't there.
  var isEmpty: Bool {
    text.isEmpty && attributes.isEmpty && children.allSatisfy { $0.isEmpty }
  }

  init(_ child: EditableChild, in values: ValueSource) {
    switch child.content {
    case .source(let range):
      let bytes = values.bytes(in: range)
      read(
        XMLElement(in: bytes, at: 0), in: bytes, base: range.range.lowerBound, values: values)
    case .raw(let bytes):
      let span = bytes.span
      guard RawElement.isElement(span) else { return }
      read(XMLElement(in: span, at: 0), in: span, base: nil, values: values)
    case .text(let element):
      name = Self.bytes(of: element.name)
      if case .stored(let stored, _) = element.text { text = values.bytes(of: stored) }
      normalize()
    case .element(let element):
      name = Self.name(of: element, child.kind, in: values)
      for inner in element.children { append(PlainElement(inner, in: values)) }
    case .nodes: break
    }
  }

  private init() {}

  /// Takes in an element; `base` is where in the source `bytes` starts, `nil` where they aren't from
  /// it.
  private mutating func read(
    _ element: XMLElement, in bytes: Span<UInt8>, base: Int?, values: ValueSource
  ) {
    name = bytes.copy(of: element.name)
    for attribute in element.attributes(in: bytes, without: ["Protected", "xml:space"]) {
      attributes.insert(bytes.copy(of: attribute))
    }
    var position = element.content.lowerBound
    let end = element.content.upperBound
    while let inner = XMLElement.next(in: bytes, from: position, to: end) {
      var child = PlainElement()
      child.read(inner, in: bytes, base: base, values: values)
      append(child)
      position = inner.whole.upperBound
    }
    guard position == element.content.lowerBound else { return }
    if let base, let slot = values.slot(at: base + element.content.lowerBound) {
      text = values.bytes(of: .protected(slot))
    } else {
      text = XMLText.plain(bytes.extracting(element.content))
    }
    normalize()
  }

  private mutating func append(_ child: PlainElement) {
    if !child.name.isEmpty, !child.isEmpty { children.append(child) }
  }

  // MARK: - Spelling

  private mutating func normalize() {
    if name == Self.tags { return text = Self.normalizedTags(text) }
    // What a user or a program chose means what its bytes mean.
    guard (4...5).contains(text.count), name != Self.value, name != Self.key else { return }
    let lower = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    if lower == Self.null { text = [] }
    if lower == Self.yes || lower == Self.no { text = lower }
  }

  private static let tags = Array("Tags".utf8)
  private static let (key, value) = (Array("Key".utf8), Array("Value".utf8))
  private static let (null, yes, no) = (
    Array("null".utf8), Array("true".utf8), Array("false".utf8)
  )

  /// The tags, each once, in the order of their bytes.
  private static func normalizedTags(_ text: [UInt8]) -> [UInt8] {
    let tags = text.split { $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: ",") }
      .map { tag in
        Array(
          tag.drop(while: XMLCharacters.isSpace).reversed()
            .drop(while: XMLCharacters.isSpace).reversed())
      }
    return Array(
      Array(Set(tags.filter { !$0.isEmpty })).sortedByBytes()
        .joined(separator: [UInt8(ascii: ";")]))
  }

  private static func name(
    of element: EditableElement, _ kind: ElementKind, in values: ValueSource
  ) -> [UInt8] {
    switch element.tag {
    case .raw(_, let name): return name
    case .source(_, let name):
      let bytes = values.bytes(in: name)
      return bytes.copy(of: bytes.indices)
    case .new(let name): return bytes(of: name)
    }
  }

  private static func bytes(of name: StaticString) -> [UInt8] {
    name.withUTF8Buffer { unsafe Array($0) }
  }
}
