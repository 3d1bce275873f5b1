import Synchronization

@testable import Platform

/// The tests' other program, running; killed when this goes.
final class RunningProbe: Sendable {
  let process: Int32
  private let input: Mutex<Descriptor?>
  private let output: Descriptor
  private let end = Mutex<Process.End?>(nil)

  init(_ arguments: [String], asUser user: UInt32? = nil) throws {
    let changed = user.map {
      ["setpriv", "--reuid=\($0)", "--regid=\($0)", "--clear-groups"]
    }
    let all = try (changed ?? []) + [probe.description] + arguments
    var toProbe = try Pipe()
    var fromProbe = try Pipe()
    process = try spawn(
      all.map { Array($0.utf8) }, input: toProbe.takeReader(), output: fromProbe.takeWriter())
    input = Mutex(toProbe.takeWriter())
    output = fromProbe.takeReader()
  }

  deinit {
    if end.withLock({ $0 }) == nil {
      try? Signals.send(.kill, to: process)
      _ = try? Process.wait(for: process)
    }
  }

  /// The next line that it says; `nil` when it has ended.
  func nextLine() -> String? { readLine(from: output) }

  /// Lets its standard input end.
  func endInput() {
    input.withLock { $0 = nil }
  }

  func wait() -> Process.End? {
    let ended = try? Process.wait(for: process)
    end.withLock { $0 = ended }
    return ended
  }
}
