import Glibc

/// A signal that we deal with.
package struct Signal: RawRepresentable, Hashable, Sendable {
  package let rawValue: CInt
  package init(rawValue: CInt) { self.rawValue = rawValue }

  package static let hangUp = Signal(rawValue: SIGHUP)
  package static let interrupt = Signal(rawValue: SIGINT)
  package static let quit = Signal(rawValue: SIGQUIT)
  package static let terminate = Signal(rawValue: SIGTERM)
  package static let stop = Signal(rawValue: SIGTSTP)
  package static let pipe = Signal(rawValue: SIGPIPE)
  package static let child = Signal(rawValue: SIGCHLD)
  package static let user1 = Signal(rawValue: SIGUSR1)
  package static let user2 = Signal(rawValue: SIGUSR2)
}

/// Keeps signals from interrupting threads, and waits for them in one.
package enum Signals {
  /// Blocks `signals` in this thread and in those that it starts from now on.
  package static func block(_ signals: [Signal]) { fatalError("not yet") }

  /// Undoes ``block(_:)`` in this thread.
  package static func unblock(_ signals: [Signal]) { fatalError("not yet") }

  /// Blocks every signal that can be blocked in this thread and in those that it starts: for threads
  /// that handle secrets, since a signal's frame holds the registers.
  package static func blockAll() { fatalError("not yet") }

  /// A descriptor that becomes readable when one of `signals`, which are blocked, has come.
  package static func descriptor(for signals: [Signal]) throws(Errno) -> Descriptor {
    fatalError("not yet")
  }

  /// Takes one signal off such a descriptor; `nil` if it doesn't block and none has come.
  package static func next(from descriptor: borrowing Descriptor) throws(Errno) -> Signal? {
    fatalError("not yet")
  }

  /// Waits for one of `signals`, which are blocked in every thread.
  package static func wait(for signals: [Signal]) throws(Errno) -> Signal { fatalError("not yet") }

  /// Lets a write to a closed pipe or socket fail instead of killing us.
  package static func ignorePipe() { fatalError("not yet") }

  /// Sends `signal` to a process.
  package static func send(_ signal: Signal, to process: Int32) throws(Errno) {
    fatalError("not yet")
  }

  /// Gives `signal` its default action back and sends it to this process: dies as if it had never
  /// been caught, so that a shell sees the true reason.
  package static func raiseDefault(_ signal: Signal) { fatalError("not yet") }
}
