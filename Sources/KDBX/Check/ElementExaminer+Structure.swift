import Ciphers
import Secrets

// What an element must have beside the right texts.

extension ElementExaminer {
  /// Looks at what belongs together in an element; says whether it was mended.
  mutating func examineStructure(
    of element: inout EditableElement, as container: KnownElements
  ) -> Bool {
    switch container {
    case .entry: examineEntry(&element)
    case .string: examineField(&element)
    case .binary: examineAttachment(&element)
    case .association:
      complete(&element, [.window, .keystrokeSequence], or: .incompleteAssociation)
    case .item: complete(&element, [.key, .value], or: .incompleteItem)
    case .customData: makeNamesDistinct(in: &element, of: .item, .repeatedItem)
    case .customIcons: examineIcons(&element)
    case .deletedObject: examineDeletion(element)
    default: false
    }
  }

  /// Adds what is missing of `kinds`, empty; says whether something was.
  private mutating func complete(
    _ element: inout EditableElement, _ kinds: [ElementKind], or fault: Fault
  ) -> Bool {
    let missing = kinds.filter { element.lastIndex(of: $0) == nil }
    guard !missing.isEmpty else { return false }
    note(fault, name: element.bytes(.key, in: values))
    for kind in missing { element.setText(kind, to: .empty, order: kinds, in: values) }
    return true
  }

  // MARK: - Entries

  private mutating func examineEntry(_ entry: inout EditableElement) -> Bool {
    if entry.lastIndex(of: .times) == nil { note(.missingTimes) }
    let areFieldsMended = makeNamesDistinct(in: &entry, of: .string, .repeatedField)
    let areAttachmentsMended = makeNamesDistinct(in: &entry, of: .binary, .repeatedAttachment)
    return areFieldsMended || areAttachmentsMended
  }

  /// Gives children of one key keys that can be told apart.
  private mutating func makeNamesDistinct(
    in element: inout EditableElement, of kind: ElementKind, _ fault: Fault
  ) -> Bool {
    let places = element.children.indices.filter { element.children[$0].kind == kind }
    let keys = places.map { key(of: element.children[$0]) }
    let distinct = DistinctNames.of(keys)
    guard distinct != keys, !keepsNames || kind == .item else { return false }
    var told: Set<[UInt8]> = []
    for (number, place) in places.enumerated() where distinct[number] != keys[number] {
      if told.insert(keys[number]).inserted {
        note(fault, "\(kind.elementName)", name: keys[number])
      }
      var child = element.children[place].expanded(in: values)
      child.setText(.key, to: .plain(distinct[number]), order: [.key, .value], in: values)
      element.children[place].content = .element(child)
    }
    return true
  }

  private func key(of child: EditableChild) -> [UInt8] {
    child.expanded(in: values).bytes(.key, in: values) ?? []
  }

  // MARK: - Fields

  private mutating func examineField(_ field: inout EditableElement) -> Bool {
    let isCompleted = complete(&field, [.key, .value], or: .incompleteField)
    let key = field.bytes(.key, in: values) ?? []
    if key.isEmpty { note(.unnamedField) }
    guard let index = field.lastIndex(of: .value) else { return isCompleted }
    switch field.children[index].text(in: values) {
    case .protected(let slot):
      var value = WipedBuffer()
      values.open(.protected(slot), into: &value)
      if !XMLText.isUTF8(value.bytes) { note(.badText, name: key) }
      return isCompleted
    case .source(let range):
      guard isLostBlank(field.children[index], range) else { return isCompleted }
      note(.blankValue, name: key)
      let attributes = field.children[index].keptAttributes(in: values)
      field.children[index].content = .text(
        TextElement(
          name: ElementKind.value.elementName, attributes: attributes,
          text: .stored(.source(range), isProtected: false)))
      return true
    case .sealed, .plain, nil: return isCompleted
    }
  }

  /// Whether a value is white space that KeePass passes over.
  private func isLostBlank(_ child: EditableChild, _ content: SourceRange) -> Bool {
    let bytes = values.bytes(in: content)
    // CDATA is kept.
    for i in bytes.indices where bytes[i] == UInt8(ascii: "<") { return false }
    guard XMLText.isOnlySpace(XMLText.plain(bytes).span), case .source(let range) = child.content
    else { return false }
    let whole = values.bytes(in: range)
    let space = XMLElement(startTagIn: whole, at: 0).attribute("xml:space", in: whole)
    return space.map { !XMLText.isAt($0.lowerBound, in: whole, "preserve") } ?? true
  }

  // MARK: - Attachments

  private mutating func examineAttachment(_ attachment: inout EditableElement) -> Bool {
    var isMended = complete(&attachment, [.key, .value], or: .incompleteAttachment)
    let name = attachment.bytes(.key, in: values) ?? []
    if name.isEmpty, !keepsNames {
      if !isMended { note(.unnamedAttachment) }
      attachment.setText(
        .key, to: .plain(Array("unnamed".utf8)), order: [.key, .value], in: values)
      isMended = true
    }
    guard let index = attachment.lastIndex(of: .value),
      let content = attachment.children[index].attachment(in: values)
    else { return isMended }
    switch content {
    case .pool: return isMended
    case .missing:
      note(.missingContent, name: name)
      return isMended
    case .inline(let binary):
      var bytes = WipedBuffer()
      guard (try? document.open(content, into: &bytes)) != nil else {
        note(.damagedContent, name: name)
        return isMended
      }
      guard binary.isCompressed, bytes.count > 0 else { return isMended }
      note(.compressedInline, name: name)
      let pooled = document.addBinary(
        values.source.sealingKey.seal(bytes.bytes), isProtected: binary.slot != nil)
      attachment.children[index].content = .text(
        TextElement(name: ElementKind.value.elementName, text: .attachment(pooled)))
      return true
    }
  }

  // MARK: - Icons and deletions

  /// Notes the icons of the vault; mends those that lack a part.
  private mutating func examineIcons(_ list: inout EditableElement) -> Bool {
    var isMended = false
    var kept: [EditableChild] = []
    for var child in list.children {
      guard child.kind == .icon else {
        kept.append(child)
        continue
      }
      var icon = child.expanded(in: values)
      guard icon.lastIndex(of: .data) != nil else {
        note(.incompleteIcon, "Icon")
        isMended = true
        continue
      }
      if let uuid = icon.bytes(.uuid, in: values).flatMap({ VaultUUID(base64: $0.span) }) {
        if !icons.insert(uuid).inserted { note(.repeatedIcon, "Icon") }
      } else {
        note(.incompleteIcon, "Icon")
        icon.setText(
          .uuid, to: .plain(VaultUUID.random().base64), order: [.uuid, .data], in: values)
        child.content = .element(icon)
        isMended = true
      }
      kept.append(child)
    }
    if isMended { list.children = kept }
    return isMended
  }

  private mutating func examineDeletion(_ record: EditableElement) -> Bool {
    let uuid = record.bytes(.uuid, in: values).flatMap { VaultUUID(base64: $0.span) } ?? .zero
    if uuid.isZero || record.lastIndex(of: .deletionTime) == nil { note(.incompleteDeletion) }
    return false
  }
}
