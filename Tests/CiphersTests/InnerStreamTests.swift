import Secrets
import TestSupport
import Testing

@testable import Ciphers

@Suite struct InnerStreamTests {
  static func stream(_ stream: InnerStream, at offset: UInt64, count: Int) -> [UInt8] {
    var buffer = WipedBuffer()
    buffer.append(zeros: count)
    var bytes = buffer.mutableBytes
    stream.apply(at: offset, to: &bytes)
    return buffer.array
  }

  static let kinds: [InnerStream.Kind] = [.arcFourVariant, .salsa20, .chaCha20]

  /// `docs/kdbx.md`, section 12: made by an independent program and checked with KeePassLib.
  static let vectors: [(kind: InnerStream.Kind, keyCount: UInt8, start: String)] = [
    (.chaCha20, 64, "8ce8bc610ac05ff2e3dd88b49a1404c2"),
    (.salsa20, 32, "f9beb52962838a2c3c8227ceed909273"),
    (.arcFourVariant, 32, "7a90dd1de2d59d3e75e54ce662bccd8d"),
  ]

  @Test(arguments: vectors)
  func `the first bytes are KeePass'`(kind: InnerStream.Kind, keyCount: UInt8, start: String) {
    let stream = InnerStream(kind, key: Array(0..<keyCount).span)
    #expect(Self.stream(stream, at: 0, count: 16) == hex(start))
  }

  /// ECRYPT's vectors for 256-bit keys, set 1, vector 0.
  @Test func `Salsa20 is Salsa20`() {
    var key = [UInt8](repeating: 0, count: 32)
    key[0] = 0x80
    let nonce = [UInt8](repeating: 0, count: 8)
    var buffer = WipedBuffer()
    buffer.append(zeros: 64)
    var bytes = buffer.mutableBytes
    Salsa20.apply(key: key.span, nonce: nonce.span, at: 0, to: &bytes)
    let expected = hex(
      """
      E3BE8FDD8BECA2E3EA8EF9475B29A6E7003951E1097A5C38D23B7A5FAD9F6844
      B22C97559E2723C7CBBD3FE4FC8D9A0744652A83E72A9C461876AF4D7EF1A117
      """)
    #expect(buffer.array == expected)
  }

  @Test(arguments: kinds, 0..<40 as Range<UInt64>)
  func `entering anywhere gives what reading from the start gives`(
    kind: InnerStream.Kind, seed: UInt64
  ) {
    var random = SeededGenerator(seed: seed)
    let key = randomBytes(Int.random(in: 1...100, using: &random), using: &random)
    let whole = Self.stream(InnerStream(kind, key: key.span), at: 0, count: 2000)
    let stream = InnerStream(kind, key: key.span)
    for _ in 0..<20 {
      let start = Int.random(in: 0..<2000, using: &random)
      let count = Int.random(in: 0...min(200, 2000 - start), using: &random)
      let part = Self.stream(stream, at: UInt64(start), count: count)
      #expect(part == Array(whole[start..<start + count]), "\(start), \(count)")
    }
  }

  /// Where the 32-bit counters of the blocks have a carry to make.
  @Test(arguments: [InnerStream.Kind.salsa20, .chaCha20], [UInt64(1) << 22, 1 << 30, 1 << 37])
  func `far offsets are as good as near ones`(kind: InnerStream.Kind, offset: UInt64) {
    let stream = InnerStream(kind, key: ([1, 2, 3] as [UInt8]).span)
    let whole = Self.stream(stream, at: offset - 100, count: 300)
    let behind = Self.stream(stream, at: offset + 7, count: 100)
    #expect(behind == Array(whole[107..<207]))
  }

  /// Salsa20's counter has 64 bits.
  @Test func `Salsa20 goes on past its first 256 GiB`() {
    let stream = InnerStream(.salsa20, key: ([1, 2, 3] as [UInt8]).span)
    let whole = Self.stream(stream, at: 1 << 38 - 100, count: 300)
    #expect(Self.stream(stream, at: 1 << 38, count: 100) == Array(whole[100..<200]))
    #expect(Self.stream(stream, at: 0, count: 100) != Array(whole[100..<200]))
  }

  @Test(arguments: kinds)
  func `twice is nothing`(kind: InnerStream.Kind) {
    let stream = InnerStream(kind, key: ascii("key").span)
    var buffer = WipedBuffer(copying: ascii("correct horse battery staple").span)
    var bytes = buffer.mutableBytes
    stream.apply(at: 77, to: &bytes)
    stream.apply(at: 77, to: &bytes)
    #expect(buffer.array == ascii("correct horse battery staple"))
  }

  @Test func `no stream changes nothing`() {
    let none = InnerStream(.none, key: ascii("key").span)
    #expect(Self.stream(none, at: 3, count: 5) == [0, 0, 0, 0, 0])
  }

  @Test(arguments: kinds)
  func `many threads may use one stream`(kind: InnerStream.Kind) async {
    let stream = InnerStream(kind, key: ascii("shared").span)
    let whole = Self.stream(InnerStream(kind, key: ascii("shared").span), at: 0, count: 4000)
    await withTaskGroup(of: Bool.self) { group in
      for seed in 0..<8 as Range<UInt64> {
        group.addTask {
          var random = SeededGenerator(seed: seed)
          return (0..<50).allSatisfy { _ in
            let start = Int.random(in: 0..<3900, using: &random)
            return Self.stream(stream, at: UInt64(start), count: 100)
              == Array(whole[start..<start + 100])
          }
        }
      }
      for await same in group { #expect(same) }
    }
  }

  /// Copies what functions that returned have left on the stack to `target`: a piece of 1000 bytes, and
  /// so many behind it.
  @inline(never)
  private static func copyStack(to target: UnsafeMutablePointer<UInt8>, pieces: Int) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 1000) { piece in
      if let base = piece.baseAddress { unsafe target.update(from: base, count: 1000) }
      if pieces > 1 { unsafe copyStack(to: target + 1000, pieces: pieces - 1) }
    }
  }

  /// The key stream and a value as it rests are the value.
  @Test(arguments: [InnerStream.Kind.salsa20, .chaCha20])
  func `no key stream is left on the stack`(kind: InnerStream.Kind) {
    let stream = InnerStream(kind, key: ascii("key").span)
    let block = Self.stream(stream, at: 0, count: 2048)
    for offset in [0, 5] {
      var buffer = WipedBuffer(copying: ascii("value").span)
      var bytes = buffer.mutableBytes
      stream.apply(at: UInt64(offset), to: &bytes)
      let left = unsafe [UInt8](unsafeUninitializedCapacity: 4000) { buffer, count in
        if let base = buffer.baseAddress { unsafe Self.copyStack(to: base, pieces: 4) }
        count = 4000
      }
      // The end of the block, which the value's five bytes have no use for.
      let unused = block[32..<48]
      #expect(!left.indices.contains { left[$0...].starts(with: unused) }, "at \(offset)")
    }
  }
}
