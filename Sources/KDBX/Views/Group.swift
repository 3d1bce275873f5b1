/// A group's own properties: a value, parsed from the document when it is asked for.
///
/// The entries and groups in it are the document's business.
package struct Group: Sendable {
  /// Makes a new group as KeePass writes one: icon 48, all times `now`, expanded, inheriting flags.
  package init(uuid: VaultUUID, name: [UInt8], version: FormatVersion, at now: VaultTime) {
    fatalError("not yet")
  }

  /// Zero where the file has none.
  package var uuid: VaultUUID {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var name: [UInt8] {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var notes: StoredText? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var times: Times {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var iconID: Int {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var customIcon: VaultUUID? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// The text of the tags as it stands in the file (KDBX 4.1).
  package var tags: [UInt8] {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// The group that it was moved from (KDBX 4.1); setting `nil` removes the element.
  package var previousParentGroup: VaultUUID? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var isExpanded: Bool {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// `nil` means "as the group above".
  package var enableAutoType: Bool? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// `nil` means "as the group above".
  package var enableSearching: Bool? {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
}
