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

  /// Shows `prompt` on the terminal and reads a line, which isn't shown.
  ///
  /// The line feed isn't part of the answer. The terminal's settings are put back whatever happens,
  /// also on SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGTSTP.
  package static func readSecret(prompt: String) throws(Failure) -> SecretBytes {
    fatalError("not yet")
  }

  /// Whether there is a terminal to ask on.
  package static var isAvailable: Bool { fatalError("not yet") }
}
