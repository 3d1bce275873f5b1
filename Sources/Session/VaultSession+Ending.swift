import Platform
import Synchronization
import VaultTree

/// Why a session is to end.
package enum EndReason: Hashable, Sendable {
  /// `kdbxfs umount`: stays mounted when the save fails, unless the vault could be kept elsewhere and
  /// `rescuing` says that this is enough; and, unless `lazily`, when something uses it.
  case request(lazily: Bool, rescuing: Bool = false)
  /// SIGTERM, SIGINT, SIGHUP: ends in any case.
  case signal
  /// The mount is gone already.
  case unmounted
}

/// Someone who wants the session to end.
struct EndRequest: Sendable {
  var reason: EndReason
  var completion: @Sendable (SessionError?) -> Void

  init(reason: EndReason, completion: @escaping @Sendable (SessionError?) -> Void) {
    self.reason = reason
    self.completion = completion
  }
}

extension VaultSession {
  /// Ends the session on the worker; `completion` runs there, when everything is saved and the mount
  /// is gone, or when it stays because of what is told.
  package func end(
    _ reason: EndReason, completion: @escaping @Sendable (SessionError?) -> Void
  ) {
    if reason == .signal { tree.beginEnding() }
    let ended = state.withLock { state -> SessionError?? in
      if case .ended(let failure) = state.phase { return .some(failure) }
      state.endings.append(EndRequest(reason: reason, completion: completion))
      return nil
    }
    if let ended { completion(ended) } else { bell.ring() }
  }

  /// Ends the session and waits for it: for who has served the mount, which is gone.
  ///
  /// Gives why the last save failed, if it did.
  package func finish() -> SessionError? {
    do throws(SessionError) {
      let answer = try Answer()
      end(.unmounted) { answer.give($0) }
      return answer.wait()
    } catch {
      return error
    }
  }

  /// Ends the session, unless its reason lets it stay; called on the worker only.
  func performEnd(_ request: EndRequest) {
    switch request.reason {
    case .request(let lazily, let rescuing):
      let failure = performSave(.unmount)
      let isLocked = tree.isLocked
      if let lost = failure, lost.kind != .conflict {
        // It stays, for the edits are in it; but for a locked one, which has put them elsewhere.
        let (told, isKept) = rescue(after: lost)
        guard isKept, isLocked || rescuing else {
          let hint =
            "it stays mounted and goes on trying"
            + (isKept ? "; 'kdbxfs umount --rescue' leaves all the same" : "")
          return request.completion(
            SessionError(
              told.kind, told.message, hints: told.hints + [hint], errnoValue: told.errnoValue))
        }
      }
      if let busy = detach(lazily: lazily) { return request.completion(busy) }
    case .signal:
      _ = performSave(.unmount)
      if detach(lazily: false) != nil { _ = detach(lazily: true) }
    case .unmounted: break
    }
    request.completion(leave())
  }

  /// The last steps: no more changes, what came in between is saved, and who serves is let go.
  private func leave() -> SessionError? {
    tree.beginEnding()
    var failure = performSave(.unmount)
    if let lost = failure, lost.kind != .conflict { failure = rescue(after: lost).told }
    tree.lock(keepingEdits: false)
    let mount = state.withLock { state in
      state.phase = .ended(failure)
      state.lock = nil
      state.keys = nil
      return state.mount
    }
    outside.base = nil
    mount?.stop()
    return failure
  }

  /// Takes the mount out of the mount table; gives why not.
  private func detach(lazily: Bool) -> SessionError? {
    guard let mount = state.withLock({ $0.mount }) else { return nil }
    let errno = Errno(rawValue: mount.detach(lazily))
    if errno.rawValue == 0 { return nil }
    guard errno == .busy else {
      return SessionError(
        .busy, "'\(mountPoint)' can't be unmounted: \(errno)", errnoValue: errno.rawValue)
    }
    let users = BusyProcesses.find(using: mountPoint)
    let hint =
      tree.pending.hasOpenWriters
      ? "what is written and not closed yet is lost if --lazy unmounts it all the same"
      : "everything is saved; --lazy unmounts it all the same"
    return SessionError(
      .busy, "'\(mountPoint)' is in use" + (users.isEmpty ? "" : " by " + users),
      hints: [hint], errnoValue: errno.rawValue)
  }
}
