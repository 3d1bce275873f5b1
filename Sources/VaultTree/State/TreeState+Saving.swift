import KDBX
import Vault

// What a save takes, and what it leaves.

/// What a save that is running took along.
struct SaveRecord: Sendable {
  /// The entries that were edited, by owner number, with their revision then.
  var entries: [UInt64: UInt64] = [:]
  /// Those of them that got a history item.
  var historyItems: Set<UInt64> = []
  var newEntries: Set<EntryID> = []
  /// What was mended in entries that were edited.
  var mended: Set<Fault> = []
  var structure: UInt64 = 0
  /// When it was taken, by the monotonic clock.
  var taken: Int64 = 0
}

extension TreeState {
  /// How long a new name must have been closed before a save that nobody asked for stores it.
  static let newNameDelay: Int64 = 5_000_000_000
  /// How long an entry that got a history item gets no other by a save that nobody asked for.
  static let historyDelay: Int64 = 60_000_000_000

  mutating func prepareSave(
    _ reason: SaveReason, evenIfUnchanged isWanted: Bool = false
  ) -> PreparedSave? {
    // What happens here is part of the save, and wants no other.
    defer { events.wantsSave = false }
    storeNewNames(reason)
    if reason.storesAll { storeUndecided() }
    stripRemovedFields()
    var record = SaveRecord()
    record.taken = options.monotonic()
    for owner in entries.keys.sorted() { prepareEntry(owner, reason, &record) }
    record.newEntries = newEntries
    record.structure = structure
    guard isWanted || !record.entries.isEmpty || structure != savedStructure else { return nil }
    let number = nextSave
    nextSave += 1
    saves[number] = record
    return PreparedSave(
      document: vault.document, reason: reason, mended: record.mended, generation: number)
  }

  /// Puts new fields and attachments into the document that are due.
  mutating func storeNewNames(_ reason: SaveReason) {
    let now = options.monotonic()
    for owner in entries.keys.sorted() {
      for (key, fresh) in newItems(owner) where fresh.hasSettled {
        let isClosed = fresh.writers <= 0
        let wait = now - (fresh.closed ?? now)
        let isBack = entries[owner]?.removedItems.contains(key) == true
        let isOldEnough = isClosed && wait >= Self.newNameDelay
        let isDue = reason.storesAll || fresh.isAwaited || isBack || isOldEnough
        // A settled value under a key of the document is in the document.
        guard isDue, !key.isUnlistedWhenEmpty, (try? isNewName(key, owner)) == true else {
          continue
        }
        try? storeNow(fresh, key, owner)
      }
    }
  }

  /// Makes groups of the directories that nothing has decided; each may still become an entry.
  mutating func storeUndecided() {
    var refused: Set<UInt64> = []
    while let owner = folders.keys.sorted().first(where: {
      isStorable($0) && !refused.contains($0)
    }) {
      if (try? decideGroup(owner, bySaving: true)) == nil { refused.insert(owner) }
    }
  }

  /// Whether a directory is undecided and lies in a group.
  private func isStorable(_ owner: UInt64) -> Bool {
    guard case .undecided = owners[owner], let parent = folders[owner]?.parent else {
      return false
    }
    return groupID(parent) != nil
  }

  /// Takes the fields out of the document that were removed and not made again.
  mutating func stripRemovedFields() {
    for (owner, entry) in entries where !entry.stripped.isEmpty {
      let fields = entry.stripped
      let times = fields.compactMap { entry.changed[.field($0)] }
      try? edit(owner, .bookkeeping, at: times.max() ?? now()) { (entry) throws(TreeError) in
        for field in fields { entry.removeString(field) }
      }
      entries[owner]?.stripped = []
    }
  }

  /// Makes the history item of an edited entry, or finds that it is as it was.
  private mutating func prepareEntry(
    _ owner: UInt64, _ reason: SaveReason, _ record: inout SaveRecord
  ) {
    guard let entry = entries[owner], case .entry(let id) = owners[owner] else { return }
    guard let base = entry.base else { return }
    guard vault.isEdited(vault.document.entry(id), from: base) else {
      return undoEdit(owner, id, base)
    }
    record.entries[owner] = entry.revision
    defer { mend(owner, id, &record) }
    guard !entry.hasHistoryItem else {
      record.historyItems.insert(owner)
      return
    }
    // What the file has now goes without a trace only if nobody asked for it to be saved.
    if !reason.storesAll, !entry.wasAskedFor, let last = entry.lastHistoryItem,
      record.taken - last < Self.historyDelay
    {
      return
    }
    guard vault.commitHistory(of: id, base: base) else { return }
    record.historyItems.insert(owner)
    entries[owner]?.hasHistoryItem = true
    forgetView(owner)
    events.invalidations.append(.listing(historyNode(owner)))
  }

  /// An edited entry has its faults mended with it, the old version that was made of it too.
  private mutating func mend(_ owner: UInt64, _ id: EntryID, _ record: inout SaveRecord) {
    let faults = vault.mend(id)
    guard !faults.isEmpty else { return }
    record.mended.formUnion(faults)
    forgetView(owner)
    forgetViewContents()
  }

  mutating func historyNode(_ owner: UInt64) -> NodeID {
    (try? number(of: .history, owner)) ?? Slot.node(owner, Slot.own)
  }

  /// An entry has become again what the file has: it gets its times back.
  private mutating func undoEdit(_ owner: UInt64, _ id: EntryID, _ base: Entry) {
    if entries[owner]?.hasHistoryItem == true {
      // The item that a failed save made is no old version of anything.
      var restored = base
      restored.times.locationChanged = vault.document.entry(id).times.locationChanged
      restored.previousParentGroup = vault.document.entry(id).previousParentGroup
      vault.replace(id, with: restored)
    } else {
      vault.commitHistory(of: id, base: base)
    }
    entries[owner]?.base = nil
    entries[owner]?.hasHistoryItem = false
    forgetView(owner)
    events.invalidate(Slot.node(owner, Slot.own))
  }

  // MARK: - Afterwards

  mutating func finishSave(_ save: PreparedSave, succeeded: Bool) {
    guard let record = saves.removeValue(forKey: save.generation), succeeded else { return }
    savedStructure = max(savedStructure, record.structure)
    newEntries.subtract(record.newEntries)
    for (owner, revision) in record.entries {
      guard case .entry(let id) = owners[owner], let entry = entries[owner] else { continue }
      let isSame = entry.revision == revision
      entries[owner]?.base = isSame ? nil : save.document.entry(id)
      entries[owner]?.wasAskedFor = save.reason.storesAll
      guard record.historyItems.contains(owner) else { continue }
      entries[owner]?.hasHistoryItem = false
      entries[owner]?.lastHistoryItem = record.taken
    }
  }

  var pending: PendingState {
    let fresh = entries.values.flatMap { $0.overlays.values }.compactMap(\.fresh)
    let waiting = fresh.filter { $0.writers <= 0 && $0.hasSettled }
    let hasUndecided = owners.contains { owner in
      if case .undecided = owner { true } else { false }
    }
    return PendingState(
      hasChanges: structure != savedStructure || hasUndecided || !waiting.isEmpty
        || entries.values.contains { $0.base != nil || !$0.stripped.isEmpty },
      hasOpenWriters: !unsettled.isEmpty,
      hasVacatedFields: entries.values.contains { !$0.vacated.isEmpty },
      nextNewNameDue: waiting.compactMap { $0.closed.map { $0 + Self.newNameDelay } }.min(),
      scratchCount: scratches.values.count { $0.linkCount > 0 },
      scratchBytes: quota.used)
  }
}
