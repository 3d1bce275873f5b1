import ByteCoding
import Testing

@Suite struct ByteReaderTests {
  @Test(arguments: 0..<4)
  func `a cut-off word says what is missing, and moves nothing`(length: Int) {
    var reader = ByteReader([UInt8](repeating: 1, count: length).span)
    do throws(ByteError) {
      _ = try reader.takeUInt32()
      Issue.record("a word was read from \(length) bytes")
    } catch {
      #expect(error == ByteError(.truncated(needed: 4, left: length), at: 0))
    }
    let offset = reader.offset
    #expect(offset == 0)
  }
}
