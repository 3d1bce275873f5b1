import CPlatform
import Glibc
import Secrets

extension Program {
  /// Whether there is a program of this name along `PATH`.
  package static func isThere(_ name: String) -> Bool {
    // What execvp(3) takes without the variable.
    let folders = Process.environment("PATH") ?? Array("/bin:/usr/bin".utf8)
    let colon = UInt8(ascii: ":")
    return folders.split(separator: colon, omittingEmptySubsequences: false).contains { folder in
      Files.isProgram(Path(folder).appending(name))
    }
  }

  /// Runs a program with `input` on its standard input, and waits until it ends.
  ///
  /// The first of `arguments` is the program, looked for along `PATH`. What it writes is dropped, also by
  /// what it leaves running behind it, which outlives the terminal. It needn't read its input.
  package static func feed(_ arguments: [[UInt8]], input: Span<UInt8>) throws(Failure) {
    let child: FedProgram
    do throws(Errno) { child = try FedProgram(arguments) } catch { throw .start(error) }
    let end: Process.End
    do throws(Errno) { end = try child.end(after: input) } catch { throw .system(error) }
    switch end {
    case .exited(0): return
    case .exited(let status): throw .status(status)
    case .killed(let signal): throw .signal(signal)
    }
  }

  /// Variables for the environment of a program, which may hold secrets.
  package struct Variables: ~Copyable {
    /// `NAME=value` and a NUL, for each.
    fileprivate var text = WipedBuffer()
    fileprivate var count = 0

    package init() {}

    /// Adds one.
    ///
    /// - Precondition: no NUL in either, no `=` in the name, which isn't empty, and not there yet.
    package mutating func append(_ name: some Collection<UInt8>, _ value: Span<UInt8>) {
      precondition(!name.isEmpty && !name.contains(0) && !name.contains(UInt8(ascii: "=")))
      precondition(value.indices.allSatisfy { value[$0] != 0 })
      for byte in name { text.append(byte) }
      text.append(UInt8(ascii: "="))
      text.append(value)
      text.append(0)
      count += 1
    }
  }

  /// Lets a program take this process' place, with `variables` in its environment in the place of those
  /// of the same names; gives why it could not.
  ///
  /// The first of `arguments`, which are without a NUL, is the program, looked for along `PATH`. Signals
  /// are as at a login.
  package static func become(_ arguments: [[UInt8]], adding variables: borrowing Variables) -> Errno
  {
    guard arguments.first?.isEmpty == false else { return .noEntry }
    var words: [CChar] = []
    for word in arguments {
      words += word.map { CChar(bitPattern: $0) }
      words.append(0)
    }
    let error = unsafe words.withUnsafeBufferPointer { words in
      unsafe variables.text.bytes.withUnsafeBytes { text in
        guard let first = words.baseAddress else { return EINVAL }
        // SAFETY: both hold as many texts with a NUL as are counted.
        let start = unsafe text.assumingMemoryBound(to: CChar.self).baseAddress
        return unsafe platform_become_program(first, arguments.count, start, variables.count)
      }
    }
    return Errno(rawValue: error)
  }
}

/// A running program with a pipe to its standard input, which can say nothing.
private struct FedProgram: ~Copyable {
  private let process: Int32
  private let input: Descriptor

  init(_ arguments: [[UInt8]]) throws(Errno) {
    var pipe = try Pipe()
    let reader = pipe.takeReader()
    let null = try Descriptor.open("/dev/null", .readWrite)
    let streams = [reader.number, null.number, null.number]
    process = try spawn(arguments, streams: streams, leavesTerminal: true)
    input = pipe.takeWriter()
  }

  /// Sends all of `text`, and waits for its end; who closes the pipe wants no more of it.
  consuming func end(after text: Span<UInt8>) throws(Errno) -> Process.End {
    let process = process
    try Self.send(text, to: input)
    return try Process.wait(for: process)
  }

  private static func send(_ text: Span<UInt8>, to input: consuming Descriptor) throws(Errno) {
    do throws(Errno) {
      try Signals.withoutPipe { () throws(Errno) in try input.writeAll(text) }
    } catch  where error == .brokenPipe {}
  }
}
