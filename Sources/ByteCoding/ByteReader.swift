/// What was wrong with the bytes, and where.
package struct ByteError: Error, Hashable {
  package enum Problem: Hashable, Sendable {
    case truncated(needed: Int, left: Int)
    case tooLong(Int, limit: Int)
    case negativeLength(Int)
    /// A number, or the size of a field, that can't stand there.
    case unexpected(Int)
  }

  package let problem: Problem
  /// Where the field starts, counted from the first byte the reader was given.
  package let offset: Int

  package init(_ problem: Problem, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }
}

/// Takes little-endian fields off the front of a span, and never reads past its end.
///
/// A read that throws leaves the reader where it was, so the caller can report the offset.
package struct ByteReader: ~Escapable {
  private var rest: Span<UInt8>
  private let total: Int

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) {
    rest = bytes
    total = bytes.count
  }

  /// The number of bytes taken so far.
  package var offset: Int { total - rest.count }
  /// The number of bytes still to be taken.
  package var remaining: Int { rest.count }
  package var isAtEnd: Bool { rest.isEmpty }

  /// Takes the next `count` bytes.
  @_lifetime(copy self)
  package mutating func take(_ count: Int) throws(ByteError) -> Span<UInt8> {
    guard count >= 0 else { throw ByteError(.negativeLength(count), at: offset) }
    guard count <= rest.count else {
      throw ByteError(.truncated(needed: count, left: rest.count), at: offset)
    }
    let field = rest.extracting(first: count)
    rest = rest.extracting(droppingFirst: count)
    return field
  }

  @_lifetime(self: copy self)
  package mutating func takeUInt8() throws(ByteError) -> UInt8 {
    try take(1)[0]
  }

  @_lifetime(self: copy self)
  package mutating func takeUInt16() throws(ByteError) -> UInt16 {
    let field = try take(2)
    return UInt16(field[0]) | UInt16(field[1]) << 8
  }

  @_lifetime(self: copy self)
  package mutating func takeUInt32() throws(ByteError) -> UInt32 {
    let field = try take(4)
    return UInt32(field[0]) | UInt32(field[1]) << 8
      | UInt32(field[2]) << 16 | UInt32(field[3]) << 24
  }

  @_lifetime(self: copy self)
  package mutating func takeInt32() throws(ByteError) -> Int32 {
    Int32(bitPattern: try takeUInt32())
  }

  @_lifetime(self: copy self)
  package mutating func takeUInt64() throws(ByteError) -> UInt64 {
    let field = try take(8)
    var value: UInt64 = 0
    for i in 0..<8 { value |= UInt64(field[i]) << UInt64(8 * i) }
    return value
  }

  /// Takes a signed 32-bit length and then that many bytes.
  ///
  /// A negative length, and one over `limit`, which no honest file has, is refused at the offset of
  /// the length field.
  @_lifetime(copy self)
  package mutating func takeCounted(limit: Int) throws(ByteError) -> Span<UInt8> {
    let start = offset
    var ahead = self
    let count = Int(try ahead.takeInt32())
    guard count >= 0 else { throw ByteError(.negativeLength(count), at: start) }
    guard count <= limit else { throw ByteError(.tooLong(count, limit: limit), at: start) }
    let field = try ahead.take(count)
    self = ahead
    return field
  }
}
