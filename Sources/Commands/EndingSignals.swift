import Glibc
import Platform

/// The signals that end us: SIGTERM, SIGINT, SIGHUP.
enum EndingSignals {
  static let all: [Signal] = [.terminate, .interrupt, .hangUp]

  /// Until something is mounted they end the process at once, with the exit code for it.
  ///
  /// The handler does nothing but that: no memory of ours is touched by it.
  static func endAtOnce() {
    for number in all {
      _ = signal(number.rawValue) { _ in _exit(ExitCode.interrupted.rawValue) }
    }
  }

  /// From now on they wait until ``watch(_:)`` takes them; in threads started from now on, too.
  static func hold() { Signals.block(all) }

  /// Undoes ``hold()`` in this thread.
  static func letGo() { Signals.unblock(all) }

  /// Gives each signal to `handler`, on a thread of its own.
  static func watch(_ handler: @escaping @Sendable (Signal) -> Void) throws(Errno) {
    _ = try Thread.start(name: "signals") {
      while let signal = try? Signals.wait(for: all) { handler(signal) }
    }
  }
}
