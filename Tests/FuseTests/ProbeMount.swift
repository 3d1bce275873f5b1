import Glibc

/// A mount that `fuse-probe`, a program of the tests, serves; gone when this object goes.
@safe
final class ProbeMount {
  /// The mount point, an absolute path.
  let path: String
  /// The number of the program's process.
  private(set) var process = 0
  /// What the program says.
  private let output: UnsafeMutablePointer<FILE>

  /// Mounts, and waits until the mount answers.
  init(threads: Int = 2) throws {
    let base = unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    var template = Array("\(base)/fuse-tests-XXXXXX".utf8CString)
    guard unsafe mkdtemp(&template) != nil else { throw Failure.system(errno) }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let command = "exec '\(try Self.program())' memory '\(path)' \(threads)"
    guard let output = unsafe popen(command, "r") else { throw Failure.system(errno) }
    unsafe self.output = output
    let words = nextLine()?.split(separator: " ") ?? []
    guard words.count == 2, words[0] == "mounted", let process = Int(words[1]) else {
      throw Failure.notMounted
    }
    self.process = process
  }

  deinit {
    unsafe umount2(path, CInt(MNT_DETACH))
    unsafe pclose(output)
    unsafe rmdir(path)
  }

  enum Failure: Error {
    case system(CInt)
    case notMounted
  }

  /// The next line that the program says; `nil` when it has ended.
  func nextLine() -> String? {
    var line: UnsafeMutablePointer<CChar>?
    var room = 0
    defer { unsafe free(line) }
    guard unsafe getline(&line, &room, output) > 0, let line = unsafe line else { return nil }
    return unsafe String(cString: line).trimmingLineFeed()
  }

  /// Waits until the program says that its serving is over; `false` if it ends without.
  func isOver() -> Bool {
    while let line = nextLine() { if line == "over" { return true } }
    return false
  }

  /// Whether the mount is in the mount table.
  var isAttached: Bool {
    Shell.run("grep -F ' \(path) ' /proc/self/mountinfo || echo gone", in: "/") != "gone\n"
  }

  /// Runs shell commands in the mount, twenty seconds at most; gives what they write, errors too.
  func run(_ script: String) -> String { Shell.run(script, in: path) }

  /// Where the build put the program: beside the tests.
  private static func program() throws -> String {
    var room = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = unsafe readlink("/proc/self/exe", &room, room.count)
    guard count > 0 else { throw Failure.system(errno) }
    let test = String(decoding: room.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = test.split(separator: "/", omittingEmptySubsequences: false).dropLast()
    return folder.joined(separator: "/") + "/fuse-probe"
  }

  /// Whether this machine and user can mount.
  static var isPossible: Bool {
    unsafe geteuid() == 0 && access("/dev/fuse", R_OK | W_OK) == 0
  }
}

/// Shell commands of the tests.
enum Shell {
  /// Runs `script` in `folder`, twenty seconds at most; gives what it writes, errors too.
  static func run(_ script: String, in folder: String) -> String {
    let quoted = script.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''")
    let command = "cd '\(folder)' && LC_ALL=C timeout 20 sh -c '\(quoted)' 2>&1"
    guard let output = unsafe popen(command, "r") else { return "popen failed" }
    var text: [UInt8] = []
    while case let byte = unsafe getc(output), byte != EOF { text.append(UInt8(byte)) }
    let status = unsafe pclose(output) >> 8
    return String(decoding: text, as: UTF8.self) + (status == 0 ? "" : "status \(status)\n")
  }
}

extension String {
  fileprivate func trimmingLineFeed() -> String { last == "\n" ? String(dropLast()) : self }
}
