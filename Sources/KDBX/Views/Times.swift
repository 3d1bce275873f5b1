/// The times of an entry or group.
///
/// Setting one changes only its own element: the others keep their text, whatever their spelling.
/// Setting one to what it is changes nothing, and setting one to `nil` removes its element.
package struct Times: Sendable, ElementView {
  static let order: [ElementKind] = [
    .creationTime, .lastModificationTime, .lastAccessTime, .expiryTime, .expires, .usageCount,
    .locationChanged,
  ]

  var element: EditableElement
  let values: ValueSource?
  private let version: FormatVersion

  init(_ element: EditableElement, _ values: ValueSource?, _ version: FormatVersion) {
    self.element = element
    self.values = values
    self.version = version
  }

  /// New times, all of them `now`.
  init(at now: VaultTime, _ version: FormatVersion) {
    let text = now.text(for: version)
    self.init(
      EditableElement(
        .times,
        children: [
          EditableChild(.creationTime, text), EditableChild(.lastModificationTime, text),
          EditableChild(.lastAccessTime, text), EditableChild(.expiryTime, text),
          EditableChild(.expires, "False"), EditableChild(.usageCount, "0"),
          EditableChild(.locationChanged, text),
        ]),
      nil, version)
  }

  package var creation: VaultTime? {
    get { time(.creationTime) }
    set { set(.creationTime, to: newValue, for: version) }
  }
  package var lastModification: VaultTime? {
    get { time(.lastModificationTime) }
    set { set(.lastModificationTime, to: newValue, for: version) }
  }
  package var lastAccess: VaultTime? {
    get { time(.lastAccessTime) }
    set { set(.lastAccessTime, to: newValue, for: version) }
  }
  /// When it expires, if ``expires``; kept also if not.
  package var expiry: VaultTime? {
    get { time(.expiryTime) }
    set { set(.expiryTime, to: newValue, for: version) }
  }
  package var locationChanged: VaultTime? {
    get { time(.locationChanged) }
    set { set(.locationChanged, to: newValue, for: version) }
  }
  package var expires: Bool {
    get { bool(.expires) ?? false }
    set { if expires != newValue { set(.expires, to: newValue) } }
  }
  /// Zero where the file says none.
  package var usageCount: Int {
    get { Int(clamping: integer(.usageCount) ?? 0) }
    set { if usageCount != newValue { set(.usageCount, to: Int64(newValue)) } }
  }
}

extension ElementView {
  func times(_ version: FormatVersion) -> Times {
    guard let index = element.lastIndex(of: .times) else {
      return Times(EditableElement(.times), values, version)
    }
    return Times(element.children[index].expanded(in: values), values, version)
  }

  mutating func set(_ times: Times) {
    if times.element.children.isEmpty, element.lastIndex(of: .times) == nil { return }
    element.set(.times, to: .element(times.element), order: Self.order, in: values)
  }
}
