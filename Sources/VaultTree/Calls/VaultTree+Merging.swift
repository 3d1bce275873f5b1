package import KDBX
package import Vault

/// What a merge made of the tree's vault.
package struct MergeOutcome: Sendable {
  package let report: MergeReport
  /// The vault after the merge.
  package let document: Document
  /// Whether the file that was merged lacks something of it.
  package let needsSave: Bool
}

extension VaultTree {
  /// How often a merge is begun anew because the vault has changed meanwhile, before it is done under
  /// the lock.
  private static let attempts = 5

  /// Takes in another state of the vault (`docs/merging.md`), as an outside program wrote it.
  ///
  /// Nodes keep their numbers, open files what they show; what the kernel may hold of what changed is
  /// told. Takes its time, beside all other calls.
  package func merge(_ theirs: Document, base: Document?) throws(MergeError) -> MergeOutcome {
    for _ in 0..<Self.attempts {
      let snapshot = locked { $0.prepareMerge() }
      let (merged, report) = try merge(snapshot.vault, theirs, base)
      let needsSave = differs(merged.document, from: theirs)
      let isTaken = locked { state in
        state.takeMerged(merged, report, of: snapshot, needsSave: needsSave)
      }
      if isTaken {
        return MergeOutcome(report: report, document: merged.document, needsSave: needsSave)
      }
    }
    return try locked { state in
      Result<MergeOutcome, MergeError> { () throws(MergeError) in
        let snapshot = state.prepareMerge()
        let (merged, report) = try merge(snapshot.vault, theirs, base)
        let needsSave = differs(merged.document, from: theirs)
        _ = state.takeMerged(merged, report, of: snapshot, needsSave: needsSave)
        return MergeOutcome(report: report, document: merged.document, needsSave: needsSave)
      }
    }.get()
  }

  private func merge(
    _ vault: Vault, _ theirs: Document, _ base: Document?
  ) throws(MergeError) -> (Vault, MergeReport) {
    var merged = vault
    let report = try merged.merge(theirs, base: base, at: TreeState.vaultTime(options.now()))
    return (merged, report)
  }

  /// Whether a merge of `merged` into `theirs` would change something there, and may.
  private func differs(_ merged: Document, from theirs: Document) -> Bool {
    if options.isReadOnly { return false }
    var reverse = Vault(theirs)
    let report = try? reverse.merge(
      merged, base: theirs, at: TreeState.vaultTime(options.now()))
    return report?.hasChanges ?? true
  }
}
