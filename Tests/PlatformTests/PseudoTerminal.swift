import Glibc
import Secrets
import Synchronization

@testable import Platform

/// A terminal with the tests' other program on it, asking.
final class PseudoTerminal {
  let process: Int32
  /// What has been shown so far.
  private(set) var shown = ""
  private var controller: Descriptor?
  private let output: Descriptor

  /// Runs `script` of bash, where `$PROBE` is the program, with the terminal as its own.
  init(_ script: String = "exec $PROBE ask") throws {
    // As posix_openpt(3), unlockpt(3) and ptsname(3) do, which aren't in Swift's Glibc.
    let controller = try Descriptor.open("/dev/ptmx", .readWrite)
    let mine = controller.number
    var (unlocked, index) = (0 as CInt, 0 as CInt)
    try systemCall { unsafe ioctl(mine, 0x4004_5431, &unlocked) }
    try systemCall { unsafe ioctl(mine, 0x8004_5430, &index) }
    let terminal = "/dev/pts/\(index)"
    // The leader of a new session that opens a terminal gets it as its own.
    let script = "exec <'\(terminal)' 2<>'\(terminal)'; PROBE='\(try probe.description)'; " + script
    var pipe = try Pipe()
    let nothing = try Descriptor.open("/dev/null")
    process = try spawn(
      ["setsid", "bash", "-c", script].map { Array($0.utf8) }, input: nothing,
      output: pipe.takeWriter())
    output = pipe.takeReader()
    self.controller = consume controller
  }

  deinit {
    try? Signals.send(.kill, to: process)
    _ = try? Process.wait(for: process)
  }

  /// The next line that the script says to its standard output.
  func nextLine() -> String? { readLine(from: output) }

  /// Whether the terminal shows what is typed.
  var echoes: Bool {
    guard let number = number else { return false }
    var settings = termios()
    return unsafe tcgetattr(number, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }

  func type(_ text: String) {
    let bytes = Array(text.utf8)
    guard let number = number else { return }
    unsafe _ = write(number, bytes, bytes.count)
  }

  /// Waits until all that is shown, from the last wait on, ends so.
  func wait(for text: String) -> Bool {
    let start = shown.utf8.count
    while !String(decoding: Array(shown.utf8).dropFirst(start), as: UTF8.self).hasSuffix(text) {
      guard takeShown() else { return false }
    }
    return true
  }

  /// Gives what the program said to its standard output.
  func waitForEnd() -> String {
    let said = (try? Files.readWhole(output))?.array ?? []
    while let number,
      (try? poll([PollRequest(number, .readable)], milliseconds: 0))?[0].isEmpty
        == false, takeShown()
    {}
    return String(decoding: said, as: UTF8.self)
  }

  /// Takes the terminal away from the program.
  func hangUp() { controller = nil }

  private var number: CInt? {
    switch controller {
    case .some(let controller): controller.number
    case .none: nil
    }
  }

  private func takeShown() -> Bool {
    guard let number else { return false }
    var bytes = [UInt8](repeating: 0, count: 1000)
    let count = unsafe read(number, &bytes, bytes.count)
    guard count > 0 else { return false }
    shown += String(decoding: bytes.prefix(count), as: UTF8.self)
    return true
  }
}
