import KDBX
import Platform
import Synchronization
import VaultTree

/// Someone who wants the vault locked.
struct LockRequest: Sendable {
  var reason: LockReason
  var completion: @Sendable (SessionError?) -> Void
}

extension VaultSession {
  /// Saves and locks the vault on the worker; `completion` runs there, when it is locked.
  ///
  /// It is told why the save failed, if it did: the vault is locked all the same.
  package func lock(
    _ reason: LockReason, completion: @escaping @Sendable (SessionError?) -> Void
  ) {
    let ended = state.withLock { state -> SessionError?? in
      if case .ended(let failure) = state.phase { return .some(failure) }
      state.locks.append(LockRequest(reason: reason, completion: completion))
      return nil
    }
    if let ended { completion(ended) } else { bell.ring() }
  }

  /// Locks the vault and waits for it.
  package func lockAndWait(_ reason: LockReason) throws(SessionError) {
    let answer = try Answer()
    lock(reason) { answer.give($0) }
    if let failure = answer.wait() { throw failure }
  }

  /// Whether the vault is locked.
  package var isLocked: Bool { phase == .locked }

  /// Where the session stands at this moment.
  var phase: Phase { state.withLock { $0.phase } }

  // MARK: - On the worker

  /// When the vault is to be locked by itself, and why; `nil`: not before something happens.
  func lockDue(at now: Int64) -> (time: Int64, reason: LockReason)? {
    let unlockedAt = state.withLock { $0.phase == .unlocked ? $0.unlockedAt : nil }
    guard let unlockedAt else { return nil }
    let schedule = LockSchedule(idle: options.idleAfter, cap: options.lockAfter)
    guard schedule.idle > 0 || schedule.cap > 0 else { return nil }
    return schedule.due(
      at: now, lastUse: lastUse.time,
      writersUntil: tree.writersCountUntil(limit: LockSchedule.writerLimit),
      unlockedAt: unlockedAt)
  }

  /// Does what is to be done with a vault that has been unused, or open, for long.
  func endUse(_ reason: LockReason) {
    if reason == .idle, options.idleAction == .unmount {
      // A mount in use (a shell stands in it) stays, and is locked.
      performEnd(EndRequest(reason: .request(lazily: false)) { _ in })
      if case .ended = state.withLock({ $0.phase }) { return }
    }
    _ = performLock(reason)
  }

  /// Saves, and locks whatever comes of it.
  ///
  /// Gives why the save failed: the edits are in the state folder then, or, where they can't be written
  /// there either, wait sealed in memory for a save that succeeds.
  func performLock(_ reason: LockReason) -> SessionError? {
    guard state.withLock({ $0.phase != .locked }) else {
      if reason == .logout { forgetRemembered() }
      return performSave(.lock)
    }
    log.debug("locking (\(reason.rawValue))")
    tree.beginLocking()
    state.withLock { $0.phase = .locking }
    var failure = performSave(.lock)
    var isKept = false
    if let lost = failure, lost.kind != .conflict {
      let (told, isRescued) = rescue(after: lost)
      state.withLock { $0.failure = told }
      (failure, isKept) = (told, isRescued)
    }
    // What lies in the state folder from before may lack what was edited since.
    let keepsEdits = tree.pending.hasChanges && !isKept
    if let keys = state.withLock({ $0.keys }) { remember(keys, after: reason) }
    tree.lock(keepingEdits: keepsEdits)
    state.withLock { state in
      state.phase = .locked
      if !keepsEdits { state.keys = nil }
    }
    if !keepsEdits { outside.base = nil }
    if keepsEdits {
      log.warning("the edits could not be saved anywhere: they are kept, sealed, until they can be")
    }
    return failure
  }

  /// Wipes a locked vault whose edits waited for a save, now that they are on disk.
  func finishLocking() {
    guard state.withLock({ $0.phase == .locked && $0.keys != nil }) else { return }
    tree.lock(keepingEdits: false)
    state.withLock { $0.keys = nil }
    outside.base = nil
  }
}
