package import KDBX

/// A vault: what its document means.
///
/// A value: a copy is a snapshot. It knows no clock (each change is told the time) and no file. What
/// a change does beside the change itself (times, history, recycle bin, tombstones) follows KeePass
/// (`docs/kdbx.md` 6).
package struct Vault: Sendable {
  /// The document, as the methods of this type change it: they keep the index right.
  ///
  /// A stored property, so that the modules above look at it where it lies: a computed one would hand out
  /// a copy, which counts a reference to each of its parts.
  package internal(set) var document: Document
  /// What finds groups and entries by their UUID.
  private var index = IndexBox()
  /// For each entry that got a history item through this value: its state before that first edit.
  ///
  /// It is what a limit drops last (`docs/editing.md`).
  var firstStates: [EntryID: Entry] = [:]

  package init(_ document: Document) {
    self.document = document
  }

  /// Changes the document past the methods of this type, which forgets the index of UUIDs.
  package mutating func changeDocument<Result>(_ body: (inout Document) -> Result) -> Result {
    index = IndexBox()
    return body(&document)
  }

  /// Runs `body` on the index of UUIDs, which is built at first use.
  func withIndex<Result: Sendable>(_ body: (UUIDIndex) -> Result) -> Result {
    index.withIndex(of: document, body)
  }

  /// Keeps the index right after a change to `document`, without touching that of a copy.
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
