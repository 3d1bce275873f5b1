/// The streams that the process was started with; they are never closed.
package enum StandardStream: CInt, Sendable {
  case input = 0
  case output = 1
  case error = 2

  /// Writes all of `bytes`.
  package func writeAll(_ bytes: Span<UInt8>) throws(Errno) { fatalError("not yet") }

  /// Writes a line for a person to read; what can't be written is dropped.
  package func say(_ line: String) { fatalError("not yet") }

  package var isTerminal: Bool { fatalError("not yet") }

  /// A descriptor of its own for the same stream.
  package func duplicate() throws(Errno) -> Descriptor { fatalError("not yet") }
}
