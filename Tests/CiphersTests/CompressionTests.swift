import Ciphers
import Secrets
import TestSupport
import Testing

@Suite struct CompressionTests {
  static func inflate(_ pieces: [[UInt8]], limit: Int = 1 << 20) throws -> [UInt8] {
    var output = WipedBuffer()
    var inflater = Inflater(limit: limit)
    for piece in pieces { try inflater.update(piece.span, into: &output) }
    try inflater.finish()
    return output.array
  }

  static func deflate(_ pieces: [[UInt8]], level: Int32 = 6) -> [UInt8] {
    var output = WipedBuffer()
    var deflater = Deflater(level: level)
    for piece in pieces { deflater.update(piece.span, into: &output) }
    deflater.finish(into: &output)
    return output.array
  }

  /// `printf hello | gzip -n`, and nothing at all.
  static let vectors: [(packed: String, plain: String)] = [
    ("1f8b08000000000000 03cb48cdc9c907 0086a610 36 05000000", "hello"),
    ("1f8b0800000000000003 0300 00000000 00000000", ""),
  ]

  @Test(arguments: vectors)
  func `what gzip packed comes out`(packed: String, plain: String) throws {
    #expect(try Self.inflate([hex(packed)]) == ascii(plain))
  }

  /// Half text, half noise, so that there are literals, matches and stored blocks.
  static func sample(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
    let words = ascii("<String><Key>Title</Key><Value>example</Value></String>\n")
    let noise = randomBytes(997, using: &random)
    var bytes: [UInt8] = []
    while bytes.count < count {
      bytes += Bool.random(using: &random) ? words : noise
    }
    return Array(bytes.prefix(count))
  }

  @Test(arguments: [1, 6, 9] as [Int32], 0..<12 as Range<UInt64>)
  func `any pieces pack and unpack to the same`(level: Int32, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let plain = Self.sample(Int.random(in: 0...150_000, using: &random), using: &random)
    let size = Int.random(in: 1...70_000, using: &random)
    let packed = Self.deflate(pieces(of: plain, upTo: size, using: &random), level: level)
    #expect(try Self.inflate([packed]) == plain)
    #expect(try Self.inflate(pieces(of: packed, upTo: size, using: &random)) == plain)
  }

  @Test func `byte by byte is fine too`() throws {
    var random = SeededGenerator(seed: 1)
    let plain = Self.sample(5000, using: &random)
    #expect(try Self.inflate(Self.deflate([plain]).map { [$0] }) == plain)
  }

  @Test func `what is highly packed unpacks whole`() throws {
    let plain = [UInt8](repeating: 0, count: 1 << 20)
    let packed = Self.deflate([plain], level: 9)
    #expect(packed.count < 2000)
    #expect(try Self.inflate(packed.map { [$0] }) == plain)
  }

  @Test func `no cut of it is taken`() {
    let packed = Self.deflate([ascii("hello, hello, hello")])
    for count in 0..<packed.count {
      #expect(throws: CompressionError.truncated) {
        try Self.inflate([Array(packed.prefix(count))])
      }
    }
  }

  /// Bytes 4 to 9 of the header (time, flags of the packer, system) mean nothing to the contents.
  @Test func `no changed byte goes unseen`() throws {
    let plain = ascii("hello, hello, hello")
    let packed = Self.deflate([plain])
    for index in packed.indices where !(4...9).contains(index) {
      var damaged = packed
      damaged[index] ^= 0x10
      let result = Result { try Self.inflate([damaged]) }
      #expect(throws: CompressionError.self, "byte \(index)") { try result.get() }
    }
  }

  @Test func `what follows the end is ignored`() throws {
    let packed = Self.deflate([ascii("hello")])
    #expect(try Self.inflate([packed + [1, 2, 3]]) == ascii("hello"))
    #expect(try Self.inflate([packed, [16, 16]]) == ascii("hello"))
  }

  @Test func `the limit is exact`() throws {
    let plain = [UInt8](repeating: 7, count: 200_000)
    let packed = Self.deflate([plain])
    #expect(try Self.inflate([packed], limit: plain.count) == plain)
    #expect(throws: CompressionError.tooLarge(limit: plain.count - 1)) {
      try Self.inflate([packed], limit: plain.count - 1)
    }
    #expect(throws: CompressionError.tooLarge(limit: 0)) { try Self.inflate([packed], limit: 0) }
    #expect(try Self.inflate([Self.deflate([])], limit: 0) == [])
    #expect(try Self.inflate([packed], limit: .max) == plain)
  }

  @Test(arguments: 0..<300 as Range<UInt64>)
  func `noise is refused, not obeyed`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let start: [UInt8] = seed.isMultiple(of: 2) ? [] : [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
    let noise = start + randomBytes(Int.random(in: 0...200, using: &random), using: &random)
    let result = Result { try Self.inflate([noise], limit: 1000) }
    #expect(throws: CompressionError.self) { try result.get() }
  }
}
