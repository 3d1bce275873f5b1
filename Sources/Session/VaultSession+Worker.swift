import Platform
import Synchronization
import VaultTree

/// What the worker does next.
private enum Job {
  case save(SaveReason, [VaultSession.SaveRequest])
  case lock(LockRequest)
  case unlock(UnlockRequest)
  /// Nobody has used the vault for long, or it has been open for long.
  case timeIsUp(LockReason)
  /// Something happened to the vault's file.
  case lookOutside
  case end(EndRequest)
}

extension VaultSession {
  /// The least time between two saves that nobody asked for, in nanoseconds.
  private static let leastInterval: Int64 = 1_000_000_000

  /// The worker's thread: saves and ends as asked and as time goes, until the session has ended.
  func work() {
    while true {
      let job = nextJob() ?? waitForJob()
      switch job {
      case .save(let reason, let requests):
        let failure = performSave(reason)
        for request in requests { request.completion(failure) }
      case .lock(let request): request.completion(performLock(request.reason))
      case .unlock(let request): request.completion(performUnlock(with: request.keys))
      case .timeIsUp(let reason):
        endUse(reason)
        if hasEnded { return answerTheRest() }
      case .lookOutside: lookOutside()
      case .end(let request):
        performEnd(request)
        if hasEnded { return answerTheRest() }
      }
    }
  }

  private var hasEnded: Bool {
    state.withLock { state in
      if case .ended = state.phase { true } else { false }
    }
  }

  /// Answers what came in while the session ended.
  private func answerTheRest() {
    let (failure, completions) = state.withLock { state in
      let failure: SessionError? =
        if case .ended(let failure) = state.phase { failure } else { nil }
      defer {
        state.saves = []
        state.locks = []
        state.unlocks = []
        state.endings = []
      }
      return (
        failure,
        state.saves.map(\.completion) + state.locks.map(\.completion)
          + state.unlocks.map(\.completion) + state.endings.map(\.completion)
      )
    }
    for completion in completions { completion(failure) }
  }

  // MARK: - What comes next

  /// What has been asked for or is due; all saves that wait become one, of the strongest reason.
  private func nextJob() -> Job? {
    let waiting = waiting
    let now = clock.sinceBoot()
    let timeIsUp = lockDue(at: now)
    return state.withLock { state in
      if !state.saves.isEmpty {
        let requests = state.saves
        state.saves = []
        let reasons: [SaveReason] = [.unmount, .lock, .save, .fsync]
        let strongest = reasons.first { reason in requests.contains { $0.reason == reason } }
        return .save(strongest ?? .autosave, requests)
      }
      if !state.unlocks.isEmpty { return .unlock(state.unlocks.removeFirst()) }
      if !state.locks.isEmpty { return .lock(state.locks.removeFirst()) }
      if !state.endings.isEmpty { return .end(state.endings.removeFirst()) }
      if let timeIsUp, timeIsUp.time <= now { return .timeIsUp(timeIsUp.reason) }
      if let due = Self.notTooSoon(state.schedule.due(waiting), state), due <= now {
        state.lastAutosave = now
        return .save(.autosave, [])
      }
      return outside.takeLook(at: now) ? .lookOutside : nil
    }
  }

  /// Sleeps until there may be something to do.
  private func waitForJob() -> Job {
    while true {
      let waiting = waiting
      let now = clock.sinceBoot()
      let lock = lockDue(at: now)?.time
      let save = state.withLock { state in
        Self.notTooSoon(state.schedule.nextLook(waiting, at: now), state)
      }
      clock.setAlarm(at: [save, lock, outside.lookDue].compactMap { $0 }.min())
      var requests = [
        PollRequest(bell.descriptor.number, .readable),
        PollRequest(clock.alarm, .readable),
        PollRequest(mountTable.number, .priority),
      ]
      if let watcher = outside.watcher {
        requests.append(PollRequest(watcher.descriptor.number, .readable))
      }
      let happened = try? poll(requests)
      bell.silence()
      clock.silence()
      outside.takeEvents(at: clock.sinceBoot())
      if let happened, !happened[2].isEmpty { lookForMount() }
      if let job = nextJob() { return job }
    }
  }

  /// What the tree says that changes when a save is due.
  private var waiting: SaveSchedule.Waiting {
    let pending = tree.pending
    return SaveSchedule.Waiting(
      isUnsettled: pending.hasOpenWriters || pending.hasVacatedFields,
      newNameDue: pending.nextNewNameDue)
  }

  /// A time for a save that nobody asked for, a while after the last such one.
  private static func notTooSoon(_ time: Int64?, _ state: borrowing State) -> Int64? {
    guard let time, let last = state.lastAutosave else { return time }
    return max(time, last + leastInterval)
  }

  /// Ends the session when its mount has left the mount table by itself.
  private func lookForMount() {
    // The table is read in pieces while others mount and unmount: once is not enough to believe it.
    guard let mount = state.withLock({ $0.mount }),
      !(0..<3).contains(where: { _ in mount.isAttached() })
    else { return }
    log.debug("the mount has left the mount table")
    state.withLock { $0.endings.append(EndRequest(reason: .unmounted) { _ in }) }
  }
}
