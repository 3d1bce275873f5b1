package import Secrets
package import Vault

/// The vault as a tree of named nodes.
///
/// The rules of the module:
/// - It knows no FUSE and no errno: calls throw ``TreeError``, and can be tested without a mount.
/// - Every call may come on any thread; one lock guards the state, and nothing slow (a file, a key
///   derivation, a callback) happens under it.
/// - Names are bytes. A node is made when it is looked at, never before.
/// - Values stay sealed; one is opened into a wiped buffer for the call that reads it.
package final class VaultTree: Sendable {
  /// Makes the tree of `vault`; builds no node but the root.
  package init(_ vault: Vault, options: TreeOptions) {
    fatalError("not written yet")
  }

  // MARK: - Callbacks

  /// Sets what is called, without the lock, after each change that wants saving.
  package func setChangeHandler(_ handler: @escaping @Sendable () -> Void) {
    fatalError("not written yet")
  }

  /// Sets what is called, without the lock, with what the kernel may hold cached.
  package func setInvalidationHandler(_ handler: @escaping @Sendable ([Invalidation]) -> Void) {
    fatalError("not written yet")
  }

  // MARK: - Looking

  /// Finds `name`; counts one reference of the kernel's to the node.
  package func lookup(_ name: [UInt8], in parent: NodeID) throws(TreeError) -> NodeAttributes {
    fatalError("not written yet")
  }

  /// Takes back `count` references of the kernel's.
  package func forget(_ node: NodeID, count: UInt64) { fatalError("not written yet") }

  /// What `stat` shows; with a handle, that handle's size.
  package func attributes(
    of node: NodeID, handle: HandleID? = nil
  ) throws(TreeError) -> NodeAttributes {
    fatalError("not written yet")
  }

  /// Changes what can be changed; without a handle a new size is an edit at once.
  package func setAttributes(
    of node: NodeID, handle: HandleID?, _ change: AttributeChange
  ) throws(TreeError) -> NodeAttributes {
    fatalError("not written yet")
  }

  /// The node that a path with `/` leads to from the root; counts no reference.
  package func resolve(path: [UInt8]) throws(TreeError) -> NodeID {
    fatalError("not written yet")
  }

  // MARK: - Directories

  /// Opens a directory; its listing stays as it is now until the handle is released.
  package func openDirectory(_ node: NodeID) throws(TreeError) -> HandleID {
    fatalError("not written yet")
  }

  /// The names of an open directory from the `offset`-th on, in an order that stays over the
  /// handle's life; counts no reference (see ``reference(_:)``).
  ///
  /// Attributes cost a look at each entry: ask for no more than one answer holds.
  package func list(
    _ handle: HandleID, from offset: Int = 0, atMost count: Int = .max
  ) throws(TreeError) -> [DirectoryEntry] {
    fatalError("not written yet")
  }

  /// Counts one reference of the kernel's to each of `nodes`: what an answered READDIRPLUS gave it.
  package func reference(_ nodes: [NodeID]) { fatalError("not written yet") }

  package func releaseDirectory(_ handle: HandleID) { fatalError("not written yet") }

  // MARK: - Files

  /// Opens a file.
  package func open(_ node: NodeID, _ flags: OpenFlags) throws(TreeError) -> HandleID {
    fatalError("not written yet")
  }

  /// Makes a file, or opens the one that is there unless `flags` has `.exclusive`; counts one
  /// reference of the kernel's.
  package func create(
    _ name: [UInt8], in parent: NodeID, _ flags: OpenFlags
  ) throws(TreeError) -> (NodeAttributes, HandleID) {
    fatalError("not written yet")
  }

  /// Appends up to `count` bytes from `offset` on to `output`; none at or beyond the end.
  package func read(
    _ handle: HandleID, at offset: Int, count: Int, into output: inout WipedBuffer
  ) throws(TreeError) {
    fatalError("not written yet")
  }

  /// Gathers a write aside; it becomes an edit when the handle settles.
  package func write(
    _ handle: HandleID, at offset: Int, _ bytes: Span<UInt8>, append: Bool
  ) throws(TreeError) -> Int {
    fatalError("not written yet")
  }

  /// Settles what was written since the last settling (`close`).
  package func flush(_ handle: HandleID) throws(TreeError) { fatalError("not written yet") }

  /// Settles, and says whether the vault must be saved (`fsync`, of directories too).
  package func synchronize(_ handle: HandleID) throws(TreeError) -> SyncNeed {
    fatalError("not written yet")
  }

  /// Closes a handle for good.
  package func release(_ handle: HandleID) { fatalError("not written yet") }

  // MARK: - Names

  /// Makes a directory; counts one reference of the kernel's.
  package func makeDirectory(
    _ name: [UInt8], in parent: NodeID
  ) throws(TreeError) -> NodeAttributes {
    fatalError("not written yet")
  }

  package func remove(_ name: [UInt8], in parent: NodeID) throws(TreeError) {
    fatalError("not written yet")
  }

  package func removeDirectory(_ name: [UInt8], in parent: NodeID) throws(TreeError) {
    fatalError("not written yet")
  }

  package func rename(
    _ name: [UInt8], in parent: NodeID, to newName: [UInt8], in newParent: NodeID,
    _ flags: RenameFlags = []
  ) throws(TreeError) {
    fatalError("not written yet")
  }

  /// Makes a hard link, among temporary files only; counts one reference of the kernel's.
  package func link(
    _ node: NodeID, to name: [UInt8], in parent: NodeID
  ) throws(TreeError) -> NodeAttributes {
    fatalError("not written yet")
  }

  /// Makes a symbolic link under a temporary name; counts one reference of the kernel's.
  package func symbolicLink(
    _ name: [UInt8], in parent: NodeID, target: [UInt8]
  ) throws(TreeError) -> NodeAttributes {
    fatalError("not written yet")
  }

  package func readLink(_ node: NodeID) throws(TreeError) -> [UInt8] {
    fatalError("not written yet")
  }

  // MARK: - Extended attributes

  package func extendedAttribute(
    _ name: [UInt8], of node: NodeID
  ) throws(TreeError) -> [UInt8] {
    fatalError("not written yet")
  }

  package func extendedAttributes(of node: NodeID) throws(TreeError) -> [[UInt8]] {
    fatalError("not written yet")
  }

  package func setExtendedAttribute(
    _ name: [UInt8], of node: NodeID, to value: [UInt8]
  ) throws(TreeError) {
    fatalError("not written yet")
  }

  package func removeExtendedAttribute(
    _ name: [UInt8], of node: NodeID
  ) throws(TreeError) {
    fatalError("not written yet")
  }

  // MARK: - The whole

  package func statistics() -> TreeStatistics { fatalError("not written yet") }

  /// Takes a state to be written, with history items made; `nil` when nothing has changed.
  package func prepareSave(_ reason: SaveReason) -> PreparedSave? { fatalError("not written yet") }

  /// Says what became of a prepared save.
  package func finishSave(_ save: PreparedSave, succeeded: Bool) { fatalError("not written yet") }

  package var pending: PendingState { fatalError("not written yet") }

  /// From now on every change answers ``TreeError/readOnly``; unsettled writes are dropped.
  package func beginEnding() { fatalError("not written yet") }

  /// The vault as it is now, for `status` and other questions that need no node.
  package var vault: Vault { fatalError("not written yet") }

  /// The number of nodes built so far and still held.
  package var nodeCount: Int { fatalError("not written yet") }
}
