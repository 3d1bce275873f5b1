import CZlib
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

/// For zlib's window: it tells gzip (RFC 1952) from its own format by 16 added to the bits.
let gzipWindow: CInt = 15 + 16
/// What zlib counts in is 32 bits wide.
let mostAtOnce = 1 << 30

/// Unpacks gzip (RFC 1952) in pieces, into a buffer, up to a limit.
///
/// What follows the end of the stream is ignored: the padding that old writers got wrong stands there.
@safe
package struct Inflater: ~Copyable {
  /// On the heap, because zlib keeps a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>
  private let limit: Int
  private var produced = 0
  private var hasEnded = false

  /// At most `limit` bytes will come out, in all.
  package init(limit: Int) {
    self.limit = limit
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // inflateInit2 is a macro; this is what it expands to.
    let result = unsafe inflateInit2_(
      stream, gzipWindow, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib can't begin: \(result)")
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends what `input` gives to `output`; `output` may be another one each time.
  package mutating func update(
    _ input: Span<UInt8>, into output: inout WipedBuffer
  ) throws(CompressionError) {
    var rest = input
    while !rest.isEmpty, !hasEnded {
      let piece = rest.extracting(first: min(rest.count, mostAtOnce))
      rest = rest.extracting(droppingFirst: piece.count)
      try unsafe piece.withCBytes { (base, count) throws(CompressionError) in
        unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
        unsafe stream.pointee.avail_in = uInt(count)
        defer { unsafe stream.pointee.next_in = nil }
        // Until the input is used up, and the last call had room left.
        while try step(into: &output) {}
      }
    }
  }

  /// Throws if the stream hasn't ended and proved itself by its checksum.
  package mutating func finish() throws(CompressionError) {
    guard hasEnded else { throw .truncated }
  }

  /// One call of zlib's; says whether there is more to do with this input.
  private mutating func step(into output: inout WipedBuffer) throws(CompressionError) -> Bool {
    // One more than the limit, so that what reaches it exactly can be told from what exceeds it.
    let allowed = min(limit - produced, mostAtOnce) + 1
    let room = min(max(output.capacity - output.count, 1 << 16), allowed, mostAtOnce)
    let stream = unsafe stream
    let (result, written) = output.append(atMost: room) { out in
      unsafe out.withUnsafeMutableBytes { bytes, initialized in
        unsafe stream.pointee.next_out = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe stream.pointee.avail_out = uInt(room)
        let result = unsafe inflate(stream, Z_NO_FLUSH)
        initialized = unsafe room - Int(stream.pointee.avail_out)
        unsafe stream.pointee.next_out = nil
        return (result, initialized)
      }
    }
    produced += written
    guard produced <= limit else { throw .tooLarge(limit: limit) }
    switch result {
    case Z_STREAM_END:
      hasEnded = true
      return false
    case Z_OK: return unsafe stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0
    // Nothing to do: the input was used up, and all that it gave has been taken.
    case Z_BUF_ERROR: return false
    default: throw .damaged
    }
  }
}
