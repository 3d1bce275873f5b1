import Glibc
import Platform
import Synchronization

/// What a vault's process tells people.
///
/// On standard error while someone may be reading there, in the system's log after that. Warnings are
/// also kept for `status`. A line holds no secret, and neither a name nor a title of the vault.
package final class SessionLog: Sendable {
  /// The most warnings that are kept; the oldest goes first.
  private static let keptWarnings = 20

  private struct State {
    var goesToSystem = false
    var warnings: [String] = []
  }

  private let state = Mutex(State())
  private let isQuiet: Bool
  private let isVerbose: Bool
  private let isSilent: Bool

  /// With `isSilent` nothing is said at all, and warnings are only kept.
  package init(isQuiet: Bool = false, isVerbose: Bool = false, isSilent: Bool = false) {
    self.isQuiet = isQuiet
    self.isVerbose = isVerbose
    self.isSilent = isSilent
  }

  /// From now on nobody reads standard error.
  package func moveToSystemLog() {
    state.withLock { $0.goesToSystem = true }
  }

  /// Says what went wrong; also with `-q`.
  package func error(_ message: String) {
    say("kdbxfs: error: \(message)", priority: LOG_ERR)
  }

  /// Says what to try; also with `-q`.
  package func hint(_ message: String) {
    say("kdbxfs: hint: \(message)", priority: LOG_NOTICE)
  }

  /// Says what a person should know, and keeps it for `status`.
  package func warning(_ message: String) {
    state.withLock { state in
      if state.warnings.contains(message) { return }
      if state.warnings.count == Self.keptWarnings { state.warnings.removeFirst() }
      state.warnings.append(message)
    }
    if !isQuiet { say("kdbxfs: warning: \(message)", priority: LOG_WARNING) }
  }

  /// Says what is being done, with `-d`.
  package func debug(_ message: @autoclosure () -> String) {
    if isVerbose { say("kdbxfs: \(message())", priority: LOG_DEBUG) }
  }

  /// The warnings so far, the oldest first.
  package var warnings: [String] { state.withLock { $0.warnings } }

  private func say(_ line: String, priority: CInt) {
    if isSilent { return }
    guard state.withLock({ $0.goesToSystem }) else {
      StandardStream.error.say(line)
      return
    }
    unsafe line.withCString { line in
      // SAFETY: the format takes one string, which lives until the call returns.
      unsafe withVaList([line]) { unsafe vsyslog(priority | LOG_USER, "%s", $0) }
    }
  }
}
