import Platform
import Secrets
import Synchronization

/// Receives and serves requests until the mount is gone or the serving is to end.
///
/// Many threads may do this for one session. Each waits within `read`, as nothing wakes a thread for less;
/// receives into a locked buffer of its own, of which as many bytes are overwritten after each request as
/// the request had; and is woken by ``Thread/interruptAndJoin()`` when it is to end.
func serveUntilOver(_ core: SessionCore, _ ending: Ending) {
  let interruption = Interruption()
  // A request may hold a secret: what a process writes into a field.
  let buffer = LockedPages(count: Capabilities.mostBytesOfMessage)
  while !ending.hasBegun {
    switch core.receiveAndServe(into: buffer) {
    case .served(let count): buffer.wipe(first: count)
    case .none: continue
    case .over, .failed:
      // A device that fails otherwise is broken for good.
      ending.begin()
    }
  }
  _ = consume interruption
}

/// The end of the serving, which anyone may bring about.
final class Ending: Sendable {
  private let bell: Bell
  private let isRung = Atomic<Bool>(false)

  init() throws(Errno) { bell = try Bell() }

  /// Whether threads are to serve no further request.
  var hasBegun: Bool { isRung.load(ordering: .acquiring) }

  /// Ends the serving for good; threads that wait for requests are woken by who waits for this.
  func begin() {
    isRung.store(true, ordering: .releasing)
    bell.ring()
  }

  /// Returns when it has begun.
  func wait() {
    while !hasBegun {
      // What can go wrong is an interruption, and memory that is short for a moment.
      _ = try? poll([PollRequest(bell.descriptor.number, .readable)])
    }
  }
}
