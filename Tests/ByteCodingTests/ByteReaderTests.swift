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

  @Test func `a whole header is taken field by field`() throws {
    let bytes: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 2, 0, 0, 0, 0xAA, 0xBB, 0xFF, 0xFF, 0xFF, 0xFF]
    var reader = ByteReader(bytes.span)
    let first = try reader.takeUInt8()
    let second = try reader.takeUInt16()
    let third = try reader.takeUInt32()
    let counted = try reader.takeCounted(limit: 2)
    let field = [counted[0], counted[1]]
    let last = try reader.takeInt32()
    let finished = reader.isAtEnd
    #expect((first, second, third) == (1, 0x0302, 0x0706_0504))
    #expect(field == [0xAA, 0xBB])
    #expect(last == -1)
    #expect(finished)
  }

  static let dishonest: [(bytes: [UInt8], problem: ByteError.Problem)] = [
    ([0xFF, 0xFF, 0xFF, 0x7F, 0], .tooLong(0x7FFF_FFFF, limit: 1024)),
    ([0xFF, 0xFF, 0xFF, 0xFF, 0], .negativeLength(-1)),
    ([0x00, 0x00, 0x00, 0x80, 0], .negativeLength(-0x8000_0000)),
    ([0x02, 0x00, 0x00, 0x00, 0], .truncated(needed: 2, left: 1)),
  ]

  @Test(arguments: dishonest)
  func `a dishonest length is refused, and moves nothing`(
    bytes: [UInt8], problem: ByteError.Problem
  ) {
    var reader = ByteReader(bytes.span)
    do throws(ByteError) {
      _ = try reader.takeCounted(limit: 1024)
      Issue.record("\(bytes) were believed")
    } catch {
      #expect(error.problem == problem)
    }
    let offset = reader.offset
    #expect(offset == 0)
  }

  @Test func `a negative count takes nothing`() {
    var reader = ByteReader(([1, 2] as [UInt8]).span)
    do throws(ByteError) {
      _ = try reader.take(-1)
      Issue.record("a negative count was taken")
    } catch {
      #expect(error == ByteError(.negativeLength(-1), at: 0))
    }
  }
}
