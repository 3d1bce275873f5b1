/// An entry, or an old version of one: a value, parsed from the document when it is asked for.
///
/// Reading costs microseconds and keeps nothing. Changes touch only the elements they are about, and
/// setting a property to what it is changes nothing; ``Document/replace(_:with:)-(EntryID,_)`` puts
/// the changed value into the document.
package struct Entry: Sendable, ElementView {
  static let order: [ElementKind] = [
    .uuid, .iconID, .customIconUUID, .foregroundColor, .backgroundColor, .overrideURL,
    .qualityCheck, .tags, .previousParentGroup, .times, .string, .binary, .autoType, .customData,
    .history,
  ]

  var element: EditableElement
  private(set) var values: ValueSource?
  let version: FormatVersion

  init(_ element: EditableElement, _ values: ValueSource?, _ version: FormatVersion) {
    self.element = element
    self.values = values
    self.version = version
  }

  /// Makes a new entry as KeePass writes one: UUID, icon 0, all times `now`, never expiring, no
  /// fields.
  package init(uuid: VaultUUID, version: FormatVersion, at now: VaultTime) {
    self.init(
      EditableElement(
        .entry,
        children: [
          EditableChild(.uuid, uuid.base64), EditableChild(.iconID, "0"),
          EditableChild(.foregroundColor), EditableChild(.backgroundColor),
          EditableChild(.overrideURL), EditableChild(.tags),
          EditableChild(kind: .times, content: .element(Times(at: now, version).element)),
          EditableChild(
            kind: .autoType,
            content: .element(
              EditableElement(
                .autoType,
                children: [
                  EditableChild(.enabled, "True"), EditableChild(.dataTransferObfuscation, "0"),
                ]))),
          EditableChild(kind: .history, content: .element(EditableElement(.history))),
        ]),
      nil, version)
  }

  /// Zero where the file has none.
  package var uuid: VaultUUID {
    get { uuid(.uuid) ?? .zero }
    set { set(.uuid, to: newValue) }
  }
  /// The text of the tags as it stands in the file, with whatever separators.
  package var tags: [UInt8] {
    get { bytes(.tags) ?? [] }
    set { if tags != newValue { set(.tags, to: newValue) } }
  }
  package var times: Times {
    get { times(version) }
    set { set(newValue) }
  }
  /// The group that the entry was moved from (KDBX 4.1); setting `nil` removes the element.
  package var previousParentGroup: VaultUUID? {
    get { uuid(.previousParentGroup).flatMap { $0.isZero ? nil : $0 } }
    set { set(.previousParentGroup, to: newValue) }
  }
  package var iconID: Int {
    get { Int(clamping: integer(.iconID) ?? 0) }
    set { set(.iconID, to: Int64(newValue)) }
  }
  /// Setting `nil` removes the element.
  package var customIcon: VaultUUID? {
    get { uuid(.customIconUUID).flatMap { $0.isZero ? nil : $0 } }
    set { set(.customIconUUID, to: newValue) }
  }

  // MARK: - History

  package var historyCount: Int {
    guard let index = element.lastIndex(of: .history) else { return 0 }
    switch element.children[index].content {
    case .source(let range):
      guard let values else { return 0 }
      return EditableElement(range, in: values).children.count { $0.kind == .entry }
    case .element(let history): return history.children.count { $0.kind == .entry }
    case .raw(let bytes): return EditableElement(raw: bytes).children.count { $0.kind == .entry }
    case .text, .nodes: return 0
    }
  }

  /// The old versions in file order, which is oldest first.
  package var history: [Entry] {
    guard let index = element.lastIndex(of: .history) else { return [] }
    return element.children[index].expanded(in: values).children.compactMap { child in
      guard child.kind == .entry else { return nil }
      return Entry(child.expanded(in: values), values, version)
    }
  }

  /// Adds an old version behind the others, without its own history.
  package mutating func appendHistory(_ old: Entry) {
    // A new entry has nothing from the source until it is given something.
    values = values ?? old.values
    var history =
      element.lastIndex(of: .history).map { element.children[$0].expanded(in: values) }
      ?? EditableElement(.history)
    history.insert(
      .entry, .element(old.withoutHistory.element), order: [.entry], in: values)
    element.set(.history, to: .element(history), order: Self.order, in: values)
  }

  /// Removes the old versions at these places of ``history``.
  package mutating func removeHistory(at indices: [Int]) {
    guard !indices.isEmpty, let index = element.lastIndex(of: .history) else { return }
    var history = element.children[index].expanded(in: values)
    let dropped = Set(indices)
    var place = -1
    history.children.removeAll { child in
      guard child.kind == .entry else { return false }
      place += 1
      return dropped.contains(place)
    }
    element.children[index].content = .element(history)
  }

  /// The entry without its old versions.
  package var withoutHistory: Entry {
    var copy = self
    copy.element.remove(.history)
    return copy
  }
}
