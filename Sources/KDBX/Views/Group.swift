/// A group's own properties: a value, parsed from the document when it is asked for.
///
/// The entries and groups in it are the document's business. Setting a property to what it is
/// changes nothing in the file.
package struct Group: Sendable, ElementView {
  static let order: [ElementKind] = [
    .uuid, .name, .notes, .iconID, .customIconUUID, .times, .isExpanded, .defaultAutoTypeSequence,
    .enableAutoType, .enableSearching, .lastTopVisibleEntry, .previousParentGroup, .tags,
    .customData, .entry, .group,
  ]

  var element: EditableElement
  let values: ValueSource?
  private let version: FormatVersion

  init(_ element: EditableElement, _ values: ValueSource?, _ version: FormatVersion) {
    self.element = element
    self.values = values
    self.version = version
  }

  /// Makes a new group as KeePass writes one: icon 48, all times `now`, expanded, inheriting flags.
  package init(uuid: VaultUUID, name: [UInt8], version: FormatVersion, at now: VaultTime) {
    self.init(
      EditableElement(
        .group,
        children: [
          EditableChild(.uuid, uuid.base64), EditableChild(.name, name), EditableChild(.notes),
          EditableChild(.iconID, "48"),
          EditableChild(kind: .times, content: .element(Times(at: now, version).element)),
          EditableChild(.isExpanded, "True"), EditableChild(.defaultAutoTypeSequence),
          EditableChild(.enableAutoType, "null"), EditableChild(.enableSearching, "null"),
          EditableChild(.lastTopVisibleEntry, VaultUUID.zero.base64),
        ]),
      nil, version)
  }

  /// Zero where the file has none.
  package var uuid: VaultUUID {
    get { uuid(.uuid) ?? .zero }
    set { set(.uuid, to: newValue) }
  }
  package var name: [UInt8] {
    get { bytes(.name) ?? [] }
    set { set(.name, to: newValue) }
  }
  /// Setting `nil` removes the element.
  package var notes: StoredText? {
    get { element.text(.notes, in: values) }
    set { if let newValue { set(.notes, to: newValue) } else { element.remove(.notes) } }
  }
  package var times: Times {
    get { times(version) }
    set { set(newValue) }
  }
  /// 48, the folder, where the file says none.
  package var iconID: Int {
    get { Int(clamping: integer(.iconID) ?? 48) }
    set { set(.iconID, to: Int64(newValue)) }
  }
  /// Setting `nil` removes the element.
  package var customIcon: VaultUUID? {
    get { uuid(.customIconUUID).flatMap { $0.isZero ? nil : $0 } }
    set { set(.customIconUUID, to: newValue) }
  }
  /// The text of the tags as it stands in the file (KDBX 4.1).
  package var tags: [UInt8] {
    get { bytes(.tags) ?? [] }
    set { if tags != newValue { set(.tags, to: newValue) } }
  }
  /// The group that it was moved from (KDBX 4.1); setting `nil` removes the element.
  package var previousParentGroup: VaultUUID? {
    get { uuid(.previousParentGroup).flatMap { $0.isZero ? nil : $0 } }
    set { set(.previousParentGroup, to: newValue) }
  }
  package var isExpanded: Bool {
    get { bool(.isExpanded) ?? true }
    set { if isExpanded != newValue { set(.isExpanded, to: newValue) } }
  }
  /// `nil` means "as the group above".
  package var enableAutoType: Bool? {
    get { bool(.enableAutoType) }
    set { set(.enableAutoType, to: newValue) }
  }
  /// `nil` means "as the group above".
  package var enableSearching: Bool? {
    get { bool(.enableSearching) }
    set { set(.enableSearching, to: newValue) }
  }
}
