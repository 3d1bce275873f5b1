/// Gathers little-endian fields: what ``ByteReader`` takes apart.
///
/// For headers and other small, public things; the bytes aren't overwritten when it goes away.
package struct ByteWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []

  package init(capacity: Int = 0) {
    bytes.reserveCapacity(capacity)
  }

  /// The number of bytes written so far.
  package var count: Int { bytes.count }

  package mutating func append(_ byte: UInt8) {
    bytes.append(byte)
  }

  package mutating func append(_ other: [UInt8]) {
    bytes.append(contentsOf: other)
  }

  package mutating func append(_ span: Span<UInt8>) {
    bytes.reserveCapacity(bytes.count + span.count)
    for i in span.indices { bytes.append(span[i]) }
  }

  package mutating func appendUInt16(_ value: UInt16) {
    append(littleEndian: UInt64(value), count: 2)
  }

  package mutating func appendUInt32(_ value: UInt32) {
    append(littleEndian: UInt64(value), count: 4)
  }

  package mutating func appendInt32(_ value: Int32) {
    appendUInt32(UInt32(bitPattern: value))
  }

  package mutating func appendUInt64(_ value: UInt64) {
    append(littleEndian: value, count: 8)
  }

  private mutating func append(littleEndian value: UInt64, count: Int) {
    for i in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * i))) }
  }
}
