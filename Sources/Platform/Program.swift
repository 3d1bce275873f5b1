import Glibc
package import Secrets

/// Programs that we start, without a shell.
package enum Program {
  package enum Failure: Error, Hashable {
    /// It couldn't be started.
    case start(Errno)
    /// It ended with this status, which isn't 0.
    case status(Int32)
    case signal(Signal)
    /// It wrote more than the limit.
    case tooLong
    /// It took longer than it may, and was ended.
    case tooLate
    case system(Errno)
  }

  /// Runs a program with `input` on its standard input, and gives what it wrote to its standard output.
  ///
  /// The first of `arguments` is the program, looked for along `PATH`. Its standard error is ours, its
  /// signals are as at a login. It needn't read its input. More than `limit` bytes of output are refused,
  /// and it is ended when it hasn't closed its output after so many `milliseconds` (`nil`: never).
  package static func run(
    _ arguments: [[UInt8]], input: Span<UInt8>, limit: Int, milliseconds: Int? = nil
  ) throws(Failure) -> SecretBytes {
    var child: ChildProgram
    do throws(Errno) { child = try ChildProgram(arguments) } catch { throw .start(error) }
    let output: WipedBuffer
    do throws(Failure) {
      output = try child.talk(sending: input, limit: limit, milliseconds: milliseconds)
    } catch {
      // It may be waiting for us, or go on writing.
      try? Signals.send(.kill, to: child.process)
      _ = try? Process.wait(for: child.process)
      throw error
    }
    let end: Process.End
    do throws(Errno) { end = try Process.wait(for: child.process) } catch { throw .system(error) }
    switch end {
    case .exited(0): return SecretBytes(copying: output.bytes)
    case .exited(let status): throw .status(status)
    case .killed(let signal): throw .signal(signal)
    }
  }
}

extension Program {
  /// Runs a program with our own standard streams, as a shell does in front, and waits for its end.
  ///
  /// The first of `arguments` is the program, looked for along `PATH`.
  package static func runInFront(_ arguments: [[UInt8]]) throws(Errno) -> Process.End {
    try Process.wait(for: spawn(arguments, streams: []))
  }
}

/// A running program with pipes to its standard input and output.
private struct ChildProgram: ~Copyable {
  let process: Int32
  /// Closed when all of the input has been sent.
  private var input: Descriptor?
  private let output: Descriptor

  init(_ arguments: [[UInt8]]) throws(Errno) {
    var toChild = try Pipe()
    var fromChild = try Pipe()
    let reader = toChild.takeReader()
    let writer = fromChild.takeWriter()
    process = try spawn(arguments, input: reader, output: writer)
    let input = toChild.takeWriter()
    try? input.setNonBlocking(true)
    self.input = consume input
    output = fromChild.takeReader()
  }

  /// Sends all of `text`, and gathers what comes until the program closes its output.
  mutating func talk(
    sending text: Span<UInt8>, limit: Int, milliseconds: Int?
  ) throws(Program.Failure) -> WipedBuffer {
    let deadline = milliseconds.map { Clock.sinceBoot() + Int64($0) * 1_000_000 }
    var gathered = WipedBuffer(capacity: 4096)
    var rest = text
    var isTooLong = false
    do throws(Errno) {
      while true {
        if rest.isEmpty { input = nil }
        let left = deadline.map { Int(($0 - Clock.sinceBoot()) / 1_000_000) }
        if let left, left <= 0 { break }
        let happened = try waitUntilReady(milliseconds: left)
        if happened.input { try send(&rest) }
        if happened.output {
          let count = try output.read(atMost: 4096, into: &gathered)
          if count == 0 { return gathered }
          isTooLong = gathered.count > limit
          if isTooLong { break }
        }
      }
    } catch {
      throw .system(error)
    }
    throw isTooLong ? .tooLong : .tooLate
  }

  /// Waits for one of the pipes to be able to do something.
  private func waitUntilReady(
    milliseconds: Int?
  ) throws(Errno) -> (input: Bool, output: Bool) {
    var requests = [PollRequest(output.number, .readable)]
    if let number = inputNumber { requests.append(PollRequest(number, .writable)) }
    do throws(Errno) {
      let happened = try poll(requests, milliseconds: milliseconds)
      return (happened.count > 1 && !happened[1].isEmpty, !happened[0].isEmpty)
    } catch  where error == .interrupted {
      return (false, false)
    }
  }

  private var inputNumber: CInt? {
    switch input {
    case .some(let input): input.number
    case .none: nil
    }
  }

  /// Sends what the pipe takes; a program that closed its input wants no more of it.
  private mutating func send(_ rest: inout Span<UInt8>) throws(Errno) {
    guard let number = inputNumber else { return }
    do throws(Errno) {
      let count = try Signals.withoutPipe { () throws(Errno) in
        try unsafe rest.withUnsafeBytes { (bytes) throws(Errno) in
          try systemCall { unsafe write(number, bytes.baseAddress, bytes.count) }
        }
      }
      rest = rest.extracting(droppingFirst: count)
    } catch {
      switch error {
      case .tryAgain: return
      case .brokenPipe: rest = rest.extracting(first: 0)
      default: throw error
      }
    }
  }
}
