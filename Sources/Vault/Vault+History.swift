package import KDBX

extension Vault {
  /// At a save: appends `base`, the entry's state at the last save, to its history, once, and trims
  /// the history by the vault's limits.
  ///
  /// Returns false when the entry is as it was: then no item is made, and the entry gets back the
  /// times of `base` that an edit had stamped.
  ///
  /// Only this entry is trimmed, and only by limits that the file states (`docs/kdbx.md` 6.2). The
  /// state from before the first edit through this value goes last.
  @discardableResult
  package mutating func commitHistory(of id: EntryID, base: Entry) -> Bool {
    var entry = document.entry(id)
    guard isEdited(entry, from: base) else {
      let stamped = entry.times
      let times = base.times
      guard
        (stamped.lastModification, stamped.lastAccess, stamped.usageCount)
          != (times.lastModification, times.lastAccess, times.usageCount)
      else { return false }
      entry.times.lastModification = times.lastModification
      entry.times.lastAccess = times.lastAccess
      entry.times.usageCount = times.usageCount
      document.replace(id, with: entry)
      return false
    }
    let old = base.withoutHistory
    if firstStates[id] == nil { firstStates[id] = old }
    entry.appendHistory(old)
    entry.times.keepOrder(after: old.times)
    trim(&entry, id)
    document.replace(id, with: entry)
    return true
  }

  /// Trims the history of one entry by the vault's limits, which `spared` items outlive; gives the
  /// places of those that went.
  @discardableResult
  func trim(_ entry: inout Entry, _ id: EntryID, sparing spared: [Entry] = []) -> [Int] {
    let limits = HistoryLimits(document.meta)
    guard !limits.areOpen else { return [] }
    let history = entry.history
    let sizes =
      limits.maxSize == nil
      ? [Int64](repeating: 0, count: history.count)
      : history.map { size(of: $0) }
    let dropped = limits.dropped(
      times: history.map { $0.times.lastModification }, sizes: sizes,
      keptLongest: firstStates[id].flatMap { first in place(of: first, in: history) },
      spared: Set(spared.compactMap { place(of: $0, in: history) }))
    if !dropped.isEmpty { entry.removeHistory(at: dropped) }
    return dropped
  }

  private func place(of state: Entry, in history: [Entry]) -> Int? {
    history.lastIndex { item in
      item.times.lastModification == state.times.lastModification
        && item.sameContent(as: state, values: document.values)
    }
  }
}

extension Times {
  /// How many seconds ahead a saved state can be because others were saved in one second with it.
  private static let mostAhead: Int64 = 5

  /// Stamps a state a second later than the one before it where both were made in one second: other
  /// programs tell versions by their times (`docs/kdbx.md` 7).
  fileprivate mutating func keepOrder(after old: Times) {
    guard let last = old.lastModification, let new = lastModification, new <= last,
      last.unixSeconds - new.unixSeconds < Self.mostAhead, last < .latest
    else { return }
    lastModification = VaultTime(unixSeconds: last.unixSeconds + 1)
  }
}
