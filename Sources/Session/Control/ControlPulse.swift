import Platform
import Synchronization

/// Tells callers who wait for long work that the process lives: a line now and then.
///
/// They can't see whether a save takes long or the process is stopped, and shouldn't wait for ever for the
/// latter.
final class ControlPulse: Sendable {
  /// The line; no answer is like it.
  static let line = Array("{}".utf8)
  /// How often it is sent, in milliseconds.
  static let interval = 2000

  /// The sockets of those who wait, which stay open as long as they are in it.
  private let waiting = Mutex<Set<CInt>>([])

  /// Whether somebody waits.
  var isNeeded: Bool { waiting.withLock { !$0.isEmpty } }

  /// Runs `body`; who is at the other end of the socket hears meanwhile that it is worked on.
  func during<R>(_ number: CInt, _ body: () -> R) -> R {
    _ = waiting.withLock { $0.insert(number) }
    // Nothing is sent any more when this has returned: the answer comes next.
    defer { _ = waiting.withLock { $0.remove(number) } }
    return body()
  }

  /// Tells all who wait; waits for nobody.
  func beat() {
    waiting.withLock { waiting in
      for socket in waiting { UnixSocket.sendAtOnce(Self.line + [UInt8(ascii: "\n")], to: socket) }
    }
  }
}
