/// An entry, a group or Meta as a merge sees it: in parts that can be compared with those of another
/// document.
///
/// Left out are UUID, times but for expiry, history, where something lies and was before, and what
/// is the business of the file or of who shows it.
package struct ElementParts: Sendable {
  private let times: Times?
  private let document: Document
  /// The standard icon of what names none, as it is written; empty for what has no icon.
  private let usualIcon: [UInt8]
  /// All parts, each once, in the order of the file.
  package private(set) var parts: [ElementPart] = []
  /// What each part but the expiry is made of.
  private var children: [ElementPart: [EditableChild]] = [:]

  package init(_ entry: Entry, in document: Document) {
    self.init(entry.element, entry.times, usualIcon: "0", document)
  }

  package init(_ group: Group, in document: Document) {
    self.init(group.element, group.times, usualIcon: "48", document)
  }

  package init(_ meta: Meta, in document: Document) {
    self.init(meta.element, nil, usualIcon: "", document)
  }

  private init(
    _ element: EditableElement, _ times: Times?, usualIcon: String, _ document: Document
  ) {
    self.times = times
    self.usualIcon = Array(usualIcon.utf8)
    self.document = document
    if times != nil { parts.append(.expiry) }
    for child in element.children {
      if let list = ElementPart.ItemList(child.kind) {
        for item in child.expanded(in: values).children {
          guard let key = item.key(list, in: values), key != Self.stamp else { continue }
          add(item, .item(list, key))
        }
      } else if let part = child.part(in: values) {
        add(child, part)
      }
    }
  }

  /// What KeePassXC notes of its own changes to custom data: no data itself.
  private static let stamp = Array("_LAST_MODIFIED".utf8)

  private mutating func add(_ child: EditableChild, _ part: ElementPart) {
    if children[part] == nil { parts.append(part) }
    children[part, default: []].append(child)
  }

  private var values: ValueSource { document.values }

  // MARK: - What there is

  /// The parts that are here, there, or on both sides.
  package func parts(with other: ElementParts) -> [ElementPart] {
    let known = Set(parts)
    return parts + other.parts.filter { !known.contains($0) }
  }

  /// Whether there is a part at all, be it an empty one; icon and expiry always are.
  package func has(_ part: ElementPart) -> Bool {
    part == .icon || part == .expiry ? true : children[part] != nil
  }

  /// Whether there is an item of custom data.
  package var hasCustomData: Bool {
    parts.contains { part in
      if case .item(.customData, _) = part { true } else { false }
    }
  }

  /// The time that the last child of that name holds.
  package func time(_ name: [UInt8]) -> VaultTime? {
    children[.element(name)]?.last
      .flatMap { VaultTime(text: PlainElement($0, in: values).text.span) }
  }

  /// The time at which an item of a list was changed, where it says so.
  package func changeTime(of part: ElementPart) -> VaultTime? {
    children[part]?.last.flatMap { item in
      item.expanded(in: values).bytes(.lastModificationTime, in: values)
        .flatMap { VaultTime(text: $0.span) }
    }
  }

  /// The UUID that the last child of that name holds.
  package func uuid(_ name: [UInt8]) -> VaultUUID? {
    children[.element(name)]?.last
      .flatMap { VaultUUID(base64: PlainElement($0, in: values).text.span) }
  }

  // MARK: - Comparing

  /// Whether a part says the same here and there.
  ///
  /// A field that is missing is the same as an empty one only where it is a standard field; whether
  /// it is protected doesn't count. An element that is missing is the same as an empty one, and a missing
  /// icon the usual one, which KeePassXC writes out. When an item was changed doesn't count.
  package func isSame(_ part: ElementPart, as other: ElementParts) -> Bool {
    switch part {
    case .string(let key): sameField(key, other)
    case .attachment: sameAttachment(part, other)
    case .icon: icon == other.icon
    case .expiry:
      times?.expires == other.times?.expires && times?.expiry == other.times?.expiry
    case .element: plain(part) == other.plain(part)
    case .item: item(part) == other.item(part)
    }
  }

  /// Whether all parts say the same.
  package func isSame(as other: ElementParts) -> Bool {
    parts(with: other).allSatisfy { isSame($0, as: other) }
  }

  /// The elements of a part; an element that says nothing counts as none.
  private func plain(_ part: ElementPart) -> [PlainElement] {
    (children[part] ?? []).map { PlainElement($0, in: values) }.filter { !$0.isEmpty }
  }

  /// An item without its time; of several with one key the last.
  private func item(_ part: ElementPart) -> PlainElement? {
    guard let child = children[part]?.last else { return nil }
    var plain = PlainElement(child, in: values)
    let time = Array("LastModificationTime".utf8)
    plain.children.removeAll { $0.name == time || $0.isEmpty }
    return plain
  }

  private var icon: [[UInt8]] {
    [ElementKind.iconID, .customIconUUID].map { kind in
      let child = children[.icon]?.last { $0.kind == kind }
      let bytes = child?.text(in: values).map { values.bytes(of: $0) } ?? []
      return bytes.isEmpty && kind == .iconID ? usualIcon : bytes
    }
  }

  private func sameField(_ key: [UInt8], _ other: ElementParts) -> Bool {
    let mine = field(key)
    let theirs = other.field(key)
    guard let mine, let theirs else {
      guard let text = mine ?? theirs else { return true }
      let source = mine == nil ? other.values : values
      return Self.standardKeys.contains(key) && source.count(of: text) == 0
    }
    return document.same(mine, theirs, in: other.document)
  }

  private static let standardKeys = Set(
    ["Title", "UserName", "Password", "URL", "Notes"].map { Array($0.utf8) })

  /// The value of a field; of several with one key the last counts, as in KeePass.
  private func field(_ key: [UInt8]) -> StoredText? {
    children[.string(key)]?.last.map {
      $0.expanded(in: values).text(.value, in: values) ?? .empty
    }
  }

  private func sameAttachment(_ part: ElementPart, _ other: ElementParts) -> Bool {
    guard let mine = content(part), let theirs = other.content(part) else {
      return content(part) == nil && other.content(part) == nil
    }
    if values === other.values, mine == theirs { return true }
    return document.sameContent(mine, theirs, in: other.document)
  }

  private func content(_ part: ElementPart) -> AttachmentContent? {
    guard let child = children[part]?.last else { return nil }
    let binary = child.expanded(in: values)
    return binary.lastIndex(of: .value).flatMap {
      binary.children[$0].attachment(in: values)
    } ?? .inline(.empty)
  }
}
