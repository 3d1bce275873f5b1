import Platform

/// An error as a person reads it: what went wrong, and what to try.
package struct Complaint: Error, Hashable {
  /// What went wrong: lower case, no full stop, one line, no secret.
  package var message: String
  /// What to try, each a line of its own.
  package var hints: [String]
  /// What the process ends with.
  package var exitCode: ExitCode

  package init(_ message: String, hints: [String] = [], exitCode: ExitCode) {
    self.message = message
    self.hints = hints
    self.exitCode = exitCode
  }

  /// A command line that can't be understood.
  static func usage(
    _ message: String, hint: String = "'kdbxfs --help' shows all options"
  ) -> Complaint {
    Complaint(message, hints: [hint], exitCode: .usage)
  }

  /// The same for who may have mistyped a command: `word`, which was taken for a vault, names nothing here.
  func wondering(about word: Path) -> Complaint {
    guard !word.bytes.contains(UInt8(ascii: "/")), (try? Files.status(of: word)) == nil else {
      return self
    }
    let hint = "'\(word)' is no file here, and no command either; 'kdbxfs --help' has those"
    return Complaint(message, hints: [hint] + hints, exitCode: exitCode)
  }

  /// The lines for standard error.
  package var lines: [String] {
    ["kdbxfs: error: \(message)"] + hints.map { "kdbxfs: hint: \($0)" }
  }
}
