import Ciphers
import Secrets
import Testing

/// `docs/kdbx.md`, section 12, unless said otherwise: password `test`, salt 00 … 1F, master seed
/// 20 … 3F.
@Suite struct KeyDerivationTests {
  static let composite = hex("954d5a49fd70d9b8bcdb35d252267829957f7ef7fa6c74f88419bdc5e82209f4")
  static let salt: [UInt8] = Array(0..<32)

  @Test func `the composite key is a hash of hashes`() {
    let password = SHA256.hash(ascii("test").span)
    #expect(SHA256.hash(password.span) == Self.composite)
  }

  @Test func `AES-KDF gives the known key`() {
    let key = KeyDerivation.aes(
      composite: Self.composite.span, seed: Self.salt.span, rounds: 1000)
    #expect(key.array == hex("57d32c29ab1c4575969efe5ca0660e363a4730671908984cf9d2a1eed35c8954"))
  }

  @Test func `AES-KDF of no rounds is the hash alone`() {
    let key = KeyDerivation.aes(composite: Self.composite.span, seed: Self.salt.span, rounds: 0)
    #expect(key.array == SHA256.hash(Self.composite.span))
  }

  @Test func `a file's keys follow from the derived one`() {
    let transformed = hex("57d32c29ab1c4575969efe5ca0660e363a4730671908984cf9d2a1eed35c8954")
    let masterSeed: [UInt8] = Array(32..<64)
    let cipherKey = SHA256.hash((masterSeed + transformed).span)
    #expect(cipherKey == hex("4021e955969a66c5dc6d031390d6188fe5f0f19cd28fdacc93ce4362b8bf7ee6"))
    let hmacKey = SHA512.hash((masterSeed + transformed + [1]).span)
    let blockKey = SHA512.hash(([UInt8](repeating: 0, count: 8) + hmacKey).span)
    let code = HMAC.code(
      of: [UInt8](repeating: 0, count: 12).span, .sha256, key: blockKey.span)
    #expect(code == hex("94483af0b53dd46641a83df8f70527cc2f4089db685da8da5d0c8c37dd9ce13b"))
  }

  struct Vector: Sendable, CustomTestStringConvertible {
    var variant: Argon2Variant
    var version: UInt32
    var key: String
    var testDescription: String { "Argon2\(variant) \(version)" }
  }

  static let vectors = [
    Vector(
      variant: .d, version: 0x13,
      key: "fe729c3dc3697d6f4093adcbf907c6a60e6f22ba114fc0283474687da953c06f"),
    Vector(
      variant: .d, version: 0x10,
      key: "1888466c37d82ced95eb9b6d152f76a2b5af030f0af7e824db4df9bdfabb38e3"),
    Vector(
      variant: .id, version: 0x13,
      key: "37568c531663238c065719098d63175b8fc4cea985e44a7672f67f9ab8dce296"),
  ]

  @Test(arguments: vectors)
  func `Argon2 gives the known keys`(vector: Vector) throws {
    let nothing: [UInt8] = []
    let key = try KeyDerivation.argon2(
      vector.variant, version: vector.version, password: Self.composite.span,
      salt: Self.salt.span, secret: nothing.span, associatedData: nothing.span,
      memoryKiB: 1024, iterations: 2, lanes: 2)
    #expect(key.array == hex(vector.key))
  }

  /// RFC 9106, sections 5.1 and 5.3: with a secret and associated data.
  @Test(arguments: [
    (Argon2Variant.d, "512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb"),
    (.id, "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"),
  ])
  func `a secret and associated data count`(variant: Argon2Variant, expected: String) throws {
    let key = try KeyDerivation.argon2(
      variant, version: 0x13, password: [UInt8](repeating: 1, count: 32).span,
      salt: [UInt8](repeating: 2, count: 16).span,
      secret: [UInt8](repeating: 3, count: 8).span,
      associatedData: [UInt8](repeating: 4, count: 12).span, memoryKiB: 32, iterations: 3, lanes: 4)
    #expect(key.array == hex(expected))
  }

  /// More lanes than the most threads.
  @Test func `many lanes are done by few threads`() throws {
    let nothing: [UInt8] = []
    let key = try KeyDerivation.argon2(
      .d, version: 0x13, password: Self.composite.span, salt: Self.salt.span,
      secret: nothing.span, associatedData: nothing.span, memoryKiB: 800, iterations: 1, lanes: 100)
    #expect(key.count == 32)
  }

  struct Refused: Sendable, CustomTestStringConvertible {
    var what: String
    var saltCount = 32
    var memoryKiB: UInt32 = 1024
    var iterations: UInt32 = 1
    var lanes: UInt32 = 1
    var testDescription: String { what }
  }

  @Test(arguments: [
    Refused(what: "no iterations", iterations: 0),
    Refused(what: "no lanes", lanes: 0),
    Refused(what: "too many lanes", lanes: 1 << 24),
    Refused(what: "too little memory", memoryKiB: 7),
    Refused(what: "too little memory for the lanes", memoryKiB: 100, lanes: 13),
    Refused(what: "a short salt", saltCount: 7),
    Refused(what: "no salt", saltCount: 0),
  ])
  func `what Argon2 can't do is an error`(refused: Refused) {
    #expect {
      let salt = [UInt8](repeating: 0, count: refused.saltCount)
      let nothing: [UInt8] = []
      _ = try KeyDerivation.argon2(
        .d, version: 0x13, password: Self.composite.span, salt: salt.span, secret: nothing.span,
        associatedData: nothing.span, memoryKiB: refused.memoryKiB, iterations: refused.iterations,
        lanes: refused.lanes)
    } throws: { error in
      guard case KDFError.parameters = error else { return false }
      return true
    }
  }

  @Test func `memory that no machine has is an error`() {
    let nothing: [UInt8] = []
    #expect(throws: KDFError.outOfMemory(kibibytes: .max)) {
      _ = try KeyDerivation.argon2(
        .d, version: 0x13, password: Self.composite.span, salt: Self.salt.span,
        secret: nothing.span, associatedData: nothing.span, memoryKiB: .max, iterations: 1, lanes: 1
      )
    }
  }
}
