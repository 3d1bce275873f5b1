import ByteCoding
import Platform
import Secrets

/// A vault that its user has named: `~/.config/kdbxfs/NAME.conf` says which file it is, where it is
/// mounted, and how.
///
/// A line is empty, a comment that begins with `#`, or `key = value`: `vault` and `mountpoint`, which
/// must be there, `options` with words as after `-o`, and any long option of mounting. A flag is its
/// name alone, or `= yes`; `= no` is as if the line weren't there. `~/` in front of a path is the home
/// folder.
struct NamedVault {
  /// The most bytes of a file that are read.
  private static let limit = 1 << 16

  let name: String
  /// The file that names it.
  let file: Path
  private(set) var vault = Path("")
  private(set) var mountPoint = Path("")
  /// Options as on a command line: `--name` or `--name=value` each.
  private(set) var options: [[UInt8]] = []
  /// The line that names the vault.
  private(set) var vaultLine = 0
  /// The first thing that is wrong with the file: nothing is mounted by it then, but a mount that is
  /// there is still found.
  private(set) var fault: Complaint?

  /// The folder of such files: `${XDG_CONFIG_HOME:-~/.config}/kdbxfs`.
  static var folder: Path? {
    if let folder = Process.environment("XDG_CONFIG_HOME").map({ Path($0) }), folder.isAbsolute {
      return folder.appending("kdbxfs")
    }
    return home?.appending(".config").appending("kdbxfs")
  }

  private static var home: Path? {
    Process.environment("HOME").map { Path($0) }.flatMap { $0.isAbsolute ? $0 : nil }
  }

  /// Whether `word` can be a name: no path, and not hidden.
  static func isName(_ word: [UInt8]) -> Bool {
    !word.isEmpty && word[0] != UInt8(ascii: ".") && !word.contains(UInt8(ascii: "/"))
  }

  /// The file that would name `word`, if there is one.
  static func file(for word: [UInt8]) -> Path? {
    guard isName(word), let folder else { return nil }
    let file = folder.appending(word + Array(".conf".utf8))
    return (try? Files.status(of: file)) == nil ? nil : file
  }

  /// Reads what `word` names; throws where not even the mount point can be told.
  init(_ word: [UInt8]) throws(Complaint) {
    name = Path(word).description
    guard let folder = Self.folder, Self.isName(word) else {
      throw .usage("'\(name)' is no name of a vault")
    }
    file = folder.appending(word + Array(".conf".utf8))
    let (text, status): ([UInt8], FileStatus)
    do throws(Errno) {
      status = try Files.status(of: file)
      let bytes = try Files.readWhole(file, limit: Self.limit)
      text = bytes.bytes.copied()
    } catch {
      throw Complaint(
        "no vault is named '\(name)': '\(file)' can't be read: \(error)",
        hints: ["a line 'vault = PATH' and a line 'mountpoint = PATH' in it name one"],
        exitCode: .usage)
    }
    guard status.permissions & 0o002 == 0 else {
      throw Complaint(
        "'\(file)' can be written by anyone", hints: ["'chmod o-w' it, and look what is in it"],
        exitCode: .usage)
    }
    try read(text)
  }

  // MARK: - Reading

  private mutating func read(_ text: [UInt8]) throws(Complaint) {
    let lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (place, line) in lines.enumerated() {
      let line = Self.trimmed(line)
      guard let first = line.first, first != UInt8(ascii: "#") else { continue }
      do throws(Complaint) { try take(line, place + 1) } catch { fault = fault ?? error }
    }
    if vault.isEmpty { fault = fault ?? missing("vault") }
    guard !mountPoint.isEmpty else { throw fault ?? missing("mountpoint") }
  }

  private func missing(_ key: String) -> Complaint {
    Complaint(
      "\(file): there is no line '\(key) = PATH'",
      hints: ["kdbxfs(1) tells what such a file holds"], exitCode: .usage)
  }

  private func fault(in line: Int, _ message: String, _ hints: [String] = []) -> Complaint {
    Complaint("\(file):\(line): \(message)", hints: hints, exitCode: .usage)
  }

  private mutating func take(_ line: ArraySlice<UInt8>, _ number: Int) throws(Complaint) {
    let equals = line.firstIndex(of: UInt8(ascii: "="))
    let key = Path(Self.trimmed(line[..<(equals ?? line.endIndex)])).description
    let value = equals.map { Array(Self.trimmed(line[($0 + 1)...])) }
    switch key {
    case "vault":
      guard vault.isEmpty else { throw fault(in: number, "'vault' stands twice") }
      vault = try path(value, key, number)
      vaultLine = number
    case "mountpoint":
      guard mountPoint.isEmpty else { throw fault(in: number, "'mountpoint' stands twice") }
      mountPoint = try path(value, key, number)
    case "options":
      guard let value, !value.isEmpty else { throw fault(in: number, "'options' wants a list") }
      try add([Array("-o".utf8), value], number)
    default: try takeOption(key, value, number)
    }
  }

  private mutating func takeOption(
    _ key: String, _ value: [UInt8]?, _ number: Int
  ) throws(Complaint) {
    guard let spec = OptionSpec.named(key), spec.commands.contains(.mount) else {
      throw fault(
        in: number, "unknown key '\(key)'",
        ["'vault', 'mountpoint', 'options', and the long options of mounting are known"])
    }
    switch spec.effect {
    case .flag:
      switch value.map({ Path($0).description }) {
      case nil, "yes": try add([Array("--\(spec.name)".utf8)], number)
      case "no": break
      case let text?: throw fault(in: number, "'\(key)' is 'yes' or 'no', not '\(text)'")
      }
    case .value(let placeholder, _):
      guard let value, !value.isEmpty else {
        throw fault(in: number, "'\(key)' wants a value: \(key) = \(placeholder)")
      }
      let isPath = placeholder == "FILE" || placeholder == "CMD"
      let text = isPath ? Self.expanded(value) : value
      try add([Array("--\(spec.name)=".utf8) + text], number)
    }
  }

  /// Adds options, if they can be understood.
  private mutating func add(_ words: [[UInt8]], _ number: Int) throws(Complaint) {
    let line = [Array("mount".utf8)] + words + ["--", "name"].map { Array($0.utf8) }
    do throws(Complaint) {
      guard case .mountNamed(_, let given) = try ArgumentParser.parse(line) else { return }
      options += given
    } catch {
      throw fault(in: number, error.message, error.hints)
    }
  }

  private func path(_ value: [UInt8]?, _ key: String, _ number: Int) throws(Complaint) -> Path {
    let path = Path(Self.expanded(value ?? []))
    guard path.isAbsolute else {
      throw fault(in: number, "'\(key)' wants a path that begins with '/' or '~/'")
    }
    return path
  }

  private static func expanded(_ value: [UInt8]) -> [UInt8] {
    guard value.starts(with: "~/".utf8), let home else { return value }
    return home.appending(Array(value.dropFirst(2))).bytes
  }

  private static func trimmed(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 || byte == 0x0D }
    let start = text.firstIndex { !isBlank($0) } ?? text.endIndex
    let end = text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? start
    return text[start..<end]
  }
}
