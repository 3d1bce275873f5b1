import Glibc
package import Secrets

extension Descriptor {
  /// Appends up to `limit` bytes to `buffer`; 0 at the end of the file.
  package borrowing func read(
    atMost limit: Int, into buffer: inout WipedBuffer
  ) throws(Errno) -> Int {
    let number = number
    return try unsafe Self.append(to: &buffer, atMost: limit) { unsafe Glibc.read(number, $0, $1) }
  }

  /// Appends up to `limit` bytes from `offset` on to `buffer`; 0 at the end of the file.
  package borrowing func read(
    at offset: Int64, atMost limit: Int, into buffer: inout WipedBuffer
  ) throws(Errno) -> Int {
    let number = number
    return try unsafe Self.append(to: &buffer, atMost: limit) {
      unsafe pread(number, $0, $1, off_t(offset))
    }
  }

  /// Writes once; the number of bytes taken may be less than given.
  package borrowing func write(_ bytes: Span<UInt8>) throws(Errno) -> Int {
    let number = number
    return try unsafe bytes.withUnsafeBytes { (bytes) throws(Errno) in
      try systemCall { unsafe Glibc.write(number, bytes.baseAddress, bytes.count) }
    }
  }

  /// Writes all of `bytes`, in as many calls as it takes.
  package borrowing func writeAll(_ bytes: Span<UInt8>) throws(Errno) {
    var rest = bytes
    while !rest.isEmpty {
      rest = rest.extracting(droppingFirst: try write(rest))
    }
  }

  private static func append(
    to buffer: inout WipedBuffer, atMost limit: Int,
    _ call: (UnsafeMutableRawPointer?, Int) -> Int
  ) throws(Errno) -> Int {
    try buffer.append(atMost: limit) { (output) throws(Errno) in
      // SAFETY: the call writes at most `limit` bytes, and says how many.
      try unsafe output.withUnsafeMutableBytes { (bytes, initialized) throws(Errno) in
        initialized = try systemCall { unsafe call(bytes.baseAddress, limit) }
        return initialized
      }
    }
  }
}
