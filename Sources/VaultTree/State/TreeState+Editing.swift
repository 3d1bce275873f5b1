import KDBX
import Vault

// Edits of entries, as the document takes them, with what is kept to make one history item a save.

extension TreeState {
  enum EditKind {
    /// A new value, a new name.
    case change
    /// Something goes.
    case removal
    /// Mending, or what was decided before: neither the one nor the other.
    case bookkeeping
  }

  /// Changes an entry of the document.
  ///
  /// When `change` throws, nothing has changed. What another edit needs (twins among the keys told
  /// apart) is done first.
  mutating func edit(
    _ owner: UInt64, _ kind: EditKind, at time: Timestamp,
    _ change: (inout Entry) throws(TreeError) -> Void
  ) throws(TreeError) {
    let id = try entryID(owner)
    try touch(owner)
    let before = vault.document.entry(id)
    let needsFull = kind == .removal && entries[owner]?.beforeRemovals == nil
    let full = needsFull ? try materialized(owner) : before
    let fullBase = needsFull ? try baseOfNewNames(owner) : nil
    try vault.edit(id, at: Self.vaultTime(time)) { (entry) throws(TreeError) in
      Self.mend(&entry)
      try change(&entry)
    }
    noteKind(kind, owner, full: full, base: fullBase)
    if entries[owner]?.firstModified == nil {
      entries[owner]?.firstModified = Timestamp(before.times.lastModification) ?? started
    }
    if !newEntries.contains(id), entries[owner]?.base == nil { entries[owner]?.base = before }
    noteEdit(owner)
  }

  /// What an entry was before it got new names that aren't in the document yet, if it is in the file and
  /// nothing else has changed since.
  mutating func baseOfNewNames(_ owner: UInt64) throws(TreeError) -> Entry? {
    let id = try entryID(owner)
    guard !newEntries.contains(id), entries[owner]?.base == nil, hasNewNames(owner) else {
      return nil
    }
    return vault.document.entry(id)
  }

  /// Takes down that something happened to an entry that isn't in the document.
  ///
  /// Of a removal `full` is the entry before it, with new names that aren't in the document; `base` what
  /// that differs from, if it isn't what the last save wrote.
  mutating func noteKind(
    _ kind: EditKind, _ owner: UInt64, full: Entry? = nil, base: Entry? = nil
  ) {
    switch kind {
    case .change: entries[owner]?.beforeRemovals = nil
    case .removal:
      guard let full, let entry = entries[owner], entry.beforeRemovals == nil else { break }
      entries[owner]?.beforeRemovals = BeforeRemovals(
        entry: full, base: base ?? entry.base, hasHistoryItem: entry.hasHistoryItem)
    case .bookkeeping: break
    }
  }

  /// Takes down that an entry shows something else, and wants saving.
  mutating func noteEdit(_ owner: UInt64) {
    forgetViewContents()
    entries[owner]?.revision += 1
    forgetView(owner)
    events.wantsSave = true
    events.invalidate(Slot.node(owner, Slot.own))
  }

  /// Tells the fields and attachments of one name apart, as they are shown.
  static func mend(_ entry: inout Entry) {
    let strings = entry.strings
    for (place, key) in FieldNames.distinctKeys(strings.map(\.key)).enumerated()
    where key != strings[place].key {
      entry.renameString(at: place, to: key)
    }
    let attachments = entry.attachments
    for (place, name) in FieldNames.distinctKeys(attachments.map(\.name)).enumerated()
    where name != attachments[place].name {
      entry.renameAttachment(at: place, to: name)
    }
  }

  /// The entry of the document as the next save would write it: with what isn't in it yet, without what
  /// waits to be taken out.
  mutating func materialized(_ owner: UInt64) throws(TreeError) -> Entry {
    var entry = vault.document.entry(try entryID(owner))
    for field in entries[owner]?.stripped ?? [] { entry.removeString(field) }
    for (key, fresh) in newItems(owner) where fresh.hasSettled {
      Self.store(fresh, as: key, in: &entry)
    }
    return entry
  }

  /// The new fields and attachments of an entry, in the order in which they were made.
  func newItems(_ owner: UInt64) -> [(key: ItemKey, fresh: FreshItem)] {
    let overlays = entries[owner]?.overlays ?? [:]
    return overlays.compactMap { key, overlay in overlay.fresh.map { (key, $0) } }
      .sorted { $0.fresh.place < $1.fresh.place }
  }

  /// Puts a new field or attachment into an entry.
  static func store(_ fresh: FreshItem, as key: ItemKey, in entry: inout Entry) {
    switch (key, fresh.value) {
    case (.field(let key), .text(let text)):
      entry.set(key, to: text, isProtected: fresh.isProtected)
    case (.attachment(let name), .content(let content)):
      entry.setAttachment(name, to: content)
    default: break
    }
  }

  /// Whether a new field is protected: as it was when it was removed in this mount, else as the vault
  /// says.
  func protects(_ key: ItemKey, _ owner: UInt64) -> Bool {
    guard case .field(let key) = key else { return false }
    return entries[owner]?.protections[key] ?? vault.protectsNewField(key)
  }

  /// Takes down that a file changed, for its time and what the kernel holds of it.
  mutating func noteChange(of key: ItemKey, _ owner: UInt64, at time: Timestamp) throws(TreeError) {
    try touch(owner)
    entries[owner]?.changed[key] = time
    events.invalidate(try number(of: key, owner))
  }

  /// Runs a change of an entry and tells what it did to the code that stands beside its secret.
  mutating func watchingCodes(
    of owner: UInt64, _ change: (inout TreeState) throws(TreeError) -> Void
  ) throws(TreeError) {
    let before = try codes(owner)
    try change(&self)
    guard case .entry = owners[owner] else { return }
    let after = try codes(owner)
    try noteCode(.totp, before.time, after.time, owner)
    try noteCode(.hotp, before.counter, after.counter, owner)
  }

  private mutating func noteCode(
    _ key: ItemKey, _ before: EntryCodes.State, _ after: EntryCodes.State, _ owner: UInt64
  ) throws(TreeError) {
    events.invalidate(try number(of: key, owner))
    guard (before == .present) != (after == .present) else { return }
    let directory = Slot.node(owner, Slot.own)
    let name = try fileName(of: key, owner)
    events.invalidations += [.listing(directory), .name(in: directory, name)]
    guard entries[owner]?.overlays[key]?.fresh == nil else { return }
    entries[owner]?.overlays[key] = after == .present ? nil : .ghost(isReachable: false)
  }
}
