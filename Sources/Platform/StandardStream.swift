import Glibc

/// The streams that the process was started with; they are never closed.
package enum StandardStream: CInt, Sendable {
  case input = 0
  case output = 1
  case error = 2

  /// Writes all of `bytes`.
  package func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
    let stream = Descriptor(owning: rawValue)
    let result = Result { () throws(Errno) in try stream.writeAll(bytes) }
    // The number is the process', not ours to close.
    _ = stream.release()
    try result.get()
  }

  /// Writes a line for a person to read; what can't be written is dropped.
  package func say(_ line: String) {
    let bytes = Array(line.utf8) + [UInt8(ascii: "\n")]
    try? writeAll(bytes.span)
  }

  package var isTerminal: Bool { isatty(rawValue) == 1 }

  /// A descriptor of its own for the same stream.
  package func duplicate() throws(Errno) -> Descriptor { try Descriptor.duplicate(of: rawValue) }
}
