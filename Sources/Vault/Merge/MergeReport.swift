package import KDBX

/// Why two vaults can't be merged.
package enum MergeError: Error, Hashable {
  /// Their root groups have different UUIDs: they never were one vault.
  case otherVault
}

/// What a merge did.
package struct MergeReport: Sendable {
  /// What a person may want to know.
  package enum Note: Hashable, Sendable {
    /// Both sides changed these parts of an entry; the losing state is in the history.
    case conflict(VaultUUID, [ElementPart], theirsWon: Bool)
    /// Both sides changed these parts of a group, which has no history; the later change won.
    case groupConflict(VaultUUID, [ElementPart], theirsWon: Bool)
    /// It was removed on one side and changed on the other, and is kept.
    case keptThoughRemoved(VaultUUID)
    /// The time of its change over there lies in the future.
    case changedInFuture(VaultUUID)
    /// It couldn't go where the other side moved it, and stays.
    case notMoved(VaultUUID)
  }

  package var notes: [Note] = []
  /// What there is now that wasn't there before.
  package var added: Set<ChildID> = []
  /// What has other contents or another history than before.
  package var changed: Set<ChildID> = []
  /// What has another place than before.
  package var moved: Set<ChildID> = []
  /// What isn't there any more.
  package var removed: Set<ChildID> = []
  /// Whether properties of the vault itself have changed, or the list of what was deleted.
  package var hasChangedVault = false

  /// What theirs says of each changed entry, in terms of the merged document, with the merged history:
  /// what the file holds, until the merged vault is saved.
  package var fileStates: [EntryID: Entry] = [:]

  package init() {}

  /// Whether the merged vault is other than ours was.
  package var hasChanges: Bool {
    !added.isEmpty || !changed.isEmpty || !moved.isEmpty || !removed.isEmpty || hasChangedVault
  }
}

extension Vault {
  /// Takes in what another program has made of the vault meanwhile, by the rules of
  /// `docs/merging.md`.
  ///
  /// Numbers of groups and entries that are in this vault stay. Edits that aren't in the history yet
  /// must be committed first (``commitHistory(of:base:)``).
  ///
  /// - Parameters:
  ///   - theirs: the other state, read from its file.
  ///   - base: the state that was last read or written here; nil where none is known.
  ///   - now: the time of the merge.
  ///   - evenIfOther: merges also if the root groups have different UUIDs.
  /// - Returns: what was done.
  /// - Throws: ``MergeError/otherVault``; the vault is as it was then.
  package mutating func merge(
    _ theirs: Document, base: Document?, at now: VaultTime, evenIfOther: Bool = false
  ) throws(MergeError) -> MergeReport {
    let isSameVault =
      document.group(document.root).uuid == theirs.group(theirs.root).uuid
    guard isSameVault || evenIfOther else { throw .otherVault }
    var merger = Merger(self, theirs: theirs, base: base, at: now)
    merger.run()
    self = merger.vault
    return merger.report
  }
}
