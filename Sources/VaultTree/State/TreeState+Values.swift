import Ciphers
import KDBX
import Secrets
import Vault

// Storing values: what a settled write, a rename or a removal does to an entry.

/// A value that was judged and can be stored.
enum NewValue: Sendable {
  /// Whether something of the vault is different after it.
  var isChange: Bool {
    switch self {
    case .unchanged, .code: false
    case .text, .bytes, .tags, .expiry, .secret: true
    }
  }

  /// A field's value, or a group's notes.
  case text(StoredText)
  /// An attachment's bytes; empty ones too.
  case bytes(SealedBytes)
  /// The tags, as they are to be stored.
  case tags([UInt8])
  case expiry(ExpiryText.Expiry)
  /// An otpauth URI or a base32 key.
  case secret(SealedBytes)
  /// A one-time code of a moment that has passed.
  case code
  /// What is there already, or means nothing.
  case unchanged
}

extension TreeState {
  /// Stores a value in a file of an entry and shows it there.
  mutating func store(
    _ value: NewValue, in key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    try watchingCodes(of: owner) { (state) throws(TreeError) in
      try state.storeUnwatched(value, in: key, owner, at: time)
    }
  }

  private mutating func storeUnwatched(
    _ value: NewValue, in key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    switch (key, value) {
    case (_, .unchanged):
      try settleUnchanged(key, owner, at: time)
      return
    case (.field(let field), .text(let text)):
      if try isNewName(key, owner) {
        try storeFresh(.text(text), key, owner, at: time)
      } else {
        let isProtected =
          try view(owner).field(field)?.isProtected ?? vault.protectsNewField(field)
        try edit(owner, .change, at: time) { (entry) throws(TreeError) in
          entry.set(field, to: text, isProtected: isProtected)
        }
        show(key, owner)
      }
    case (.attachment(let name), .bytes(let bytes)):
      let old = try view(owner).attachment(name)?.content
      let isProtected = old.map { vault.document.isProtected($0) } ?? false
      let content = vault.changeDocument { $0.addBinary(bytes, isProtected: isProtected) }
      if try isNewName(key, owner) {
        try storeFresh(.content(content), key, owner, at: time)
      } else {
        try edit(owner, .change, at: time) { (entry) throws(TreeError) in
          entry.setAttachment(name, to: content)
        }
        show(key, owner)
      }
    case (.tags, .tags(let raw)):
      try edit(owner, .change, at: time) { (entry) throws(TreeError) in entry.tags = raw }
      try showIfSet(key, owner)
    case (.expires, .expiry(let expiry)):
      try edit(owner, .change, at: time) { (entry) throws(TreeError) in entry.set(expiry) }
      try showIfSet(key, owner)
    case (.totp, .secret(let text)):
      try setSecret(text, kind: .time, owner, at: time)
      show(key, owner)
    case (.hotp, .secret(let text)):
      try setSecret(text, kind: .counter, owner, at: time)
      show(key, owner)
    case (.totp, .code), (.hotp, .code):
      try dropCode(key, owner)
    default:
      throw .invalid
    }
    try noteChange(of: key, owner, at: time)
  }

  /// Whether a file is under a name that isn't in the document.
  mutating func isNewName(_ key: ItemKey, _ owner: UInt64) throws(TreeError) -> Bool {
    try !isInDocument(key, owner)
  }

  /// A value that settled is what is there: the name is shown, whatever it was before.
  private mutating func settleUnchanged(
    _ key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    guard try isNewName(key, owner) else {
      if entries[owner] != nil { show(key, owner) }
      return
    }
    if case .attachment = key, !isContent(entries[owner]?.overlays[key]?.fresh?.value) {
      // Empty, and content all the same, which a new name has none of.
      return try storeUnwatched(.bytes(sealing.seal([UInt8]().span)), in: key, owner, at: time)
    }
    if var fresh = entries[owner]?.overlays[key]?.fresh, !key.isUnlistedWhenEmpty {
      fresh.hasSettled = true
      entries[owner]?.overlays[key] = .fresh(fresh)
      noteKind(.change, owner)
      events.wantsSave = true
      return
    }
    switch key {
    case .field: try storeFresh(.empty, key, owner, at: time)
    case .tags, .expires: entries[owner]?.overlays[key] = .ghost(isReachable: true)
    case .totp, .hotp: try dropCode(key, owner)
    case .attachment, .attachments, .history, .version, .inVersion, .json, .env: break
    }
  }

  private func isContent(_ value: RestingBytes?) -> Bool {
    if case .content = value { true } else { false }
  }

  private mutating func storeFresh(
    _ value: RestingBytes, _ key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    try touch(owner)
    var fresh = entries[owner]?.overlays[key]?.fresh ?? newItem(key, owner, at: time)
    if fresh.writers <= 0 { fresh.closed = fresh.closed ?? options.monotonic() }
    fresh.value = value
    fresh.hasSettled = true
    entries[owner]?.overlays[key] = .fresh(fresh)
    noteKind(.change, owner)
    noteEdit(owner)
  }

  /// Shows what the document has under a name, and that nothing else holds its value.
  private mutating func show(_ key: ItemKey, _ owner: UInt64) {
    entries[owner]?.overlays[key] = nil
    if case .field(let field) = key { entries[owner]?.stripped.remove(field) }
    occupy(key, owner)
    forgetView(owner)
  }

  /// The same for what is listed only while it is set; written empty it answers till the unmount.
  private mutating func showIfSet(_ key: ItemKey, _ owner: UInt64) throws(TreeError) {
    show(key, owner)
    if try isNewName(key, owner) { entries[owner]?.overlays[key] = .ghost(isReachable: true) }
    events.invalidations.append(.listing(Slot.node(owner, Slot.own)))
  }

  /// Something has taken the place of a field whose name was moved aside.
  private mutating func occupy(_ key: ItemKey, _ owner: UInt64) {
    guard let id = entries[owner]?.vacated.removeValue(forKey: key) else { return }
    scratches[id]?.vacates = nil
  }

  private mutating func setSecret(
    _ text: SealedBytes, kind: OneTimeKind, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    var plain = WipedBuffer()
    text.open(into: &plain)
    // A secret that isn't in the document yet is the one to change.
    for (key, fresh) in newItems(owner) where fresh.hasSettled {
      if case .field = key, try isNewName(key, owner) { try storeNow(fresh, key, owner) }
    }
    // Made beside the vault, not within its edit: a copy of it there would copy all of the document.
    var changed = vault.document.entry(try entryID(owner))
    Self.mend(&changed)
    // What was removed is no form of the secret any more, though the document has it until the save.
    for field in entries[owner]?.stripped ?? [] { changed.removeString(field) }
    let written: Set<[UInt8]>
    do throws(OneTimeProblem) {
      written = try vault.setOneTimeSecret(plain.bytes, kind: kind, in: &changed)
    } catch {
      throw .invalid
    }
    let known = Set(try view(owner).fields.map(\.key))
    try edit(owner, .change, at: time) { (entry) throws(TreeError) in entry = changed }
    entries[owner]?.stripped = []
    // One that was removed, or moved aside, is there again.
    for field in written where entries[owner]?.overlays[.field(field)]?.fresh == nil {
      show(.field(field), owner)
    }
    let directory = Slot.node(owner, Slot.own)
    events.invalidations.append(.listing(directory))
    for field in try view(owner).fields where !known.contains(field.key) {
      events.invalidations.append(.name(in: directory, field.fileName))
    }
  }

  /// Takes a code and drops it: a copy of a tree brings back old ones.
  private mutating func dropCode(_ key: ItemKey, _ owner: UInt64) throws(TreeError) {
    let kind: OneTimeKind = key == .totp ? .time : .counter
    let id = try entryID(owner)
    let hasSecret = vault.hasOneTimeSecret(kind, in: try filledEntry(owner))
    guard hasSecret || newEntries.contains(id) else { throw .invalid }
    entries[owner]?.codeRemovals[key] = nil
    guard try isShown(key, owner), entries[owner]?.overlays[key]?.fresh != nil else { return }
    // Shows the code again when there is one; else answers the rest of the copy.
    let isThere = try isInDocument(key, owner)
    entries[owner]?.overlays[key] = isThere ? nil : .ghost(isReachable: true)
  }

  // MARK: - Removing

  /// Removes a file of an entry: what it holds goes, its name is no more.
  mutating func removeItem(_ key: ItemKey, _ owner: UInt64) throws(TreeError) {
    let time = now()
    try watchingCodes(of: owner) { (state) throws(TreeError) in
      try state.removeUnwatched(key, owner, at: time)
    }
  }

  private mutating func removeUnwatched(
    _ key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    try touch(owner)
    if entries[owner]?.overlays[key]?.fresh != nil {
      try removeFresh(key, owner)
    } else {
      try clear(key, owner, at: time)
      entries[owner]?.overlays[key] = .absent
      entries[owner]?.changed[key] = time
    }
    try retireNumber(of: key, owner)
    if case .attachment = key { try noteLastAttachment(owner) }
  }

  private mutating func removeFresh(_ key: ItemKey, _ owner: UInt64) throws(TreeError) {
    // A value in the document behind it is a field's whose name was moved aside: it stays for that.
    let isInDocument = try !isNewName(key, owner)
    noteKind(.removal, owner, full: try materialized(owner), base: try baseOfNewNames(owner))
    entries[owner]?.overlays[key] = isInDocument ? .absent : nil
    noteEdit(owner)
  }

  /// Takes a file's value out of the document.
  mutating func clear(
    _ key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    switch key {
    case .field(let field):
      let old = try view(owner).field(field)
      try edit(owner, .removal, at: time) { (entry) throws(TreeError) in
        guard let old = entry.string(field) else { return }
        entry.set(field, to: .empty, isProtected: old.isProtected)
      }
      guard let old, !FieldNames.isShownStandard(field) else { return }
      entries[owner]?.protections[field] = old.isProtected
      entries[owner]?.stripped.insert(field)
      entries[owner]?.removedItems.insert(key)
    case .attachment(let name):
      try edit(owner, .removal, at: time) { (entry) throws(TreeError) in
        entry.removeAttachment(name)
      }
      entries[owner]?.removedItems.insert(key)
    case .tags:
      try edit(owner, .removal, at: time) { (entry) throws(TreeError) in entry.tags = [] }
    case .expires:
      try edit(owner, .removal, at: time) { (entry) throws(TreeError) in
        entry.times.expires = false
      }
    case .totp, .hotp, .attachments, .history, .version, .inVersion, .json, .env:
      throw .notPermitted
    }
  }

  /// The `attachments` directory goes with the last file in it.
  mutating func noteLastAttachment(_ owner: UInt64) throws(TreeError) {
    entries[owner]?.hasMadeAttachments = false
    guard try !isShown(.attachments, owner) else { return }
    entries[owner]?.overlays[.attachments] = .ghost(isReachable: true)
    events.invalidations.append(.listing(Slot.node(owner, Slot.own)))
  }

  /// The `attachments` directory is there again.
  mutating func noteAttachment(_ owner: UInt64) {
    guard entries[owner]?.overlays[.attachments] != nil else { return }
    entries[owner]?.overlays[.attachments] = nil
    events.invalidations.append(.listing(Slot.node(owner, Slot.own)))
  }
}

extension Entry {
  /// Sets when the entry expires; the time stays where it never does.
  fileprivate mutating func set(_ expiry: ExpiryText.Expiry) {
    var times = times
    switch expiry {
    case .never: times.expires = false
    case .at(let time):
      times.expires = true
      times.expiry = time
    }
    self.times = times
  }
}
