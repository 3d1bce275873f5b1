import ByteCoding
import TestSupport
import Testing

@Suite struct ByteWriterTests {
  @Test func `what is written is little-endian`() {
    var writer = ByteWriter()
    writer.append(0x01)
    writer.appendUInt16(0x0302)
    writer.appendUInt32(0x0706_0504)
    writer.appendInt32(-2)
    writer.appendUInt64(0x0F0E_0D0C_0B0A_0908)
    writer.append([0x10, 0x11])
    writer.append(([0x12] as [UInt8]).span)
    let low: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 0xFE, 0xFF, 0xFF, 0xFF]
    #expect(writer.bytes == low + Array(0x08...0x12))
    #expect(writer.count == 22)
  }

  @Test(arguments: 0..<100)
  func `what is written reads back`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let small = UInt16.random(in: .min ... .max, using: &random)
    let middle = UInt32.random(in: .min ... .max, using: &random)
    let signed = Int32.random(in: .min ... .max, using: &random)
    let large = UInt64.random(in: .min ... .max, using: &random)
    var writer = ByteWriter(capacity: 18)
    writer.appendUInt16(small)
    writer.appendUInt32(middle)
    writer.appendInt32(signed)
    writer.appendUInt64(large)

    var reader = ByteReader(writer.bytes.span)
    let read = (
      try reader.takeUInt16(), try reader.takeUInt32(), try reader.takeInt32(),
      try reader.takeUInt64()
    )
    let finished = reader.isAtEnd
    #expect(read == (small, middle, signed, large))
    #expect(finished)
  }
}
