package import Secrets

/// Why compressed bytes couldn't be unpacked.
package enum CompressionError: Error, Hashable {
  /// They aren't gzip, or contradict their own checksum.
  case damaged
  /// They end before the stream does.
  case truncated
  /// They would give more than the limit.
  case tooLarge(limit: Int)
}

/// Unpacks gzip (RFC 1952) in pieces, into a buffer, up to a limit.
///
/// What follows the end of the stream is ignored: the padding that old writers got wrong stands there.
package struct Inflater: ~Copyable {
  /// - Parameter limit: the most bytes that may come out, in all.
  package init(limit: Int) { fatalError("not yet") }

  package mutating func update(
    _ input: Span<UInt8>, into output: inout WipedBuffer
  ) throws(CompressionError) { fatalError("not yet") }

  /// Throws if the stream hasn't ended and proved itself by its checksum.
  package mutating func finish() throws(CompressionError) { fatalError("not yet") }
}

/// Packs into gzip in pieces.
package struct Deflater: ~Copyable {
  /// - Parameter level: zlib's, 1 (fast) to 9 (small).
  package init(level: Int32) { fatalError("not yet") }

  package mutating func update(_ input: Span<UInt8>, into output: inout WipedBuffer) {
    fatalError("not yet")
  }

  package mutating func finish(into output: inout WipedBuffer) { fatalError("not yet") }
}
