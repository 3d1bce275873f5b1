import CPlatform
import Glibc

/// This process and its children.
package enum Process {
  /// How a child ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(Signal)

    /// Takes apart what wait(2) gives.
    init(status: CInt) {
      let signal = status & 0x7F
      self = signal == 0 ? .exited(status >> 8 & 0xFF) : .killed(Signal(rawValue: signal))
    }
  }

  /// Makes a second process of this one, which runs `body` and ends with what that gives; gives its
  /// number.
  ///
  /// `body` runs on a thread of its own, which has the signals blocked that the caller has; the copy
  /// of the caller's thread only waits for it. For Swift's locks, those of the runtime too, hold the
  /// kernel's number of the thread that locked, and each thread remembers its number: the copy of the
  /// caller's remembers that of the original, and the first lock that someone waits for while it holds
  /// it is never released.
  ///
  /// - Precondition: this process has no other thread.
  package static func fork(
    running body: @escaping @Sendable () -> Int32
  ) throws(Errno) -> Int32 {
    let child = try systemCall { platform_fork() }
    guard child == 0 else { return child }
    do throws(Errno) {
      let thread = try Thread.start(name: "main") { exit(body()) }
      // A signal is for the thread that works.
      Signals.blockAll()
      thread.join()
    } catch {}
    exitNow(1)
  }

  /// Waits for a child of ours to end.
  package static func wait(for child: Int32) throws(Errno) -> End {
    var status: CInt = 0
    try systemCall { unsafe waitpid(child, &status, 0) }
    return End(status: status)
  }

  /// Leaves the session of the terminal: setsid(2).
  package static func startSession() throws(Errno) {
    try systemCall { setsid() }
  }

  /// Ends at once, without running what `exit` would run: for a forked child.
  package static func exitNow(_ status: Int32) -> Never { _exit(status) }

  /// Ends; nothing on the stack is destroyed, so no secret may be alive.
  package static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  package static var id: Int32 { getpid() }

  /// The user that this process acts for.
  package static var user: UInt32 { geteuid() }

  /// What that user is called; the number where there is no name.
  package static var userName: String {
    (try? UserSwitch(to: Array("\(user)".utf8)))?.title ?? "\(user)"
  }

  /// The group that this process acts for.
  package static var group: UInt32 { getegid() }

  /// How many processors there are for us; at least one.
  package static var processorCount: Int { max(1, sysconf(CInt(_SC_NPROCESSORS_ONLN))) }

  /// The arguments of `main` as bytes, the program's name first.
  package static var arguments: [[UInt8]] {
    let count = Int(CommandLine.argc)
    // SAFETY: the C library keeps `argc` pointers to texts with a NUL as long as the process lives.
    return unsafe UnsafeBufferPointer(start: CommandLine.unsafeArgv, count: count).map { text in
      guard let text = unsafe text else { return [] }
      return unsafe [UInt8](cString: text)
    }
  }

  /// A variable of the environment; `nil` if there is none of that name.
  package static func environment(_ name: String) -> [UInt8]? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe [UInt8](cString: value)
  }

  /// Puts `/dev/null` in the place of the descriptors 0, 1 and 2.
  package static func detachStandardStreams() throws(Errno) {
    let null = try Descriptor.open("/dev/null", .readWrite)
    for stream in 0...2 as ClosedRange<CInt> {
      let number = null.number
      try systemCall { dup2(number, stream) }
    }
    // Where a stream was closed before, it became `null` itself: that one stays open.
    if null.number <= 2 { _ = null.release() }
  }
}
