package import KDBX

/// A vault: what its document means.
///
/// A value: a copy is a snapshot. It knows no clock (each change is told the time) and no file. What
/// a change does beside the change itself (times, history, recycle bin, tombstones) follows KeePass
/// (`docs/kdbx.md` 6).
package struct Vault: Sendable {
  /// The document, as the methods of this type change it: they keep the index right.
  var storage: Document
  /// What finds groups and entries by their UUID.
  private var index = IndexBox()
  /// For each entry that got a history item through this value: its state before that first edit.
  ///
  /// It is what a limit drops last (`docs/editing.md`).
  var firstStates: [EntryID: Entry] = [:]

  package init(_ document: Document) {
    storage = document
  }

  /// The document.
  ///
  /// Changing it here, past the methods of this type, is allowed and forgets the index of UUIDs.
  package var document: Document {
    // Lent: a copy counts a reference to each of its parts, which a look at one value would pay for.
    _read { yield storage }
    _modify {
      index = IndexBox()
      yield &storage
    }
  }

  /// Runs `body` on the index of UUIDs, which is built at first use.
  func withIndex<Result: Sendable>(_ body: (UUIDIndex) -> Result) -> Result {
    index.withIndex(of: storage, body)
  }

  /// Keeps the index right after a change to `storage`, without touching that of a copy.
  mutating func changeIndex(_ body: (inout UUIDIndex) -> Void) {
    if !isKnownUniquelyReferenced(&index) { index = index.copy() }
    index.change(body)
  }
}

/// What doesn't go.
package enum VaultError: Error, Hashable {
  /// A group can't go into itself or below itself.
  case intoItself
  /// The root group stays where it is.
  case isRoot
  /// It is not in the vault, or not any more.
  case notInVault
  /// Groups would lie in one another more deeply than a file can have them.
  case tooDeep
}
