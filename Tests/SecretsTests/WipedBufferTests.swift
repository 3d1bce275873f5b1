import Secrets
import Testing

@Suite struct WipedBufferTests {
  static func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 31 &+ index >> 8) }

  static func isRight(_ buffer: borrowing WipedBuffer) -> Bool {
    let bytes = buffer.bytes
    return bytes.indices.allSatisfy { bytes[$0] == byte($0) }
  }

  /// Over the sizes at which memory begins to be mapped, and grows without being copied.
  @Test(arguments: [1, 7, 4096, 100_000, 700_000])
  func `what is appended in pieces is all there`(size: Int) {
    var buffer = WipedBuffer()
    while buffer.count < 3_000_000 {
      let start = buffer.count
      let piece = (start..<(start + size)).map(Self.byte)
      buffer.append(piece.span)
    }
    let right = Self.isRight(buffer)
    #expect(right)
  }

  @Test func `what is appended byte by byte is all there`() {
    var buffer = WipedBuffer()
    for i in 0..<70_000 { buffer.append(Self.byte(i)) }
    let right = Self.isRight(buffer)
    #expect(right)
    #expect(buffer.count == 70_000)
    #expect(buffer.capacity >= 70_000)
  }

  @Test func `room can be made beforehand, for nothing too`() {
    var buffer = WipedBuffer(capacity: 2_000_000)
    let capacity = buffer.capacity
    #expect(capacity >= 2_000_000)
    let nothing: [UInt8] = []
    buffer.append(nothing.span)
    buffer.append(zeros: 0)
    buffer.append(zeros: 2_000_000)
    #expect(buffer.capacity == capacity)
    buffer.reserve(10_000_000)
    #expect(buffer.count == 2_000_000)
    #expect(buffer.capacity >= 10_000_000)
    let zero = buffer.bytes.indices.allSatisfy { buffer.bytes[$0] == 0 }
    #expect(zero)
  }

  @Test func `filling in place may give less than there is room for, or fail`() {
    struct Refused: Error {}
    var buffer = WipedBuffer(copying: ([1, 2] as [UInt8]).span)
    buffer.append(atMost: 100) { output in
      output.append(3)
      output.append(4)
    }
    #expect(throws: Refused.self) {
      try buffer.append(atMost: 100) { (output) throws(Refused) in
        output.append(5)
        throw Refused()
      }
    }
    let bytes = buffer.bytes.indices.map { buffer.bytes[$0] }
    #expect(bytes == [1, 2, 3, 4])
  }

  @Test func `bytes change in place, all or some`() {
    var buffer = WipedBuffer(copying: ([1, 2, 3, 4] as [UInt8]).span)
    var all = buffer.mutableBytes
    all[0] = 9
    var some = buffer.mutableBytes(in: 1..<3)
    let count = some.count
    some[1] = 8
    let bytes = buffer.bytes.indices.map { buffer.bytes[$0] }
    #expect(bytes == [9, 2, 8, 4])
    #expect(count == 2)
  }

  @Test func `a range outside is a mistake of ours`() async {
    await #expect(processExitsWith: .failure) {
      var buffer = WipedBuffer(copying: ([1, 2, 3, 4] as [UInt8]).span)
      _ = buffer.mutableBytes(in: 2..<5).count
    }
  }

  @Test func `a shared buffer shows what was put in`() {
    let bytes: [UInt8] = [1, 2, 3]
    let shared = SharedBuffer(WipedBuffer(copying: bytes.span))
    let same = constantTimeEqual(shared.bytes, bytes.span)
    #expect(same)
    #expect(shared.count == 3)
  }
}
