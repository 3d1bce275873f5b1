import Commands
import Fuse
import Platform
import Secrets
import Session
import Synchronization
import VaultTree

/// The program with a clock that tests set and saves that fail or die where tests want: what the product
/// has no switch for.
///
/// Told by the environment:
/// - `KDBXFS_TEST_CLOCK`: a pipe; each line read from it puts the clock forward by so many seconds,
///   and is added to the file of that name with `.done` behind it.
/// - `KDBXFS_TEST_STEPS`: a file to which each step of each save is added before it is taken.
/// - `KDBXFS_TEST_KILL`: the process kills itself before the step of this number, counted from 1.
/// - `KDBXFS_TEST_FAIL`: `STEP=ERRNO`; this step fails each time, while the file `KDBXFS_TEST_STEPS`
///   with `.fail` behind it is there.
/// - `KDBXFS_TEST_SAVES`: if set, the vault is saved, as by an fsync, before each request that may change
///   something: a save may come between any two steps of an editor.
enum Probe {
  static func make() throws(Errno) -> SessionSurroundings {
    let clock = try SessionClock()
    if let pipe = Process.environment("KDBXFS_TEST_CLOCK") {
      let path = Path(pipe)
      _ = try Thread.start(name: "clock") { follow(path, clock) }
    }
    let steps = StepCounter()
    return SessionSurroundings(clock: clock) { (step) throws(Errno) in try steps.take(step) }
  }

  static var beforeRequest: Kdbxfs.RequestHook? {
    guard Process.environment("KDBXFS_TEST_SAVES") != nil else { return nil }
    return { request, session in
      if request.call.mayChange { try? session.saveAndWait(.fsync) }
    }
  }

  static func append(_ line: String, to path: Path) {
    guard let file = try? Descriptor.open(path, [.write, .create, .append]) else { return }
    let bytes = Array(line.utf8)
    try? file.writeAll(bytes.span)
  }

  private static func follow(_ path: Path, _ clock: SessionClock) {
    // Opened for writing too, so that it doesn't end when a writer goes.
    guard let pipe = try? Descriptor.open(path, .readWrite) else { return }
    var lines = TextLines()
    while let line = lines.next(from: pipe) {
      if let seconds = Int64(line) { clock.advance(by: seconds * 1_000_000_000) }
      append("\(line)\n", to: Path(path.bytes + Array(".done".utf8)))
    }
  }
}

/// Counts the steps of all saves.
final class StepCounter: Sendable {
  private let count = Mutex(0)
  private let log: Path?
  private let last: Int?
  private let failing: (step: String, errno: CInt)?

  init() {
    func text(_ name: String) -> String? {
      Process.environment(name).map { String(decoding: $0, as: UTF8.self) }
    }
    log = Process.environment("KDBXFS_TEST_STEPS").map { Path($0) }
    last = text("KDBXFS_TEST_KILL").flatMap { Int($0) }
    let parts = text("KDBXFS_TEST_FAIL")?.split(separator: "=") ?? []
    failing = parts.count == 2 ? CInt(parts[1]).map { (String(parts[0]), $0) } : nil
  }

  func take(_ step: ReplacementError.Step) throws(Errno) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    note("\(number) \(step.rawValue)\n")
    if number == last { try? Signals.send(.kill, to: Process.id) }
    if let failing, failing.step == step.rawValue, isFailing {
      throw Errno(rawValue: failing.errno)
    }
  }

  private var isFailing: Bool {
    guard let log else { return true }
    return (try? Files.status(of: Path(log.bytes + Array(".fail".utf8)))) != nil
  }

  private func note(_ line: String) {
    if let log { Probe.append(line, to: log) }
  }
}

/// Takes lines off a pipe.
struct TextLines {
  private var pending: [UInt8] = []

  mutating func next(from pipe: borrowing Descriptor) -> String? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        let line = String(decoding: pending[..<end], as: UTF8.self)
        pending.removeSubrange(...end)
        return line
      }
      var piece = WipedBuffer()
      guard let count = try? pipe.read(atMost: 4096, into: &piece), count > 0 else { return nil }
      for index in piece.bytes.indices { pending.append(piece.bytes[index]) }
    }
  }
}
