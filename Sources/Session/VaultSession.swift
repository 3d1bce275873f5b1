import Synchronization
package import VaultTree

/// One mounted vault's life: the open document behind the tree, its file, its saves, its end.
///
/// Safe to call from any thread.
package final class VaultSession: Sendable {
  /// The names and nodes of the vault.
  package let tree: VaultTree
  /// Whether nothing can be changed: asked for, or because the vault's folder can't be written.
  package let isReadOnly: Bool

  init(tree: VaultTree, isReadOnly: Bool) {
    self.tree = tree
    self.isReadOnly = isReadOnly
  }

  /// Sets how the mount is ended.
  ///
  /// Both are called on a thread of the session's that serves no request.
  ///
  /// - Parameters:
  ///   - detach: takes the mount out of the mount table, `lazily` also when something uses it; answers
  ///     0 or the errno of the failure (`EBUSY`).
  ///   - stop: makes the loop that serves requests return, whatever still holds the mount.
  package func setMountHandlers(
    detach: @escaping @Sendable (_ lazily: Bool) -> CInt, stop: @escaping @Sendable () -> Void
  ) {
    fatalError("not written yet")
  }

  /// Saves the vault on the worker; `completion` runs there, with `nil` for a save that is on disk or
  /// wasn't needed.
  ///
  /// Requests that wait together are answered by one save.
  package func save(
    _ reason: SaveReason, completion: @escaping @Sendable (SessionError?) -> Void
  ) {
    fatalError("not written yet")
  }

  /// Saves the vault and waits for it.
  package func saveAndWait(_ reason: SaveReason) throws(SessionError) {
    fatalError("not written yet")
  }
}
