import Platform
import Synchronization

/// Tells the kernel what it must forget, on a thread of its own.
///
/// Such a call waits for locks that the kernel holds while a request of the same directory or file is
/// being served. A thread that serves must never wait for them: two of them would wait for each other
/// for good.
final class Notifier: Sendable {
  enum Notice: Sendable {
    case content(InodeNumber)
    case name([UInt8], in: InodeNumber)
    /// Nothing for the kernel: all before it has been told.
    case mark(Bell)
  }

  private struct State: Sendable {
    var notices: [Notice] = []
    var isEnding = false
  }

  private let state = Mutex(State())
  private let bell: Bell

  init() throws(Errno) { bell = try Bell() }

  func add(_ notice: Notice) {
    let isFirst = state.withLock { state in
      state.notices.append(notice)
      return state.notices.count == 1
    }
    if isFirst { bell.ring() }
  }

  /// Waits until all that was added before has been told, but no longer than so many milliseconds.
  ///
  /// Never for a thread that serves requests.
  func settle(milliseconds: Int) {
    guard let bell = try? Bell() else { return }
    add(.mark(bell))
    _ = try? poll([PollRequest(bell.descriptor.number, .readable)], milliseconds: milliseconds)
  }

  /// Starts the thread.
  ///
  /// Nobody waits for its end: when the mount is served no more, it may hang in the kernel until the
  /// connection is cut, which happens when `core` goes.
  func start(for core: SessionCore) throws(Errno) {
    _ = try Thread.start(name: "fuse-notices") { [self] in
      Signals.blockAll()
      while let notices = next() {
        for notice in notices { core.tell(notice) }
      }
    }
  }

  /// Ends the thread; what waits is dropped.
  func end() {
    state.withLock { $0.isEnding = true }
    bell.ring()
  }

  /// Waits for notices; `nil` at the end.
  private func next() -> [Notice]? {
    while true {
      let (notices, isEnding) = state.withLock { state in
        defer { state.notices = [] }
        return (state.notices, state.isEnding)
      }
      if isEnding { return nil }
      if !notices.isEmpty { return notices }
      // An interruption is as good as a wake-up.
      _ = try? poll([PollRequest(bell.descriptor.number, .readable)])
      bell.silence()
    }
  }
}
