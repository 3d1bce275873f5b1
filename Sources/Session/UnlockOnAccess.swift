import Platform
import Synchronization

/// Unlocks a locked vault when something in it is looked at: `--unlock-with`.
///
/// One person is asked at a time; all who look meanwhile wait for the answer. Who was refused isn't asked
/// again for a while: an indexer that walks the tree would ask without end.
///
/// Safe to call from any thread.
package final class UnlockOnAccess: Sendable {
  /// Gets the key from a person, on a thread of its own; takes as long as that takes.
  package typealias Ask = @Sendable () throws(SessionError) -> UnlockKeys
  /// Told whether the vault is open now.
  package typealias Completion = @Sendable (_ isOpen: Bool) -> Void

  /// How long nobody is asked after a refusal or a wrong key, in nanoseconds.
  static let pause: Int64 = 30_000_000_000

  private struct State {
    var waiting: [Completion] = []
    var isAsking = false
    /// By the session's clock.
    var pausedUntil = Int64.min
  }

  private weak let session: VaultSession?
  private let ask: Ask
  private let state = Mutex(State())

  package init(_ session: VaultSession, ask: @escaping Ask) {
    self.session = session
    self.ask = ask
  }

  /// Has the vault unlocked, if a person gives the key; `completion` runs on any thread, also before this
  /// returns.
  package func unlock(_ completion: @escaping Completion) {
    guard let session else { return completion(false) }
    let (phase, now) = (session.phase, session.clock.sinceBoot())
    /// What comes of this call: an answer, or the wait for one.
    enum Turn { case isOpen(Bool), begin, wait }
    let turn = state.withLock { state -> Turn in
      if !state.isAsking {
        if phase.isOpen { return .isOpen(true) }
        guard phase == .locked, now >= state.pausedUntil else { return .isOpen(false) }
      }
      state.waiting.append(completion)
      defer { state.isAsking = true }
      return state.isAsking ? .wait : .begin
    }
    switch turn {
    case .wait: return
    case .isOpen(let isOpen): return completion(isOpen)
    case .begin: break
    }
    do throws(Errno) {
      _ = try Thread.start(name: "unlocker") { [self] in answer(perform()) }
    } catch {
      session.log.warning("nobody can be asked for the key: \(error)")
      answer(false)
    }
  }

  /// Asks, and unlocks; says whether the vault is open.
  private func perform() -> Bool {
    guard let session else { return false }
    do throws(SessionError) {
      let keys = try ask()
      try session.unlockAndWait(with: keys)
      return true
    } catch {
      session.log.warning("not unlocked: " + error.message)
      return false
    }
  }

  private func answer(_ isOpen: Bool) {
    let now = session?.clock.sinceBoot() ?? 0
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      state.isAsking = false
      state.pausedUntil = isOpen ? .min : now + Self.pause
      return state.waiting
    }
    for completion in waiting { completion(isOpen) }
  }
}
