package import KDBX

/// A fault of the file that was mended in an entry because the entry was edited.
package enum MendedFault: Hashable, Sendable {
  /// The entry had no UUID.
  case missingUUID
  /// Another group or entry, further up in the document, has the same UUID.
  case repeatedUUID
  /// An old version had another UUID than its entry.
  case historyUUID

  /// What `check` calls it.
  fileprivate var fault: Fault {
    switch self {
    case .missingUUID: .missingUUID
    case .repeatedUUID: .repeatedEntryUUID
    case .historyUUID: .historyUUID
    }
  }
}

extension Vault {
  /// Mends an entry that was edited, and says what was wrong with it.
  ///
  /// What other programs refuse or lose data by is put right along with the edit; entries that nobody
  /// edited stay as they are (`docs/check.md`). No time is stamped.
  package mutating func mend(_ id: EntryID) -> Set<Fault> {
    let faults = mendUUIDs(of: id).map(\.fault) + document.mend(id)
    return Set(faults)
  }

  /// Mends the UUIDs of an entry that was edited, and says what was wrong.
  ///
  /// Other programs lose one of two entries with one UUID (`docs/kdbx.md` 5.7). The first in the
  /// document keeps it; a later one gets a new one, and its old versions with it. No record of a
  /// deletion is made, no time is stamped.
  @discardableResult
  package mutating func mendUUIDs(of id: EntryID) -> Set<MendedFault> {
    var entry = document.entry(id)
    let old = entry.uuid
    var faults: Set<MendedFault> = []
    if old.isZero {
      faults.insert(.missingUUID)
    } else if isLaterTwin(id, old) {
      faults.insert(.repeatedUUID)
    }
    if !faults.isEmpty { entry.uuid = .random() }
    var history = entry.history
    let strays = history.indices.filter { history[$0].uuid != entry.uuid }
    if !strays.isEmpty {
      if strays.contains(where: { history[$0].uuid != old }) { faults.insert(.historyUUID) }
      for i in strays { history[i].uuid = entry.uuid }
      entry.removeHistory(at: Array(history.indices))
      for item in history { entry.appendHistory(item) }
    }
    if !faults.isEmpty { replace(id, with: entry) }
    return faults
  }

  private func isLaterTwin(_ id: EntryID, _ uuid: VaultUUID) -> Bool {
    withIndex { index in
      index.groups[uuid] != nil || index.entries[uuid].map { $0.first != id } ?? false
    }
  }
}
