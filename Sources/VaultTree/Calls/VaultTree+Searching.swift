package import KDBX
import Vault

/// An entry that was looked for, and where the tree shows it.
package struct FoundEntry: Hashable, Sendable {
  package let uuid: VaultUUID
  /// From the root, in file names.
  package let path: [UInt8]
}

extension VaultTree {
  /// The entries that fit the words, the best first (``SearchIndex``).
  ///
  /// The first question takes all entries apart, beside all other calls; the others are quick, until
  /// something changes.
  package func find(_ words: [UInt8]) throws(TreeError) -> [FoundEntry] {
    let (vault, known, version) = try locked { (state) throws(TreeError) in
      (state.vault, state.searchIndex, state.vaultVersion)
    }
    let index = known ?? SearchIndex(vault)
    let hits = index.hits(for: words, in: vault)
    return try locked { (state) throws(TreeError) in
      if state.vaultVersion == version { state.searchIndex = index }
      // What has gone meanwhile isn't found.
      return hits.compactMap { hit in state.foundEntry(hit.entry) }
    }
  }
}

extension TreeState {
  /// An entry and its path; nil where it isn't in the tree any more.
  mutating func foundEntry(_ id: EntryID) -> FoundEntry? {
    guard vault.contains(.entry(id)), let path = try? path(of: owner(of: .entry(id))) else {
      return nil
    }
    return FoundEntry(uuid: vault.document.entry(id).uuid, path: path)
  }
}
