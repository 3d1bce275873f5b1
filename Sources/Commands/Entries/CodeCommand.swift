import Platform
import Secrets
import VaultTree

/// `kdbxfs totp`: prints an entry's one-time code of this moment, or the next one.
enum CodeCommand {
  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let address = try VaultFinder.address(word, settings)
    let access = try address.vault.open(for: .reading, settings)
    let file = try codeFile(address.path, access)
    if settings.leastTimeLeft > 0, !settings.wantsNextCode {
      try wait(for: file, access, until: settings.leastTimeLeft)
    }
    if settings.wantsNextCode {
      guard let code = try access.attribute("totp.next", of: file) else {
        throw Complaint(.noEntry, file)
      }
      return try VaultCommands.write(code + [UInt8(ascii: "\n")])
    }
    var code = try access.read(file)
    code.append(UInt8(ascii: "\n"))
    try VaultCommands.write(code.bytes)
  }

  /// The file `totp` of an entry, which may be named itself.
  private static func codeFile(
    _ path: Path, _ access: any EntryAccess
  ) throws(Complaint) -> Path {
    let name = Array("totp".utf8)
    if path.lastComponent == name, try access.kind(of: path) == .file { return path }
    try access.checkEntry(path)
    let file = path.appending(name)
    if try access.kind(of: file) == .file { return file }
    if let reason = try access.attribute("error", of: path) {
      throw Complaint(
        "'\(path)': its secret gives no code: \(Path(reason))", exitCode: .nothingFound)
    }
    let hasCounter = try access.kind(of: path.appending("hotp")) == .file
    throw Complaint(
      "'\(path)' has no codes of time",
      hints: hasCounter ? ["its file 'hotp' has the code of its counter"] : [],
      exitCode: .nothingFound)
  }

  /// Waits until the code is good for so many nanoseconds.
  private static func wait(
    for file: Path, _ access: any EntryAccess, until least: Int64
  ) throws(Complaint) {
    let second: Int64 = 1_000_000_000
    var before: Int64?
    while let left = try secondsLeft(file, access), left * second < least {
      if let before, left > before {
        throw .usage("the code of '\(file.parent)' is never good for \(least / second) seconds")
      }
      before = left
      pause(milliseconds: 1000)
    }
  }

  private static func secondsLeft(
    _ file: Path, _ access: any EntryAccess
  ) throws(Complaint) -> Int64? {
    try access.attribute("totp.remaining", of: file).flatMap {
      Int64(decimal: $0)
    }
  }

  private static func pause(milliseconds: Int) {
    // A signal ends the process, and nothing else interrupts.
    _ = try? poll([], milliseconds: milliseconds)
  }
}
