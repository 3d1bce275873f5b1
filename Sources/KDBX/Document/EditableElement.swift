import Ciphers

/// An element as a list of parts, which are ranges of the source until they are edited.
///
/// What the views edit, and what the writer writes: start tag, white space, comments, unknown
/// children and attributes are kept as they are and where they are.
struct EditableElement: Sendable {
  /// The start tag, which also says what the end tag is called.
  enum Tag: Sendable {
    /// `<name attributes` as in the source, without the `>` or `/>`, and the name in it.
    case source(SourceRange, name: SourceRange)
    /// A new element without attributes.
    case new(StaticString)
    /// `<name attributes` as in another document, and the name in it.
    case raw([UInt8], name: [UInt8])
  }

  var tag: Tag
  var children: [EditableChild] = []
  /// What stands between the last child and the end tag.
  var tail = SourceRange.none
  /// The whole of it where it is `<name/>` in the source, to be written so while it stays empty.
  var emptyTag: SourceRange?

  /// A new element.
  init(_ kind: ElementKind, children: [EditableChild] = []) {
    tag = .new(kind.elementName)
    self.children = children
  }

  /// The element at `range` of the source.
  init(_ range: SourceRange, in values: ValueSource) {
    let bytes = values.bytes(in: range)
    let base = range.range.lowerBound
    let element = XMLElement(whole: bytes)
    self.init(tagOf: element, base: base)
    children.reserveCapacity(24)
    tail = parseChildren(
      of: bytes, from: element.content.lowerBound, to: element.content.upperBound, base: base)
  }

  /// The start tag of an element of the source; `base` is what the element's offsets count from.
  init(tagOf element: XMLElement, base: Int) {
    if element.isEmptyTag {
      emptyTag = SourceRange(base + element.whole.lowerBound..<base + element.whole.upperBound)
    }
    tag = .source(
      SourceRange(base + element.whole.lowerBound..<base + element.attributes.upperBound),
      name: SourceRange(base + element.name.lowerBound..<base + element.name.upperBound))
  }

  /// Appends the elements of a part of the content; gives what stands behind the last.
  ///
  /// `base` is what offsets in `bytes` count from.
  mutating func parseChildren(
    of bytes: Span<UInt8>, from start: Int, to end: Int, base: Int
  ) -> SourceRange {
    var position = start
    while let child = XMLElement.next(in: bytes, from: position, to: end) {
      children.append(
        EditableChild(
          lead: SourceRange(base + position..<base + child.whole.lowerBound),
          kind: ElementKind(bytes.extracting(child.name)),
          content: .source(
            SourceRange(base + child.whole.lowerBound..<base + child.whole.upperBound))))
      position = child.whole.upperBound
    }
    return SourceRange(base + position..<base + max(position, end))
  }
}

/// A part of an element: a child, and what stands before it.
struct EditableChild: Sendable {
  enum Content: Sendable {
    /// A whole element of the source.
    case source(SourceRange)
    /// A new or changed element that holds text.
    indirect case text(TextElement)
    /// An element whose own children are parts.
    indirect case element(EditableElement)
    /// Where groups and entries stood in the source, from the first to the last of a run.
    case nodes(UInt32, UInt32)
    /// A whole element of another document without protected values, or what stood before one.
    case raw([UInt8])
  }

  /// White space, comments and the like from the source.
  var lead = SourceRange.none
  var kind: ElementKind
  var content: Content
}

/// A new or changed element that holds text.
struct TextElement: Sendable {
  /// What the element holds.
  enum Text: Sendable {
    case stored(StoredText, isProtected: Bool)
    /// Nothing: it refers to a content of the pool, or to one that stands inline.
    case attachment(AttachmentContent)
    /// A content of the pool, in the pool that KDBX 3 has in Meta.
    case content(BinaryID)
  }

  var name: StaticString
  /// Attributes of the source that are kept, each with the white space before it.
  var attributes: [SourceRange] = []
  var text: Text
}

// MARK: - Reading

extension EditableElement {
  func lastIndex(of kind: ElementKind) -> Int? {
    children.lastIndex { $0.kind == kind }
  }

  /// The text of the last child of that kind, as KeePass takes it; `nil` if there is none.
  func text(_ kind: ElementKind, in values: ValueSource?) -> StoredText? {
    lastIndex(of: kind).flatMap { children[$0].text(in: values) }
  }

  /// The text of the last child of that kind, for what is no secret.
  func bytes(_ kind: ElementKind, in values: ValueSource?) -> [UInt8]? {
    text(kind, in: values).map { Self.bytes(of: $0, in: values) }
  }

  static func bytes(of text: StoredText, in values: ValueSource?) -> [UInt8] {
    if let values { return values.bytes(of: text) }
    if case .plain(let bytes) = text { return bytes }
    return []
  }
}

extension EditableChild {
  /// The text of an element that holds text.
  func text(in values: ValueSource?) -> StoredText? {
    switch content {
    case .source(let range):
      guard let values else { return nil }
      return values.text(ofElementAt: range)
    case .text(let element):
      if case .stored(let text, _) = element.text { return text }
      return .empty
    case .raw(let bytes): return RawElement.text(of: bytes)
    case .element, .nodes: return nil
    }
  }

  /// The child with its own children as parts.
  func expanded(in values: ValueSource?) -> EditableElement {
    switch content {
    case .source(let range):
      guard let values else { return EditableElement(kind) }
      return EditableElement(range, in: values)
    case .element(let element): return element
    case .raw(let bytes): return EditableElement(raw: bytes)
    case .text, .nodes: return EditableElement(kind)
    }
  }
}

extension ValueSource {
  /// The text of the element that is `range` of the source.
  func text(ofElementAt range: SourceRange) -> StoredText {
    let base = range.range.lowerBound
    let element = XMLElement(whole: bytes(in: range))
    let content = base + element.content.lowerBound..<base + element.content.upperBound
    if !element.attributes.isEmpty, let slot = slot(at: content.lowerBound) {
      return .protected(slot)
    }
    return .source(SourceRange(content))
  }
}

// MARK: - Changing

extension EditableElement {
  /// Sets the text of the last child of that kind, or adds one where `order` has its place.
  mutating func setText(
    _ kind: ElementKind, to text: StoredText, isProtected: Bool = false,
    order: [ElementKind], in values: ValueSource?
  ) {
    let attributes = lastIndex(of: kind).map { children[$0].keptAttributes(in: values) } ?? []
    let element = TextElement(
      name: kind.elementName, attributes: attributes,
      text: .stored(text, isProtected: isProtected))
    set(kind, to: .text(element), order: order, in: values)
  }

  /// Replaces the last child of that kind, or adds one where `order` has its place.
  mutating func set(
    _ kind: ElementKind, to content: EditableChild.Content, order: [ElementKind],
    in values: ValueSource?
  ) {
    if let index = lastIndex(of: kind) {
      children[index].content = content
    } else {
      insert(kind, content, order: order, in: values)
    }
  }

  /// Adds a child behind those that `order` puts before it or at the same place.
  mutating func insert(
    _ kind: ElementKind, _ content: EditableChild.Content, order: [ElementKind],
    in values: ValueSource?
  ) {
    let place = order.firstIndex(of: kind) ?? order.count
    let before = order[..<min(place + 1, order.count)]
    let index =
      children.lastIndex { before.contains($0.kind) }.map { $0 + 1 }
      // Nothing of what comes before is there: in front of what comes behind.
      ?? children.firstIndex { order[min(place, order.count)...].contains($0.kind) }
      ?? children.count
    children.insert(
      EditableChild(lead: spacing(at: index, in: values), kind: kind, content: content), at: index)
  }

  /// Removes all children of that kind; says whether there was one.
  @discardableResult
  mutating func remove(_ kind: ElementKind) -> Bool {
    let count = children.count
    children.removeAll { $0.kind == kind }
    return children.count < count
  }

  /// The white space that stands before the children beside `index`.
  private func spacing(at index: Int, in values: ValueSource?) -> SourceRange {
    guard let values else { return .none }
    if index > 0 { return values.trailingSpace(in: children[index - 1].lead) }
    if index < children.count { return values.trailingSpace(in: children[index].lead) }
    return .none
  }
}

extension EditableChild {
  /// The attributes that an element keeps when its text is replaced: all but those that say what
  /// the text is.
  func keptAttributes(in values: ValueSource?) -> [SourceRange] {
    switch content {
    case .text(let element): return element.attributes
    case .element, .nodes, .raw: return []
    case .source(let range):
      guard let values else { return [] }
      let bytes = values.bytes(in: range)
      let base = range.range.lowerBound
      return XMLElement(in: bytes, at: 0).attributes(
        in: bytes, without: ["Protected", "Compressed", "Ref", "xml:space"]
      ).map { SourceRange(base + $0.lowerBound..<base + $0.upperBound) }
    }
  }
}

extension ValueSource {
  /// The white space at the end of a range.
  func trailingSpace(in range: SourceRange) -> SourceRange {
    let bytes = bytes(in: range)
    var count = 0
    while count < bytes.count, XMLCharacters.isSpace(bytes[bytes.count - 1 - count]) { count += 1 }
    return SourceRange(range.range.upperBound - count..<range.range.upperBound)
  }

  /// Whether there is nothing but white space.
  func isBlank(_ range: SourceRange) -> Bool {
    trailingSpace(in: range).count == range.count
  }
}
