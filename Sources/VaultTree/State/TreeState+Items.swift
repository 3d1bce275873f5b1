import Ciphers
import KDBX
import Secrets
import Vault

// What is shown of an entry: which names, which values.

extension TreeState {
  /// Whether an item of an entry is there.
  mutating func isShown(_ key: ItemKey, _ owner: UInt64) throws(TreeError) -> Bool {
    if key.isCode { showCodes(owner) }
    switch entries[owner]?.overlays[key] {
    case .fresh: return true
    case .absent, .ghost: return false
    case nil: break
    }
    switch key {
    case .attachments: return try hasAttachments(owner)
    case .version(let name): return try version(named: name, owner) != nil
    case .inVersion(let name, let key):
      guard let version = try version(named: name, owner) else { return false }
      return version.has(key)
    default: return try isInDocument(key, owner)
    }
  }

  /// Whether the document has an item, whatever the tree shows.
  mutating func isInDocument(_ key: ItemKey, _ owner: UInt64) throws(TreeError) -> Bool {
    switch key {
    case .totp: try codes(owner).time == .present
    case .hotp: try codes(owner).counter == .present
    default: try view(owner).has(key)
    }
  }

  private mutating func hasAttachments(_ owner: UInt64) throws(TreeError) -> Bool {
    if entries[owner]?.hasMadeAttachments == true { return true }
    if scratchNames[.attachments(owner)]?.isEmpty == false { return true }
    return try !shownAttachments(owner).isEmpty
  }

  /// The item that a name of an entry's directory means, whether it is there or not.
  mutating func itemKey(named name: [UInt8], _ owner: UInt64) throws(TreeError) -> ItemKey? {
    if let key = FieldNames.standardKey(of: name) { return .field(key) }
    if let key = Self.ownKey(named: name) { return key }
    if let field = try view(owner).field(named: name) { return .field(field.key) }
    guard let overlays = entries[owner]?.overlays, !overlays.isEmpty else { return nil }
    let key = ItemKey.field(name == FieldNames.nameless ? [] : NameCoding.decoded(name))
    guard overlays[key] != nil, try fileName(of: key, owner) == name else { return nil }
    return key
  }

  /// The attachment that a name means, whether it is there or not.
  mutating func attachmentKey(named name: [UInt8], _ owner: UInt64) throws(TreeError) -> ItemKey? {
    if let attachment = try view(owner).attachment(named: name) {
      return .attachment(attachment.name)
    }
    guard let overlays = entries[owner]?.overlays, !overlays.isEmpty else { return nil }
    let key = ItemKey.attachment(name == FieldNames.nameless ? [] : NameCoding.decoded(name))
    guard overlays[key] != nil, try fileName(of: key, owner) == name else { return nil }
    return key
  }

  /// The items that have a name of the tree's own.
  private static func ownKey(named name: [UInt8]) -> ItemKey? {
    switch name {
    case ReservedName.tags: .tags
    case ReservedName.expires: .expires
    case ReservedName.totp: .totp
    case ReservedName.hotp: .hotp
    case ReservedName.attachments: .attachments
    case ReservedName.history: .history
    case ReservedName.json: .json
    case ReservedName.env: .env
    default: nil
    }
  }

  /// The file name of an item in its directory.
  mutating func fileName(of key: ItemKey, _ owner: UInt64) throws(TreeError) -> [UInt8] {
    let view = try view(owner)
    return Self.fileName(of: key, in: view)
  }

  static func fileName(of key: ItemKey, in view: EntryView) -> [UInt8] {
    switch key {
    case .field(let key):
      FieldNames.standardFileName(of: key) ?? view.field(key)?.fileName
        ?? FieldNames.fileName(of: key, in: .entry)
    case .attachment(let name):
      view.attachment(name)?.fileName ?? FieldNames.fileName(of: name, in: .attachments)
    case .tags: ReservedName.tags
    case .expires: ReservedName.expires
    case .totp: ReservedName.totp
    case .hotp: ReservedName.hotp
    case .attachments: ReservedName.attachments
    case .history: ReservedName.history
    case .json: ReservedName.json
    case .env: ReservedName.env
    case .version(let name): name
    case .inVersion(_, let key): fileName(of: key, in: view)
    }
  }

  // MARK: - Listings

  /// The files of an entry's directory but for temporary ones, in listing order.
  ///
  /// The code stands before its secret: who removes one after the other still finds it.
  mutating func shownItems(_ owner: UInt64) throws(TreeError) -> [ItemKey] {
    let view = try view(owner)
    var keys = FieldNames.shownStandardKeys.map { ItemKey.field($0) }
    keys += [.totp, .hotp]
    keys += view.fields
      .filter { FieldNames.standardFileName(of: $0.key) == nil }
      .map { .field($0.key) }
    keys += newItems(owner).map(\.key).filter { key in
      guard case .field(let field) = key else { return false }
      return !FieldNames.isShownStandard(field) && view.field(field) == nil
    }
    keys += [.tags, .expires, .attachments]
    var shown: [ItemKey] = []
    for key in keys where try isShown(key, owner) { shown.append(key) }
    return shown
  }

  /// The files of an entry's `attachments` directory but for temporary ones.
  mutating func shownAttachments(_ owner: UInt64) throws(TreeError) -> [ItemKey] {
    let view = try view(owner)
    guard let overlays = entries[owner]?.overlays, !overlays.isEmpty else {
      return view.attachments.map { .attachment($0.name) }
    }
    var keys: [ItemKey] = []
    for attachment in view.attachments where try isShown(.attachment(attachment.name), owner) {
      keys.append(.attachment(attachment.name))
    }
    return keys
      + newItems(owner).map(\.key).filter { key in
        guard case .attachment(let name) = key else { return false }
        return view.attachment(name) == nil
      }
  }

  // MARK: - Values

  /// What reading a file of an entry gives; nil where nothing answers to its name.
  mutating func reachableValue(
    of key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> ShownValue? {
    try isReachable(key, owner) ? shown(key, owner) : nil
  }

  /// The same of a file that is there.
  mutating func shownValue(of key: ItemKey, _ owner: UInt64) throws(TreeError) -> RestingBytes {
    try shown(key, owner).bytes
  }

  private mutating func shown(_ key: ItemKey, _ owner: UInt64) throws(TreeError) -> ShownValue {
    switch entries[owner]?.overlays[key] {
    case .fresh(let fresh): return ShownValue(bytes: fresh.value)
    case .ghost: return ShownValue(bytes: .empty)
    case .absent, nil: break
    }
    guard case .field(let field) = key else {
      return ShownValue(bytes: try storedValue(of: key, owner))
    }
    // Looked up before: within the call it would take a copy of the whole state.
    let view = try view(owner)
    return shownField(field, in: view, owner: owner)
  }

  /// The same as the document has it, whatever the tree shows.
  mutating func storedValue(of key: ItemKey, _ owner: UInt64) throws(TreeError) -> RestingBytes {
    if case .inVersion(let name, let key) = key {
      guard let version = try version(named: name, owner) else { throw .noEntry }
      return try value(of: key, in: version, owner: nil)
    }
    switch key {
    case .json: return .text(.sealed(try entryJSON(owner)))
    case .env: return .text(.sealed(try entryVariables(owner)))
    default: return try value(of: key, in: try view(owner), owner: owner)
    }
  }

  /// What a view has; `owner` is nil for an old version, whose references are shown as they stand.
  mutating func value(
    of key: ItemKey, in view: EntryView, owner: UInt64?
  ) throws(TreeError) -> RestingBytes {
    switch key {
    case .field(let key): return shownField(key, in: view, owner: owner).bytes
    case .attachment(let name):
      guard let attachment = view.attachment(name) else { throw .noEntry }
      return .content(attachment.content)
    case .tags: return .text(.plain(view.tags))
    case .expires: return .text(.plain(view.expires))
    case .totp, .hotp:
      guard let owner, case .code(let code) = code(key, of: try filledEntry(owner)) else {
        throw .noEntry
      }
      return .text(.sealed(sealing.seal(code.text.span)))
    case .attachments, .history, .version, .inVersion: throw .isDirectory
    case .json, .env: throw .noEntry
    }
  }

  /// The code that the file `totp` or `hotp` shows now.
  func code(_ key: ItemKey, of entry: Entry) -> OneTimeCodeResult {
    key == .totp
      ? vault.oneTimeCode(of: entry, at: now().seconds) : vault.counterCode(of: entry)
  }

  /// A field's value with its references and placeholders resolved; nil where it has none.
  private func resolved(
    _ key: [UInt8], _ owner: UInt64
  ) -> StoredText? {
    guard let id = try? entryID(owner) else { return nil }
    var resolved = WipedBuffer()
    let context = PlaceholderContext(unixSeconds: now().seconds)
    guard
      vault.resolve(
        key, of: vault.document.entry(id), in: vault.document.parent(of: .entry(id)), context,
        into: &resolved)
    else { return nil }
    return .sealed(sealing.seal(resolved.bytes))
  }

  /// What the document has of a field, as it is shown.
  func shownField(_ key: [UInt8], in view: EntryView, owner: UInt64?) -> ShownValue {
    guard let place = view.index(of: key) else { return ShownValue(bytes: .empty) }
    if view.fields[place].mayRefer, let owner, let resolved = resolved(key, owner) {
      return ShownValue(bytes: .text(resolved), isResolved: true)
    }
    return ShownValue(bytes: .text(view.fields[place].value))
  }

  // MARK: - Times

  /// When an item last changed in this mount, else the time of its entry.
  mutating func modified(_ key: ItemKey, _ owner: UInt64) throws(TreeError) -> Timestamp {
    if let entry = entries[owner] {
      if let time = entry.changed[key] { return time }
      if let time = entry.firstModified { return time }
    }
    return Timestamp(try view(owner).modified) ?? started
  }
}

/// What reading a file gives.
struct ShownValue: Sendable {
  let bytes: RestingBytes
  /// Whether it is what a field's references and placeholders mean: then it may change without an edit of
  /// its own.
  var isResolved = false
}

extension Timestamp {
  init?(_ time: VaultTime?) {
    guard let time else { return nil }
    self.init(seconds: time.unixSeconds)
  }
}
