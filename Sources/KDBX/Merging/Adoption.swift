import Ciphers
import Secrets

/// Takes entries, groups and elements over from another document.
///
/// What it gives holds nothing of the other document: values are sealed anew, contents are put into
/// the pool. The rest comes byte for byte, but for the white space between elements, and for times
/// where the two files spell them differently.
package struct Adoption {
  /// The document that is taken from.
  package let other: Document
  /// The contents that were taken over, by their number there.
  private var contents: [BinaryID: AttachmentContent] = [:]

  package init(from other: Document) {
    self.other = other
  }

  /// An entry of the other document, with its history, to be put into `document`.
  package mutating func adopt(_ entry: Entry, into document: inout Document) -> Entry {
    Entry(adopt(entry.element, .entry, &document), document.values, document.version)
  }

  /// A group's own properties, to be put into `document`; not what lies in it.
  package mutating func adopt(_ group: Group, into document: inout Document) -> Group {
    Group(adopt(group.element, .group, &document), document.values, document.version)
  }

  /// The other document's Meta, but for the pool that it may have, to take parts from.
  package mutating func adoptMeta(into document: inout Document) -> Meta {
    var element = other.meta.element
    element.remove(.binaries)
    return Meta(adopt(element, .meta, &document), document.values, document.version)
  }

  /// Raises a document's version to the other one's, if that is a newer one of the same major number:
  /// what is taken over may need it.
  package func raiseVersion(of document: inout Document) {
    guard other.version.major == document.version.major else { return }
    document.version = max(document.version, other.version)
  }

  // MARK: - Elements

  private mutating func adopt(
    _ element: EditableElement, _ kind: ElementKind, _ document: inout Document
  ) -> EditableElement {
    var adopted = EditableElement(kind)
    if case .source(let range, let name) = element.tag {
      let values = other.values
      let start = values.bytes(in: range)
      let end = values.bytes(in: name)
      adopted.tag = .raw(start.copy(of: start.indices), name: end.copy(of: end.indices))
    } else {
      adopted.tag = element.tag
    }
    for child in element.children {
      appendSpace(child.lead, to: &adopted)
      if let child = adopt(child, in: kind, &document) { adopted.children.append(child) }
    }
    appendSpace(element.tail, to: &adopted)
    return adopted
  }

  private func appendSpace(_ range: SourceRange, to element: inout EditableElement) {
    let values = other.values
    let bytes = values.bytes(in: range)
    element.appendRaw(bytes, bytes.indices)
  }

  private mutating func adopt(
    _ child: EditableChild, in parent: ElementKind, _ document: inout Document
  ) -> EditableChild? {
    var adopted = EditableChild(kind: child.kind, content: child.content)
    if parent == .binary, child.kind == .value {
      adopted.content = .text(adoptContent(of: child, &document))
      return adopted
    }
    switch child.content {
    case .nodes: return nil
    case .raw: return adopted
    case .element(let element):
      adopted.content = .element(adopt(element, child.kind, &document))
    case .text(let text):
      guard case .stored(let value, let isProtected) = text.text else { return nil }
      adopted.content = .text(
        TextElement(
          name: text.name, text: .stored(adopt(value, document), isProtected: isProtected)))
    case .source(let range):
      guard let content = adopt(range, child, &document) else { return nil }
      adopted.content = content
    }
    return adopted
  }

  /// An element of the other document's source.
  private mutating func adopt(
    _ range: SourceRange, _ child: EditableChild, _ document: inout Document
  ) -> EditableChild.Content? {
    let values = other.values
    if !isPlain(range) || child.kind == .binary {
      if let text = child.text(in: values), case .protected = text {
        return adoptProtected(text, at: range, child.kind, document)
      }
      return .element(adopt(child.expanded(in: values), child.kind, &document))
    }
    let isOtherSpelling = document.version.major != other.version.major
    if isOtherSpelling, child.kind.mayHoldTimes {
      return .element(adopt(child.expanded(in: values), child.kind, &document))
    }
    if isOtherSpelling, child.kind.isTime, let text = child.text(in: values),
      let time = VaultTime(text: values.bytes(of: text).span)
    {
      return .text(
        TextElement(
          name: child.kind.elementName,
          text: .stored(.plain(time.text(for: document.version)), isProtected: false)))
    }
    let bytes = values.bytes(in: range)
    return .raw(bytes.copy(of: bytes.indices))
  }

  /// Whether there is neither a protected value nor a reference to the pool in it.
  ///
  /// The text of an element that is just `<Value Protected="True"/>` begins where it ends.
  private func isPlain(_ range: SourceRange) -> Bool {
    let skeleton = other.values.skeleton
    let record = other.values.firstProtected(from: range.start)
    let reference = skeleton.references.firstIndex(notBefore: range.start) { $0.text.start }
    return
      !(record < skeleton.protected.count && skeleton.protected[record].text.start <= range.end)
      && !(reference < skeleton.references.count
        && skeleton.references[reference].text.start < range.end)
  }

  /// A protected value: of a field it stays protected, of another element we know it becomes plain.
  ///
  /// Of an unknown element, too: other programs would read all that comes after it as garbage
  /// (`docs/kdbx.md` 4.2). One that XML can't hold without protection is left behind.
  private func adoptProtected(
    _ text: StoredText, at range: SourceRange, _ kind: ElementKind, _ document: Document
  ) -> EditableChild.Content? {
    guard kind == .other else {
      return .text(
        TextElement(
          name: kind.elementName,
          text: .stored(adopt(text, document), isProtected: kind == .value)))
    }
    let values = other.values
    let bytes = values.bytes(in: range)
    let element = XMLElement(whole: bytes)
    var written = WipedBuffer()
    var opened = WipedBuffer()
    values.open(text, into: &opened)
    guard XMLText.canHold(opened.bytes) else { return nil }
    written.append("<")
    written.append(bytes.extracting(element.name))
    for attribute in element.attributes(in: bytes, without: ["Protected"]) {
      written.append(bytes.extracting(attribute))
    }
    written.append(">")
    XMLText.appendEscaped(opened.bytes, to: &written)
    written.append("</")
    written.append(bytes.extracting(element.name))
    written.append(">")
    return .raw(written.bytes.copy(of: 0..<written.count))
  }

  private func adopt(_ text: StoredText, _ document: Document) -> StoredText {
    if case .plain = text { return text }
    var opened = WipedBuffer()
    other.values.open(text, into: &opened)
    return document.values.seal(opened.bytes)
  }

  // MARK: - Attachments

  private mutating func adoptContent(
    of value: EditableChild, _ document: inout Document
  ) -> TextElement {
    let name = ElementKind.value.elementName
    guard let content = value.attachment(in: other.values) else {
      return TextElement(name: name, text: .attachment(.inline(.empty)))
    }
    return TextElement(name: name, text: .attachment(adopt(content, into: &document)))
  }

  /// A content of the other document, put into the pool.
  ///
  /// A content that is missing there, or can't be decoded, is missing here.
  package mutating func adopt(
    _ content: AttachmentContent, into document: inout Document
  ) -> AttachmentContent {
    if case .pool(let id) = content, let known = contents[id] { return known }
    var opened = WipedBuffer()
    do throws(DocumentError) {
      try other.open(content, into: &opened)
    } catch {
      return .pool(.nowhere)
    }
    let isProtected = if case .pool(let id) = content { other.flag(of: id) } else { false }
    let adopted = document.addBinary(
      document.values.source.sealingKey.seal(opened.bytes), isProtected: isProtected)
    if case .pool(let id) = content { contents[id] = adopted }
    return adopted
  }
}

extension BinaryID {
  /// The number of no content: a reference to it leads nowhere, in every program.
  static let nowhere = BinaryID(number: UInt32(Int32.max))
}

extension ElementKind {
  /// Whether a time may lie somewhere in the element.
  fileprivate var mayHoldTimes: Bool {
    switch self {
    case .times, .customData, .item, .history, .customIcons, .icon: true
    default: false
    }
  }
}
