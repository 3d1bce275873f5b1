extension Entry {
  /// All attachments in file order, also those whose name comes twice.
  package var attachments: [AttachmentField] {
    element.children.compactMap { child in
      child.kind == .binary ? attachment(child) : nil
    }
  }

  /// The last attachment of that name, as KeePass takes it.
  package func attachment(_ name: [UInt8]) -> AttachmentField? {
    lastIndex(of: .binary, key: name).flatMap { attachment(element.children[$0]) }
  }

  /// Changes the last attachment of that name in place, or adds one after the last attachment.
  package mutating func setAttachment(_ name: [UInt8], to content: AttachmentContent) {
    guard let index = lastIndex(of: .binary, key: name) else {
      var binary = EditableElement(.binary, children: [EditableChild(.key, name)])
      binary.children.append(EditableChild(kind: .value, content: .text(Self.value(content))))
      element.insert(.binary, .element(binary), order: Self.order, in: values)
      return
    }
    var binary = element.children[index].expanded(in: values)
    binary.set(.value, to: .text(Self.value(content)), order: Self.fieldOrder, in: values)
    element.children[index].content = .element(binary)
  }

  /// Removes all attachments of that name; says whether there was one.
  @discardableResult
  package mutating func removeAttachment(_ name: [UInt8]) -> Bool {
    var isFound = false
    while let index = lastIndex(of: .binary, key: name) {
      element.children.remove(at: index)
      isFound = true
    }
    return isFound
  }

  /// Gives the last attachment of name `old` the name `new`.
  @discardableResult
  package mutating func renameAttachment(from old: [UInt8], to new: [UInt8]) -> Bool {
    guard let index = lastIndex(of: .binary, key: old) else { return false }
    rename(at: index, to: new)
    return true
  }

  /// The same for the attachment at `index` of ``attachments``.
  package mutating func renameAttachment(at index: Int, to new: [UInt8]) {
    let binaries = element.children.indices.filter { element.children[$0].kind == .binary }
    if binaries.indices.contains(index) { rename(at: binaries[index], to: new) }
  }

  private static func value(_ content: AttachmentContent) -> TextElement {
    TextElement(name: ElementKind.value.elementName, text: .attachment(content))
  }

  private func attachment(_ child: EditableChild) -> AttachmentField? {
    if case .source(let range) = child.content, let values {
      let pair = values.pair(at: range)
      return AttachmentField(
        name: pair.key.map { values.bytes(of: values.text(ofElementAt: $0)) } ?? [],
        content: pair.value.map { values.attachment(at: $0) } ?? .inline(.empty))
    }
    let element = child.expanded(in: values)
    return AttachmentField(
      name: element.bytes(.key, in: values) ?? [],
      content: element.lastIndex(of: .value).flatMap {
        element.children[$0].attachment(in: values)
      } ?? .inline(.empty))
  }
}

extension EditableChild {
  /// What the `Value` of an attachment refers to.
  func attachment(in values: ValueSource?) -> AttachmentContent? {
    switch content {
    case .source(let range): values?.attachment(at: range)
    case .text(let element):
      if case .attachment(let content) = element.text { content } else { nil }
    case .element, .nodes, .raw: nil
    }
  }
}

extension ValueSource {
  /// What the `Value` at `range` of the source refers to.
  func attachment(at range: SourceRange) -> AttachmentContent {
    let bytes = bytes(in: range)
    let base = range.range.lowerBound
    let element = XMLElement(whole: bytes)
    if let reference = element.attribute("Ref", in: bytes) {
      let text = bytes.extracting(reference)
      if let number = SkeletonBuilder.number(text), let id = binary(numbered: number) {
        return .pool(id)
      }
      return .missing(
        SourceRange(base + reference.lowerBound..<base + reference.upperBound))
    }
    let content = base + element.content.lowerBound..<base + element.content.upperBound
    let compressed = element.attribute("Compressed", in: bytes).map {
      XMLText.isTrue(XMLText.attributeValue(bytes.extracting($0)).span)
    }
    return .inline(
      InlineBinary(
        text: SourceRange(content), slot: slot(at: content.lowerBound),
        isCompressed: compressed ?? false))
  }
}
