import CPlatform
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
  package static let kill = Signal(rawValue: SIGKILL)
  package static let pipe = Signal(rawValue: SIGPIPE)
  package static let child = Signal(rawValue: SIGCHLD)
  package static let user1 = Signal(rawValue: SIGUSR1)
  package static let user2 = Signal(rawValue: SIGUSR2)
}

/// Keeps signals from interrupting threads, and waits for them in one.
package enum Signals {
  /// Blocks `signals` in this thread and in those that it starts from now on.
  package static func block(_ signals: [Signal]) { setMask(SIG_BLOCK, set(of: signals)) }

  /// Undoes ``block(_:)`` in this thread.
  package static func unblock(_ signals: [Signal]) { setMask(SIG_UNBLOCK, set(of: signals)) }

  /// Forgets those of `signals` that have come and wait because they are blocked.
  package static func forget(_ signals: [Signal]) {
    for signal in signals {
      // To ignore a signal drops what waits of it (POSIX).
      let before = Glibc.signal(signal.rawValue, SIG_IGN)
      _ = Glibc.signal(signal.rawValue, before)
    }
  }

  /// Blocks every signal that can be blocked in this thread and in those that it starts: for threads
  /// that handle secrets, since a signal's frame holds the registers.
  package static func blockAll() {
    var all = sigset_t()
    unsafe sigfillset(&all)
    setMask(SIG_BLOCK, all)
  }

  /// A descriptor that becomes readable when one of `signals`, which are blocked, has come.
  ///
  /// It doesn't block.
  package static func descriptor(for signals: [Signal]) throws(Errno) -> Descriptor {
    let numbers = signals.map(\.rawValue)
    return Descriptor(owning: try systemCall { unsafe platform_signals(numbers, numbers.count) })
  }

  /// Takes one signal off such a descriptor; `nil` if none has come.
  package static func next(from descriptor: borrowing Descriptor) throws(Errno) -> Signal? {
    try next(from: descriptor.number)
  }

  static func next(from number: CInt) throws(Errno) -> Signal? {
    do throws(Errno) {
      return Signal(rawValue: try systemCall { platform_next_signal(number) })
    } catch  where error == .tryAgain {
      return nil
    }
  }

  /// Waits for one of `signals`, which are blocked in every thread.
  package static func wait(for signals: [Signal]) throws(Errno) -> Signal {
    var set = set(of: signals)
    return Signal(rawValue: try systemCall { unsafe sigwaitinfo(&set, nil) })
  }

  /// Lets a write to a closed pipe or socket fail instead of killing us.
  package static func ignorePipe() { signal(SIGPIPE, SIG_IGN) }

  /// Sends `signal` to a process.
  package static func send(_ signal: Signal, to process: Int32) throws(Errno) {
    try systemCall { kill(process, signal.rawValue) }
  }

  /// Gives `signal` its default action back and sends it to this process.
  ///
  /// The process dies (or stops, until it is continued) as if it had never been caught, so that a shell
  /// sees the true reason.
  package static func raiseDefault(_ signal: Signal) {
    Glibc.signal(signal.rawValue, SIG_DFL)
    unblock([signal])
    _ = raise(signal.rawValue)
  }

  /// Runs `body` with SIGPIPE blocked in this thread, and takes away what came of it.
  static func withoutPipe<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
    var pipe = set(of: [.pipe])
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &pipe, &before)
    defer {
      var now = timespec()
      while unsafe sigtimedwait(&pipe, nil, &now) == SIGPIPE {}
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }
    return try body()
  }

  /// The kernel's form of a set.
  static func set(of signals: [Signal]) -> sigset_t {
    var set = sigset_t()
    unsafe sigemptyset(&set)
    for signal in signals { unsafe sigaddset(&set, signal.rawValue) }
    return set
  }

  private static func setMask(_ how: CInt, _ set: sigset_t) {
    var set = set
    unsafe pthread_sigmask(how, &set, nil)
  }

  /// Whether this process ignores `signal`, as one does that was started by nohup(1).
  static func isIgnored(_ signal: Signal) -> Bool {
    var action = sigaction()
    guard unsafe sigaction(signal.rawValue, nil, &action) == 0 else { return false }
    // SIG_IGN is the address 1.
    return unsafe unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == 1
  }
}

/// Signals that are blocked in this thread until the value goes.
///
/// Those that the process ignores are left out: blocked ones would be kept, and come.
struct HeldSignals: ~Copyable {
  let signals: [Signal]
  private let before: sigset_t

  init(_ signals: [Signal]) {
    self.signals = signals.filter { !Signals.isIgnored($0) }
    var set = Signals.set(of: self.signals)
    var before = sigset_t()
    unsafe pthread_sigmask(SIG_BLOCK, &set, &before)
    self.before = before
  }

  deinit {
    var before = before
    unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
  }
}
