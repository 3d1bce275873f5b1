import Glibc
package import Secrets

/// The terminal of the person who started us, whatever standard input is.
package enum Terminal {
  package enum Failure: Error, Hashable {
    /// There is none.
    case noTerminal
    /// The input ended before a line did.
    case endOfInput
    /// More bytes than a line may have.
    case tooLong
    /// A signal came; the terminal is as it was, and the signal is the caller's to obey.
    case interrupted(Signal)
    case system(Errno)
  }

  /// Whether there is a terminal to ask on.
  package static var isAvailable: Bool { (try? open()) != nil }

  /// Shows `prompt` on the terminal and reads a line, which isn't shown.
  ///
  /// The line feed isn't part of the answer. The terminal's settings are put back whatever happens,
  /// also on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP; after the last, the prompt is shown again
  /// when the process goes on.
  ///
  /// Call it while this process has one thread: for the while those signals are blocked in this one,
  /// and another would get them.
  package static func readSecret(prompt: String) throws(Failure) -> SecretBytes {
    let terminal = try open()
    let held = HeldSignals([.hangUp, .interrupt, .quit, .terminate, .stop])
    while true {
      switch try ask(terminal, prompt, held) {
      case .line(let line): return line
      case .signal(.stop):
        // Stops here, until someone continues us.
        Signals.raiseDefault(.stop)
        Signals.block([.stop])
      case .signal(let signal): throw .interrupted(signal)
      }
    }
  }

  private static func open() throws(Failure) -> Descriptor {
    do throws(Errno) {
      return try Descriptor.open("/dev/tty", .readWrite)
    } catch {
      throw .noTerminal
    }
  }

  /// Asks once, until a line or a signal comes.
  private static func ask(
    _ terminal: borrowing Descriptor, _ prompt: String, _ held: borrowing HeldSignals
  ) throws(Failure) -> QuietTerminal.Answer {
    let text = Array(prompt.utf8)
    do throws(Errno) {
      let signals = try Signals.descriptor(for: held.signals)
      let quiet = try QuietTerminal(terminal)
      try terminal.writeAll(text.span)
      return try quiet.readLine(or: signals)
    } catch {
      throw Failure(error)
    }
  }
}

extension Terminal.Failure {
  fileprivate init(_ error: Errno) {
    self =
      switch error {
      // The terminal is gone, or the line has ended before it began.
      case .inputOutput, .noData: .endOfInput
      case .nameTooLong: .tooLong
      case .notTerminal: .noTerminal
      default: .system(error)
      }
  }
}

/// A terminal that doesn't show what is typed, until the value goes.
private struct QuietTerminal: ~Copyable {
  enum Answer: ~Copyable {
    case line(SecretBytes)
    case signal(Signal)
  }

  /// The longest line that the kernel hands out, with its line feed: `MAX_CANON`, termios(3).
  private static let mostBytes = 4096

  private let number: CInt
  private let before: termios

  init(_ terminal: borrowing Descriptor) throws(Errno) {
    let number = terminal.number
    var settings = termios()
    try systemCall { unsafe tcgetattr(number, &settings) }
    let before = settings
    settings.c_lflag &= ~tcflag_t(ECHO | ECHONL)
    settings.c_lflag |= tcflag_t(ICANON | ISIG)
    // What was typed before the question isn't the answer.
    try systemCall { unsafe tcsetattr(number, TCSAFLUSH, &settings) }
    self.number = number
    self.before = before
  }

  deinit {
    var settings = before
    _ = try? systemCall { unsafe tcsetattr(number, TCSADRAIN, &settings) }
    // The one that was typed didn't show.
    _ = unsafe write(number, "\n", 1)
  }

  /// Reads a line into locked memory, unless a signal comes first.
  ///
  /// An end before the first byte is ``Errno/noData``, a line without an end ``Errno/nameTooLong``.
  borrowing func readLine(or signals: borrowing Descriptor) throws(Errno) -> Answer {
    let (number, signals) = (number, signals.number)
    var count = 0
    var signal: Signal?
    let buffer = try SecretBytes(zeroed: Self.mostBytes) { (bytes) throws(Errno) in
      while signal == nil {
        let happened = try Self.wait(for: number, or: signals)
        if happened.signal {
          signal = try Signals.next(from: signals)
        } else if happened.input {
          let start = count
          count += try Self.read(number, into: &bytes, from: start)
          if count == start, count > 0 { return }
          for i in start..<count where bytes[i] == UInt8(ascii: "\n") {
            count = i
            return
          }
        }
      }
    }
    if let signal { return .signal(signal) }
    return .line(buffer.withBytes { SecretBytes(copying: $0.extracting(first: count)) })
  }

  private static func wait(
    for terminal: CInt, or signals: CInt
  ) throws(Errno) -> (input: Bool, signal: Bool) {
    do throws(Errno) {
      let happened = try poll([
        PollRequest(terminal, .readable), PollRequest(signals, .readable),
      ])
      return (!happened[0].isEmpty, !happened[1].isEmpty)
    } catch  where error == .interrupted {
      return (false, false)
    }
  }

  /// Gives the number of bytes read; 0 only at an end that follows some.
  private static func read(
    _ terminal: CInt, into bytes: inout MutableSpan<UInt8>, from start: Int
  ) throws(Errno) -> Int {
    guard start < mostBytes else {
      // The rest of the line is no command for the shell either.
      tcflush(terminal, TCIFLUSH)
      throw .nameTooLong
    }
    let count = try unsafe bytes.withUnsafeMutableBytes { (bytes) throws(Errno) in
      try systemCall {
        unsafe Glibc.read(terminal, bytes.baseAddress.map { unsafe $0 + start }, mostBytes - start)
      }
    }
    guard count > 0 || start > 0 else { throw .noData }
    return count
  }
}
