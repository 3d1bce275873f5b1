import Ciphers
import Secrets
import Testing

@testable import KDBX

/// The vectors of `docs/kdbx.md` 12: password `test`, salt 00…1F, master seed 20…3F.
@Suite struct KeyTests {
  static let salt = [UInt8](0..<32)
  static let masterSeed = [UInt8](0x20..<0x40)
  static let composite = CompositeKey(password: "test")

  static func derivedKey(_ dictionary: HandMadeDictionary) throws -> DerivedKey {
    let parameters = try KDFParametersTests.parameters(dictionary)
    return try DerivedKey(from: composite, with: parameters)
  }

  @Test func `the composite key of a password`() {
    #expect(
      revealed(Self.composite.bytes)
        == hex("954d5a49fd70d9b8bcdb35d252267829957f7ef7fa6c74f88419bdc5e82209f4"))
  }

  @Test func `an absent password, an empty one, a key file and both make four keys`() {
    let key = [UInt8](repeating: 7, count: 32)
    func composite(_ password: [UInt8]?, _ keyFile: [UInt8]?) -> [UInt8] {
      var first: SecretBytes?
      var second: SecretBytes?
      if let password { first = SecretBytes(copying: password.span) }
      if let keyFile { second = SecretBytes(copying: keyFile.span) }
      let credentials = Credentials(password: first, keyFileKey: second)
      return revealed(CompositeKey(credentials).bytes)
    }
    let empty = hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(composite(nil, nil) == empty)
    #expect(composite([], nil) == SHA256.hash(empty.span))
    #expect(composite(nil, key) == SHA256.hash(key.span))
    #expect(composite([], key) == SHA256.hash((empty + key).span))
  }

  struct Derivation: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var dictionary: HandMadeDictionary
    var key: String
  }

  static let derivations = [
    Derivation(
      testDescription: "AES-KDF, 1000 rounds", dictionary: .aesKDF(rounds: 1000),
      key: "57d32c29ab1c4575969efe5ca0660e363a4730671908984cf9d2a1eed35c8954"),
    Derivation(
      testDescription: "Argon2d 0x13",
      dictionary: .argon2(memory: 1 << 20, iterations: 2, lanes: 2),
      key: "fe729c3dc3697d6f4093adcbf907c6a60e6f22ba114fc0283474687da953c06f"),
    Derivation(
      testDescription: "Argon2d 0x10",
      dictionary: .argon2(memory: 1 << 20, iterations: 2, lanes: 2, version: 0x10),
      key: "1888466c37d82ced95eb9b6d152f76a2b5af030f0af7e824db4df9bdfabb38e3"),
    Derivation(
      testDescription: "Argon2id 0x13",
      dictionary: .argon2(
        memory: 1 << 20, iterations: 2, lanes: 2, identifier: "9E298B1956DB4773B23DFC3EC6F0A1E6"),
      key: "37568c531663238c065719098d63175b8fc4cea985e44a7672f67f9ab8dce296"),
  ]

  @Test(arguments: derivations)
  func `keys are derived as everybody derives them`(derivation: Derivation) throws {
    let key = try Self.derivedKey(derivation.dictionary)
    #expect(revealed(key.bytes) == hex(derivation.key))
  }

  @Test func `an odd seed of AES-KDF is hashed first`() throws {
    var odd = HandMadeDictionary.aesKDF(rounds: 10)
    odd.set("S", to: [1, 2, 3])
    var hashed = HandMadeDictionary.aesKDF(rounds: 10)
    hashed.set("S", to: SHA256.hash([1, 2, 3].span))
    let first = try Self.derivedKey(odd)
    let second = try Self.derivedKey(hashed)
    #expect(revealed(first.bytes) == revealed(second.bytes))
  }

  @Test func `keys of the file follow from the derived key`() throws {
    let key = try Self.derivedKey(.aesKDF(rounds: 1000))
    #expect(
      revealed(key.cipherKey(masterSeed: Self.masterSeed))
        == hex("4021e955969a66c5dc6d031390d6188fe5f0f19cd28fdacc93ce4362b8bf7ee6"))
    #expect(
      revealed(key.macKey(masterSeed: Self.masterSeed))
        == hex(
          """
          e3b32ecd9d6875d6fe4b5a4b7d36ee68668ca12b12d70850e258c3abcfaffc62
          889692d00a084aee36d3f60b3f36478253d1c95a86e0fbaf8245cd26224ce7b7
          """))
  }

  @Test func `the code of an empty block`() throws {
    let key = try Self.derivedKey(.aesKDF(rounds: 1000))
    var codes = BlockCodes(macKey: key.macKey(masterSeed: Self.masterSeed))
    let nothing: [UInt8] = []
    let code = codes.code(ofBlock: nothing.span, index: 0)
    #expect(code == hex("94483af0b53dd46641a83df8f70527cc2f4089db685da8da5d0c8c37dd9ce13b"))
  }
}
