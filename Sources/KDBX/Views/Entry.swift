/// A field of an entry: a key, a value, and whether the value is kept enciphered in the file.
package struct StringField: Sendable {
  package let key: [UInt8]
  package let value: StoredText
  package let isProtected: Bool

  package init(key: [UInt8], value: StoredText, isProtected: Bool) {
    self.key = key
    self.value = value
    self.isProtected = isProtected
  }
}

/// An entry, or an old version of one: a value, parsed from the document when it is asked for.
///
/// Reading costs microseconds and keeps nothing. Changes touch only the elements they are about;
/// ``Document/replace(_:with:)-(EntryID,_)`` puts the changed value into the document.
package struct Entry: Sendable {
  /// Makes a new entry as KeePass writes one: UUID, icon 0, all times `now`, never expiring, no
  /// fields.
  package init(uuid: VaultUUID, version: FormatVersion, at now: VaultTime) { fatalError("not yet") }

  /// Zero where the file has none.
  package var uuid: VaultUUID {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }

  // MARK: - Fields

  /// All fields in file order, also those whose key comes twice.
  package var strings: [StringField] { fatalError("not yet") }
  /// The last field of that key, as KeePass takes it.
  package func string(_ key: [UInt8]) -> StringField? { fatalError("not yet") }
  /// Changes the last field of that key in place, or adds one after the last field.
  package mutating func set(_ key: [UInt8], to value: StoredText, isProtected: Bool) {
    fatalError("not yet")
  }
  /// Removes all fields of that key; says whether there was one.
  @discardableResult
  package mutating func removeString(_ key: [UInt8]) -> Bool { fatalError("not yet") }
  /// Gives the last field of key `old` the key `new`; value, protection and place stay.
  ///
  /// Says whether there was one. The caller sees to it that no other has that key.
  @discardableResult
  package mutating func renameString(from old: [UInt8], to new: [UInt8]) -> Bool {
    fatalError("not yet")
  }
  /// The same for the field at `index` of ``strings``: to tell fields of one key apart.
  package mutating func renameString(at index: Int, to new: [UInt8]) { fatalError("not yet") }

  // MARK: - Attachments

  /// All attachments in file order, also those whose name comes twice.
  package var attachments: [AttachmentField] { fatalError("not yet") }
  /// The last attachment of that name, as KeePass takes it.
  package func attachment(_ name: [UInt8]) -> AttachmentField? { fatalError("not yet") }
  /// Changes the last attachment of that name in place, or adds one after the last attachment.
  package mutating func setAttachment(_ name: [UInt8], to content: AttachmentContent) {
    fatalError("not yet")
  }
  /// Removes all attachments of that name; says whether there was one.
  @discardableResult
  package mutating func removeAttachment(_ name: [UInt8]) -> Bool { fatalError("not yet") }
  /// Gives the last attachment of name `old` the name `new`.
  @discardableResult
  package mutating func renameAttachment(from old: [UInt8], to new: [UInt8]) -> Bool {
    fatalError("not yet")
  }
  /// The same for the attachment at `index` of ``attachments``.
  package mutating func renameAttachment(at index: Int, to new: [UInt8]) { fatalError("not yet") }

  // MARK: - Other properties

  /// The text of the tags as it stands in the file, with whatever separators.
  package var tags: [UInt8] {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var times: Times {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  /// The group that the entry was moved from (KDBX 4.1); setting `nil` removes the element.
  package var previousParentGroup: VaultUUID? {
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

  // MARK: - History

  package var historyCount: Int { fatalError("not yet") }
  /// The old versions in file order, which is oldest first.
  package var history: [Entry] { fatalError("not yet") }
  /// Adds an old version behind the others, without its own history.
  package mutating func appendHistory(_ old: Entry) { fatalError("not yet") }
  /// Removes the old versions at these places of ``history``.
  package mutating func removeHistory(at indices: [Int]) { fatalError("not yet") }
  /// The entry without its old versions.
  package var withoutHistory: Entry { fatalError("not yet") }

  /// Whether fields, protection, attachments, tags and all other children but Times and History are
  /// the same.
  package func sameContent(as other: Entry, values: ValueSource) -> Bool { fatalError("not yet") }
}
