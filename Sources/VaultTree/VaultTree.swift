import Ciphers
import KDBX
import Secrets
import Synchronization
package import Vault

/// The vault as a tree of named nodes.
///
/// The rules of the module:
/// - It knows no FUSE and no errno: calls throw ``TreeError``, and can be tested without a mount.
/// - Every call may come on any thread; one lock guards the state, and nothing slow (a file, a key
///   derivation, a large value, a callback) happens under it.
/// - An open file's own bytes stand behind the file's lock, in which the tree's may be taken, never
///   the other way round.
/// - Names are bytes. A node is made when it is looked at, never before.
/// - Values stay sealed; one is opened into a wiped buffer for the call that reads it.
package final class VaultTree: Sendable {
  private let state: Mutex<TreeState>
  private let handlers = Mutex(Handlers())
  let options: TreeOptions
  private let sealingKey: Mutex<SealingKey>
  let quota: ScratchQuota
  /// Counts the locks, each before anything goes: what was read while it stayed is what was there.
  let lockCount = Atomic<UInt64>(0)

  /// What is called when something has changed.
  private struct Handlers {
    var change: (@Sendable () -> Void)?
    var invalidation: (@Sendable ([Invalidation]) -> Void)?
  }

  /// Makes the tree of `vault`; builds no node but the root.
  package init(_ vault: Vault, options: TreeOptions) {
    self.options = options
    let sealing = SealingKey()
    let quota = ScratchQuota()
    sealingKey = Mutex(sealing)
    self.quota = quota
    state = Mutex(TreeState(vault, options, sealing: sealing, quota: quota))
  }

  // MARK: - Callbacks

  /// Sets what is called, without the lock, after each change that wants saving.
  package func setChangeHandler(_ handler: @escaping @Sendable () -> Void) {
    handlers.withLock { $0.change = handler }
  }

  /// Sets what is called, without the lock, with what the kernel may hold cached.
  package func setInvalidationHandler(_ handler: @escaping @Sendable ([Invalidation]) -> Void) {
    handlers.withLock { $0.invalidation = handler }
  }

  /// Seals what is written; another one after each ``lock(keepingEdits:)``.
  var sealing: SealingKey { sealingKey.withLock { $0 } }

  func replaceSealing(_ key: SealingKey) { sealingKey.withLock { $0 = key } }

  /// Runs `body` on the state, and tells others what it did when the lock has been given back.
  ///
  /// For what must be done, or can be said, while the vault is locked too.
  func locked<R: Sendable>(_ body: (inout TreeState) -> R) -> R {
    var events = TreeEvents()
    let result = state.withLock { state in
      let result = body(&state)
      if !state.events.isEmpty { events = exchange(&state.events, for: TreeEvents()) }
      return result
    }
    tell(events)
    return result
  }

  /// The same for calls that are answered: ``TreeError/locked`` while the vault is locked, unless
  /// `ifLocked` has another answer.
  func locked<R: Sendable>(
    ifLocked: ((inout TreeState) throws(TreeError) -> R)? = nil,
    _ body: (inout TreeState) throws(TreeError) -> R
  ) throws(TreeError) -> R {
    try locked { state in
      Result<R, TreeError> { () throws(TreeError) in
        if state.openness.answers { return try body(&state) }
        guard let ifLocked else { throw .locked }
        return try ifLocked(&state)
      }
    }.get()
  }

  private func tell(_ events: TreeEvents) {
    guard !events.isEmpty else { return }
    let (change, invalidation) = handlers.withLock { ($0.change, $0.invalidation) }
    if !events.invalidations.isEmpty { invalidation?(events.invalidations) }
    if events.wantsSave { change?() }
  }

  /// The document as it is now, to open values without the lock.
  ///
  /// To be let go of soon: a change meanwhile copies what it shares.
  func document() -> Document { locked { $0.vault.document } }

  // MARK: - The whole

  /// The vault as it is now, for `status` and other questions that need no node.
  package var vault: Vault { locked { $0.vault } }

  /// The number of nodes built so far and still held: groups, entries and files that someone looked
  /// at, and temporary files.
  package var nodeCount: Int {
    locked { state in
      let files = state.references.keys.count { Slot.slot(of: $0) != Slot.own }
      return state.owners.count + files
    }
  }

  /// What `statfs` shows: the room that temporary files and attachments have.
  package func statistics() -> TreeStatistics {
    let capacity = ScratchQuota.limit + ScratchQuota.attachmentLimit
    return TreeStatistics(
      capacity: capacity, free: max(0, capacity - quota.used), nameLength: NameCoding.limit)
  }

  /// From now on every change answers ``TreeError/readOnly``; unsettled writes are dropped.
  package func beginEnding() { locked { $0.isEnding = true } }
}
