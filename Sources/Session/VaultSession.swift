import KDBX
package import Platform
import Secrets
import Synchronization
package import VaultTree

/// How a session ends the mount; every closure is called on the session's worker, which serves no
/// request of the file system.
package struct MountHandlers: Sendable {
  /// Takes the mount out of the mount table, `lazily` also when something uses it; answers 0 or the
  /// errno of the failure (`EBUSY`).
  package var detach: @Sendable (_ lazily: Bool) -> CInt
  /// Whether a path still leads to the mount.
  package var isAttached: @Sendable () -> Bool
  /// Makes the loop that serves requests return, whatever still holds the mount.
  package var stop: @Sendable () -> Void
  /// Waits until the kernel knows what has changed; called on a thread of the control socket's.
  package var settle: @Sendable () -> Void

  package init(
    detach: @escaping @Sendable (_ lazily: Bool) -> CInt,
    isAttached: @escaping @Sendable () -> Bool, stop: @escaping @Sendable () -> Void,
    settle: @escaping @Sendable () -> Void = {}
  ) {
    self.settle = settle
    self.detach = detach
    self.isAttached = isAttached
    self.stop = stop
  }
}

/// One mounted vault's life: the open document behind the tree, its file, its saves, its end.
///
/// The rules of the module:
/// - One thread, the worker, saves and ends. Everyone else leaves a request and rings.
/// - What is waited for is never waited for under the lock, and nothing is called under it.
/// - A save is written from a value that the tree prepared, so requests are served beside it.
/// - All times are of `CLOCK_BOOTTIME`: sleep counts.
///
/// Safe to call from any thread.
package final class VaultSession: Sendable {
  /// What the session is doing.
  enum Phase: Hashable, Sendable {
    case locked
    case unlocking
    case unlocked
    case saving
    case locking
    /// Nothing is served or saved any more; why the last save failed, if it did.
    case ended(SessionError?)

    /// Whether the tree can be read.
    var isOpen: Bool { self == .unlocked || self == .saving }
  }

  /// What changes while a session lives.
  struct State: ~Copyable {
    var phase = Phase.unlocked
    var schedule: SaveSchedule
    var saves: [SaveRequest] = []
    var locks: [LockRequest] = []
    var unlocks: [UnlockRequest] = []
    var endings: [EndRequest] = []
    var mount: MountHandlers?
    /// The vault; what was written beside it once it had been changed by someone else.
    var file: VaultFile
    /// What saving takes; `nil` while the vault is locked, unless edits wait that couldn't be saved.
    var keys: VaultKeys?
    /// What holds the edits of saves that failed at a lock or unmount, of this mount or of earlier ones.
    var rescues: [RescueFile] = []
    /// When the vault was last unlocked.
    var unlockedAt: Int64
    /// Why the last save failed, until one succeeds.
    var failure: SessionError?
    /// That ours isn't in the vault's own file; stays until the end.
    var conflict: SessionError?
    var lastSaved: ClockTime?
    /// When the last save that nobody asked for began.
    var lastAutosave: Int64?
    var lock: FileLock?
  }

  /// Someone who waits for a save.
  struct SaveRequest: Sendable {
    var reason: SaveReason
    var completion: @Sendable (SessionError?) -> Void
  }

  /// The names and nodes of the vault.
  package let tree: VaultTree
  /// Whether nothing can be changed: asked for, or because the vault or its folder can't be written.
  package let isReadOnly: Bool
  /// Where the vault is mounted: absolute and free of links.
  package let mountPoint: Path
  let log: SessionLog
  let options: SessionOptions
  let surroundings: SessionSurroundings
  /// Who uses the vault.
  let callers: CallerBook
  /// What others may do to the vault's file.
  let outside: OutsideChanges
  let state: Mutex<State>
  /// When the vault was last used.
  package let lastUse: LastUse
  /// Rung when there is something new for the worker.
  let bell: Bell
  /// Tells when a mount came or went.
  let mountTable: Descriptor
  /// What answers the vault's challenges, also at an unlock; it holds no secret.
  let responder: ChallengeResponder?

  init(
    tree: VaultTree, vault: OpenedVault, isReadOnly: Bool, mountPoint: Path,
    options: SessionOptions, log: SessionLog, surroundings: SessionSurroundings,
    callers: CallerBook, lock: consuming FileLock?
  ) throws(Errno) {
    self.tree = tree
    self.isReadOnly = isReadOnly
    self.mountPoint = mountPoint
    self.log = log
    self.options = options
    self.surroundings = surroundings
    self.callers = callers
    outside = OutsideChanges(of: vault.document)
    outside.watch(vault.file)
    bell = try Bell()
    mountTable = try MountTable.watcher()
    responder = vault.key.responder
    let schedule = SaveSchedule(quiet: options.autosaveAfter, latest: options.autosaveWithin)
    let now = surroundings.clock.sinceBoot()
    lastUse = LastUse(surroundings.clock)
    state = Mutex(
      State(
        schedule: schedule, file: vault.file, keys: VaultKeys(vault), unlockedAt: now, lock: lock))
  }

  // MARK: - Requests

  /// Sets how the mount is ended, once it is mounted.
  package func setMountHandlers(_ handlers: MountHandlers) {
    state.withLock { $0.mount = handlers }
    bell.ring()
  }

  /// Saves the vault on the worker; `completion` runs there, with `nil` for a save that is on disk or
  /// wasn't needed.
  ///
  /// Requests that wait together are answered by one save. After the end `completion` runs at once, on
  /// the caller's thread.
  package func save(
    _ reason: SaveReason, completion: @escaping @Sendable (SessionError?) -> Void
  ) {
    let ended = state.withLock { state -> SessionError?? in
      if case .ended(let failure) = state.phase { return .some(failure) }
      state.saves.append(SaveRequest(reason: reason, completion: completion))
      return nil
    }
    if let ended { completion(ended) } else { bell.ring() }
  }

  /// Saves the vault and waits for it.
  package func saveAndWait(_ reason: SaveReason) throws(SessionError) {
    let answer = try Answer()
    save(reason) { answer.give($0) }
    if let failure = answer.wait() { throw failure }
  }

  /// Something changed that wants saving: what the tree calls.
  func noteChange() {
    if state.withLock({ $0.schedule.changed(at: clock.sinceBoot()) }) { bell.ring() }
  }

  /// The clocks that the session goes by.
  var clock: SessionClock { surroundings.clock }

  /// The vault's file, as it was given.
  package var vaultPath: Path { state.withLock { $0.file.path } }
}

/// One answer that one thread waits for and another gives.
final class Answer: Sendable {
  private let bell: Bell
  private let given = Mutex<SessionError?>(nil)

  init() throws(SessionError) {
    do throws(Errno) {
      bell = try Bell()
    } catch {
      throw SessionError(.refused, "no descriptor is free: \(error)", errnoValue: error.rawValue)
    }
  }

  func give(_ failure: SessionError?) {
    given.withLock { $0 = failure }
    bell.ring()
  }

  /// Waits until the answer is given.
  func wait() -> SessionError? {
    while true {
      let happened = try? poll([PollRequest(bell.descriptor.number, .readable)])
      if let happened, happened.first == .readable { return given.withLock { $0 } }
    }
  }
}
