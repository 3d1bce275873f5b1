import KDBX
import Platform
import Secrets
import Synchronization
import VaultTree

/// Answers the commands that are meant for one mount, on a socket in the user's runtime folder.
///
/// One thread waits for callers, and each caller gets one of its own, so that `status` is answered
/// while `umount` waits for its save. The first also tells those who wait that the process lives. Only the same user and root are answered.
package final class ControlServer: Sendable {
  /// The most callers at a time; one more is turned away.
  private static let mostCallers = 16

  private let session: VaultSession
  private let path: Path
  private let listener: Descriptor
  /// Rung for good when no more callers are taken.
  private let ending: Bell
  /// Rung when a caller has gone.
  private let leaving: Bell
  private let callers = Mutex<Int>(0)
  private let pulse = ControlPulse()

  /// Begins to listen; ``VaultSession`` must have been started with the mount's own path.
  package init(for session: VaultSession) throws(SessionError) {
    do throws(RuntimeDirectory.Failure) {
      path = ControlPlace.socket(for: session.mountPoint, in: try RuntimeDirectory.locate())
    } catch {
      throw Self.failure(error)
    }
    self.session = session
    do throws(Errno) {
      ending = try Bell()
      leaving = try Bell()
      listener = try UnixSocket.listen(at: path)
      _ = try Thread.start(name: "control") { self.listen() }
    } catch {
      throw Self.failure("\(error)")
    }
  }

  private static func failure(_ failure: RuntimeDirectory.Failure) -> SessionError {
    switch failure {
    case .system(let path, let errno): self.failure("'\(path)': \(errno)")
    case .notOurs(let path):
      SessionError(
        .refused,
        "the control socket can't be made: '\(path)' is somebody else's, a link, or open to others",
        hints: ["remove it, or close it with 'chmod 700'; $XDG_RUNTIME_DIR names another place"])
    }
  }

  private static func failure(_ reason: String) -> SessionError {
    SessionError(.refused, "the control socket can't be made: \(reason)")
  }

  /// Takes no more callers, and waits until those that are there have their answers.
  ///
  /// - Precondition: the session has ended, so that every answer is at hand.
  package func stop() {
    try? Files.remove(path)
    ending.ring()
    while callers.withLock({ $0 }) > 0 {
      _ = try? poll([PollRequest(leaving.descriptor.number, .readable)])
      leaving.silence()
    }
  }

  // MARK: - Callers

  private func listen() {
    while true {
      guard
        let happened = try? poll(
          [
            PollRequest(listener.number, .readable),
            PollRequest(ending.descriptor.number, .readable),
          ], milliseconds: callers.withLock { $0 } > 0 ? ControlPulse.interval : nil)
      else { continue }
      if !happened[1].isEmpty { return }
      if happened[0].isEmpty {
        pulse.beat()
        continue
      }
      guard let caller = try? UnixSocket.accept(from: listener) else { continue }
      take(caller)
    }
  }

  private func take(_ caller: consuming Descriptor) {
    guard isAllowed(caller) else { return }
    let isFull = callers.withLock { count in
      if count == Self.mostCallers { return true }
      count += 1
      return false
    }
    if isFull { return }
    let number = caller.release()
    do throws(Errno) {
      _ = try Thread.start(name: "caller") {
        self.serve(Descriptor(owning: number))
        self.forgetCaller()
      }
    } catch {
      _ = Descriptor(owning: number)
      forgetCaller()
    }
  }

  private func forgetCaller() {
    callers.withLock { $0 -= 1 }
    leaving.ring()
  }

  private func isAllowed(_ caller: borrowing Descriptor) -> Bool {
    guard let peer = try? UnixSocket.peer(of: caller) else { return false }
    return peer.user == Process.user || peer.user == 0
  }

  /// Who is at the other end, for the log.
  private func accessor(of caller: borrowing Descriptor) -> Accessor? {
    guard let peer = try? UnixSocket.peer(of: caller) else { return nil }
    return session.callers.accessor(thread: peer.process, user: peer.user)
  }

  /// Answers line after line until the caller goes.
  private func serve(_ caller: consuming Descriptor) {
    var lines = LineReader(caller.number, waitingAtMost: 10_000, orUntil: ending.descriptor.number)
    while let line = lines.next(from: caller) {
      var answer = pulse.during(caller.number) { self.answer(to: line, &lines, from: caller).bytes }
      answer.append(UInt8(ascii: "\n"))
      guard (try? caller.writeAll(answer.span)) != nil else { return }
    }
  }

  private func answer(
    to line: [UInt8], _ lines: inout LineReader, from caller: borrowing Descriptor
  ) -> JSONObject {
    guard let object = JSONObject(reading: line.span), let request = ControlRequest(object) else {
      return SessionError(.refused, "the request can't be understood").answer
    }
    let known = session.log.warnings
    do throws(SessionError) {
      switch request {
      case .status: return session.status
      case .entries(let query):
        let answer = try query.answer(
          from: session.tree, saved: session.outside.base, for: accessor(of: caller))
        // Who is answered finds in the mount what the answer says.
        if query.mayChange { session.state.withLock { $0.mount }?.settle() }
        return answer
      case .log: return try session.accessLog
      case .save: try session.saveAndWait(.save)
      case .lock: try session.lockAndWait(.request)
      case .unlockAgain: try session.unlockAndWait(with: nil)
      case .unlock(let passwordCount, let keyCount):
        let keys = try Self.keys(
          passwordCount, keyCount, &lines, from: caller, session.responder)
        try session.unlockAndWait(with: keys)
      case .unmount(let lazily, let rescuing):
        let answer = try Answer()
        session.end(.request(lazily: lazily, rescuing: rescuing)) { answer.give($0) }
        if let failure = answer.wait() { throw failure }
      }
      let news = session.log.warnings.filter { !known.contains($0) }
      guard !news.isEmpty else { return ["ok": .boolean(true)] }
      return ["ok": .boolean(true), "warnings": .strings(news)]
    } catch {
      return error.answer
    }
  }

  /// Reads the secrets that follow an `unlock`.
  private static func keys(
    _ passwordCount: Int?, _ keyCount: Int?, _ lines: inout LineReader,
    from caller: borrowing Descriptor, _ responder: ChallengeResponder?
  ) throws(SessionError) -> UnlockKeys {
    var password: SecretBytes?
    var key: SecretBytes?
    if let passwordCount { password = try secret(passwordCount, &lines, from: caller) }
    if let keyCount { key = try secret(keyCount, &lines, from: caller) }
    return UnlockKeys(password: password, keyFileKey: key, responder: responder)
  }

  private static func secret(
    _ count: Int, _ lines: inout LineReader, from caller: borrowing Descriptor
  ) throws(SessionError) -> SecretBytes {
    guard let secret = lines.secret(count, from: caller) else {
      throw SessionError(.refused, "the key did not come whole")
    }
    return secret
  }
}
