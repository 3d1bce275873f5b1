import CZlib
package import Secrets

/// Packs into gzip (RFC 1952) in pieces; the header names no file and no time.
@safe
package struct Deflater: ~Copyable {
  /// On the heap, because zlib keeps a pointer to it.
  private let stream: UnsafeMutablePointer<z_stream>

  /// Begins at zlib's `level`, 1 (fast) to 9 (small); 0 only wraps.
  package init(level: Int32) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // deflateInit2 is a macro; this is what it expands to.
    let result = unsafe deflateInit2_(
      stream, min(max(level, 0), 9), Z_DEFLATED, gzipWindow, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      CInt(MemoryLayout<z_stream>.size))
    precondition(result == Z_OK, "zlib can't begin: \(result)")
  }

  deinit {
    unsafe deflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Appends what has become of `input` so far.
  package mutating func update(_ input: Span<UInt8>, into output: inout WipedBuffer) {
    var rest = input
    while !rest.isEmpty {
      let piece = rest.extracting(first: min(rest.count, mostAtOnce))
      rest = rest.extracting(droppingFirst: piece.count)
      run(piece, Z_NO_FLUSH, into: &output)
    }
  }

  /// Appends the rest and the checksum; nothing may follow.
  package mutating func finish(into output: inout WipedBuffer) {
    let nothing: [UInt8] = []
    run(nothing.span, Z_FINISH, into: &output)
  }

  private mutating func run(_ input: Span<UInt8>, _ flush: CInt, into output: inout WipedBuffer) {
    let stream = unsafe stream
    unsafe input.withCBytes { base, count in
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: base)
      unsafe stream.pointee.avail_in = uInt(count)
      defer { unsafe stream.pointee.next_in = nil }
      repeat {
        let room = min(max(output.capacity - output.count, 1 << 15), mostAtOnce)
        output.append(atMost: room) { out in
          unsafe out.withUnsafeMutableBytes { bytes, initialized in
            unsafe stream.pointee.next_out = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            unsafe stream.pointee.avail_out = uInt(room)
            let result = unsafe deflate(stream, flush)
            precondition(result != Z_STREAM_ERROR, "zlib was used after its end")
            initialized = unsafe room - Int(stream.pointee.avail_out)
            unsafe stream.pointee.next_out = nil
          }
        }
      } while unsafe stream.pointee.avail_out == 0
    }
  }
}
