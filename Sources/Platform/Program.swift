package import Secrets

/// Programs that we start, without a shell.
package enum Program {
  package enum Failure: Error, Hashable {
    /// It couldn't be started.
    case start(Errno)
    /// It ended with this status.
    case status(Int32)
    case signal(Signal)
    /// It wrote more than the limit.
    case tooLong
    case system(Errno)
  }

  /// Runs a program with `input` on its standard input, and gives what it wrote to its standard output.
  ///
  /// The first of `arguments` is the program, looked for along `PATH`. Its standard error is ours.
  /// More than `limit` bytes of output are refused.
  package static func run(
    _ arguments: [[UInt8]], input: Span<UInt8>, limit: Int
  ) throws(Failure) -> SecretBytes { fatalError("not yet") }
}
