import Ciphers
import Secrets
import TestSupport
import Testing

@Suite struct HashTests {
  /// FIPS 180-4's examples.
  static let vectors: [(text: String, sha256: String, sha512: String)] = [
    (
      "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      """
      cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce
      47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e
      """
    ),
    (
      "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      """
      ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a
      2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f
      """
    ),
    (
      String(repeating: "a", count: 1_000_000),
      "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
      """
      e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb
      de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b
      """
    ),
  ]

  @Test(arguments: 0..<vectors.count)
  func `the standard's examples come out`(index: Int) {
    let (text, sha256, sha512) = Self.vectors[index]
    let bytes = ascii(text)
    #expect(SHA256.hash(bytes.span) == hex(sha256))
    #expect(SHA512.hash(bytes.span) == hex(sha512))
  }

  @Test(arguments: 0..<50)
  func `pieces hash as the whole, openly and in secret`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let bytes = randomBytes(Int.random(in: 0...1000, using: &random), using: &random)
    var short = SHA256()
    var shortSecret = SHA256()
    var long = SHA512()
    var longSecret = SHA512()
    for piece in pieces(of: bytes, upTo: 200, using: &random) {
      short.update(piece.span)
      shortSecret.update(piece.span)
      long.update(piece.span)
      longSecret.update(piece.span)
    }
    let hashes = (short.finalize(), long.finalize())
    let secrets = (shortSecret.finalizeSecret().array, longSecret.finalizeSecret().array)
    #expect(hashes == (SHA256.hash(bytes.span), SHA512.hash(bytes.span)))
    #expect(hashes == secrets)
  }
}

@Suite struct HMACTests {
  struct Vector: Sendable, CustomTestStringConvertible {
    var algorithm: HMAC.Algorithm
    var key: [UInt8]
    var text: [UInt8]
    var code: String
    var testDescription: String { "\(algorithm), \(key.count) bytes of key" }
  }

  /// RFC 2202 and RFC 4231, and the empty key of an empty text.
  static let vectors = [
    Vector(
      algorithm: .sha1, key: [UInt8](repeating: 0x0B, count: 20), text: ascii("Hi There"),
      code: "b617318655057264e28bc0b6fb378c8ef146be00"),
    Vector(
      algorithm: .sha1, key: [UInt8](repeating: 0xAA, count: 80),
      text: ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
      code: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
    Vector(
      algorithm: .sha256, key: [UInt8](repeating: 0x0B, count: 20), text: ascii("Hi There"),
      code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    Vector(
      algorithm: .sha256, key: ascii("Jefe"), text: ascii("what do ya want for nothing?"),
      code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
    Vector(
      algorithm: .sha256, key: [UInt8](repeating: 0xAA, count: 131),
      text: ascii("Test Using Larger Than Block-Size Key - Hash Key First"),
      code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
    Vector(
      algorithm: .sha512, key: ascii("Jefe"), text: ascii("what do ya want for nothing?"),
      code: """
        164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554
        9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737
        """),
    Vector(
      algorithm: .sha256, key: [], text: [],
      code: "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad"),
  ]

  @Test(arguments: vectors)
  func `the RFCs' examples come out`(vector: Vector) {
    let code = HMAC.code(of: vector.text.span, vector.algorithm, key: vector.key.span)
    #expect(code == hex(vector.code))
    #expect(code.count == vector.algorithm.codeCount)
  }

  @Test(arguments: 0..<50)
  func `a value that starts again is as good as a new one`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let first = randomBytes(Int.random(in: 0...100, using: &random), using: &random)
    var hmac = HMAC(.sha256, key: first.span)
    hmac.update(first.span)
    for _ in 0..<4 {
      let key = randomBytes(Int.random(in: 0...200, using: &random), using: &random)
      let text = randomBytes(Int.random(in: 0...500, using: &random), using: &random)
      hmac.restart(key: key.span)
      for piece in pieces(of: text, upTo: 100, using: &random) { hmac.update(piece.span) }
      let code = hmac.code()
      #expect(code == HMAC.code(of: text.span, .sha256, key: key.span))
    }
  }
}
