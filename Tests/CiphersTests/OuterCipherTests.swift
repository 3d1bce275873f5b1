import Ciphers
import Secrets
import TestSupport
import Testing

@Suite struct OuterCipherTests {
  static func encrypt(
    _ cipher: OuterCipher, key: [UInt8], iv: [UInt8], _ pieces: [[UInt8]]
  ) throws -> [UInt8] {
    var output = WipedBuffer()
    var encryptor = try Encryptor(cipher, key: key.span, iv: iv.span)
    for piece in pieces { try encryptor.update(piece.span, into: &output) }
    try encryptor.finish(into: &output)
    return output.array
  }

  static func decrypt(
    _ cipher: OuterCipher, key: [UInt8], iv: [UInt8], _ pieces: [[UInt8]]
  ) throws -> [UInt8] {
    var output = WipedBuffer()
    var decryptor = try Decryptor(cipher, key: key.span, iv: iv.span)
    for piece in pieces { try decryptor.update(piece.span, into: &output) }
    try decryptor.finish(into: &output)
    return output.array
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    var cipher: OuterCipher
    var key: String
    var iv: String
    var plain: String
    var enciphered: String
    var testDescription: String { "\(cipher)" }
  }

  static let vectors = [
    // NIST SP 800-38A, F.2.5.
    Vector(
      cipher: .aes256CBC,
      key: "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
      iv: "000102030405060708090a0b0c0d0e0f",
      plain: """
        6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
        30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
        """,
      enciphered: """
        f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d
        39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b
        """),
    // RFC 8439, A.1, test vector 1.
    Vector(
      cipher: .chaCha20, key: String(repeating: "00", count: 32),
      iv: String(repeating: "00", count: 12), plain: String(repeating: "00", count: 64),
      enciphered: """
        76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7
        da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586
        """),
    // The Twofish paper's table and its authors' ECB_IVAL.TXT.
    Vector(
      cipher: .twofish256CBC, key: String(repeating: "00", count: 32),
      iv: String(repeating: "00", count: 16), plain: String(repeating: "00", count: 16),
      enciphered: "57ff739d4dc92c1bd7fc01700cc8216f"),
    Vector(
      cipher: .twofish256CBC,
      key: "0123456789abcdeffedcba987654321000112233445566778899aabbccddeeff",
      iv: String(repeating: "00", count: 16), plain: String(repeating: "00", count: 16),
      enciphered: "37527be0052334b89f0cfccae87cfa20"),
  ]

  @Test(arguments: vectors)
  func `the published vectors come out`(vector: Vector) throws {
    let (key, iv) = (hex(vector.key), hex(vector.iv))
    let enciphered = try Self.encrypt(vector.cipher, key: key, iv: iv, [hex(vector.plain)])
    #expect(Array(enciphered.prefix(hex(vector.enciphered).count)) == hex(vector.enciphered))
    #expect(try Self.decrypt(vector.cipher, key: key, iv: iv, [enciphered]) == hex(vector.plain))
  }

  @Test(arguments: OuterCipher.allCases, 0..<60 as Range<UInt64>)
  func `any pieces give the same, in both directions`(cipher: OuterCipher, seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let key = randomBytes(cipher.keySize, using: &random)
    let iv = randomBytes(cipher.ivSize, using: &random)
    let plain = randomBytes(
      seed < 40 ? Int(seed) : Int.random(in: 0...5000, using: &random), using: &random)
    let whole = try Self.encrypt(cipher, key: key, iv: iv, [plain])
    let size = Int.random(in: 1...40, using: &random)
    let piecewise = try Self.encrypt(
      cipher, key: key, iv: iv, pieces(of: plain, upTo: size, using: &random))
    #expect(piecewise == whole)
    let back = try Self.decrypt(
      cipher, key: key, iv: iv, pieces(of: whole, upTo: size, using: &random))
    #expect(back == plain)
    #expect(whole.count == (cipher == .chaCha20 ? plain.count : (plain.count / 16 + 1) * 16))
  }

  @Test(arguments: [OuterCipher.aes256CBC, .twofish256CBC])
  func `bad padding lets the last block through whole`(cipher: OuterCipher) throws {
    let key = [UInt8](repeating: 7, count: 32)
    let iv = [UInt8](repeating: 9, count: 16)
    for ending: [UInt8] in [[0], [17], [255], [1, 2], [3, 3], [2, 3, 3], [16]] {
      let plain = [UInt8](repeating: 0x41, count: 48 - ending.count) + ending
      // Without the block of padding that the encryptor adds.
      let enciphered = try Self.encrypt(cipher, key: key, iv: iv, [plain]).dropLast(16)
      let back = try Self.decrypt(cipher, key: key, iv: iv, [Array(enciphered)])
      #expect(back == plain, "ending \(ending)")
    }
  }

  @Test(arguments: [OuterCipher.aes256CBC, .twofish256CBC], 1..<16)
  func `a cut block is an error`(cipher: OuterCipher, left: Int) throws {
    let key = [UInt8](repeating: 7, count: 32)
    let iv = [UInt8](repeating: 9, count: 16)
    let cut = [UInt8](repeating: 1, count: 32 + left)
    #expect(throws: CipherError.partialBlock(left)) {
      try Self.decrypt(cipher, key: key, iv: iv, [cut])
    }
  }

  @Test(arguments: OuterCipher.allCases)
  func `nothing gives nothing`(cipher: OuterCipher) throws {
    let key = [UInt8](repeating: 7, count: cipher.keySize)
    let iv = [UInt8](repeating: 9, count: cipher.ivSize)
    #expect(try Self.decrypt(cipher, key: key, iv: iv, []) == [])
    #expect(try Self.decrypt(cipher, key: key, iv: iv, [[]]) == [])
  }

  @Test(arguments: OuterCipher.allCases)
  func `keys and IVs of other sizes are refused`(cipher: OuterCipher) {
    let key = [UInt8](repeating: 0, count: cipher.keySize)
    let iv = [UInt8](repeating: 0, count: cipher.ivSize)
    for count in [0, 16, 31, 33, 64] {
      #expect(throws: CipherError.keyLength(count)) {
        try Self.decrypt(cipher, key: [UInt8](repeating: 0, count: count), iv: iv, [])
      }
    }
    for count in [0, 8, 11, 13, 15, 17] {
      #expect(throws: CipherError.ivLength(count)) {
        try Self.encrypt(cipher, key: key, iv: [UInt8](repeating: 0, count: count), [])
      }
    }
  }

  /// RFC 8439, 2.4.2, whose text begins at block 1: behind 64 bytes that don't matter.
  @Test func `the RFC's sunscreen text comes out`() throws {
    let text = ascii(
      """
      Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, \
      sunscreen would be it.
      """)
    let enciphered = try Self.encrypt(
      .chaCha20, key: Array(0..<32), iv: hex("000000000000004a00000000"),
      [[UInt8](repeating: 0, count: 64), text])
    let expected = hex(
      """
      6e2e359a2568f98041ba0728dd0d6981e97e7aec1d4360c20a27afccfd9fae0b
      f91b65c5524733ab8f593dabcd62b3571639d624e65152ab8f530c359f0861d8
      07ca0dbf500d6a6156a38e088a22b65e52bc514d16ccf806818ce91ab7793736
      5af90bbf74a35be6b40b8eedf2785e42874d
      """)
    #expect(Array(enciphered.dropFirst(64)) == expected)
  }
}
