import Ciphers
import Testing

@testable import KDBX

@Suite struct KDFParametersTests {
  static func parameters(_ dictionary: HandMadeDictionary) throws -> KDFParameters {
    let bytes = dictionary.bytes
    return try KDFParameters(try VariantDictionary(reading: bytes.span))
  }

  @Test func `AES-KDF is read under both of its identifiers, and written under the common one`()
    throws
  {
    let usual = HandMadeDictionary.aesKDF(rounds: 60_000)
    let other = HandMadeDictionary.aesKDF(
      rounds: 60_000, identifier: "7C02BB8279A74AC0927D114A00648238")
    for dictionary in [usual, other] {
      let parameters = try Self.parameters(dictionary)
      #expect(parameters.algorithm == .aes(rounds: 60_000))
      #expect(parameters.salt == [UInt8](0..<32))
      #expect(parameters.dictionaryToWrite?.bytes == usual.bytes)
    }
  }

  @Test func `memory is stated in bytes and used in KiB`() throws {
    let parameters = try Self.parameters(
      .argon2(memory: 64 << 20, iterations: 3, lanes: 2, version: 0x10))
    guard case .argon2(let argon2) = parameters.algorithm else {
      Issue.record("\(parameters.algorithm)")
      return
    }
    #expect(argon2.variant == .d)
    #expect(argon2.memoryKiB == 65536)
    #expect(argon2.iterations == 3)
    #expect(argon2.lanes == 2)
    #expect(argon2.version == 0x10)
  }

  @Test func `memory that is no whole KiB is rounded down, and stays as it is`() throws {
    let dictionary = HandMadeDictionary.argon2(memory: 65 << 10 + 1023)
    let parameters = try Self.parameters(dictionary)
    guard case .argon2(let argon2) = parameters.algorithm else { return }
    #expect(argon2.memoryKiB == 65)
    #expect(parameters.dictionaryToWrite?.bytes == dictionary.bytes)
  }

  @Test func `what nobody sets but KeePass honours is kept`() throws {
    var dictionary = HandMadeDictionary.argon2(memory: 1 << 20)
    dictionary.items.append((0x42, "K", [1, 2, 3]))
    dictionary.items.append((0x42, "A", [4]))
    dictionary.items.append((0x18, "stranger", [0x41]))
    let parameters = try Self.parameters(dictionary)
    guard case .argon2(let argon2) = parameters.algorithm else { return }
    #expect(argon2.secret == [1, 2, 3])
    #expect(argon2.associatedData == [4])
    #expect(parameters.dictionaryToWrite?.bytes == dictionary.bytes)
  }

  @Test func `a fresh salt has the old one's length, and all else stays`() throws {
    var dictionary = HandMadeDictionary.argon2(memory: 1 << 20)
    dictionary.set("S", to: [UInt8](repeating: 5, count: 16))
    let old = try Self.parameters(dictionary)
    let new = old.withFreshSalt()
    #expect(new.salt.count == 16)
    #expect(new.salt != old.salt)
    #expect(new.algorithm == old.algorithm)
    dictionary.set("S", to: new.salt)
    #expect(new.dictionary?.bytes == dictionary.bytes)
    #expect(!new.derivesSameKey(as: old))
  }

  struct Lack: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var dictionary: HandMadeDictionary
  }

  static let lacks: [Lack] = {
    func without(_ name: String, _ whole: HandMadeDictionary) -> Lack {
      var dictionary = whole
      dictionary.items.removeAll { $0.name == name }
      return Lack(testDescription: "no \(name)", dictionary: dictionary)
    }
    func with(_ name: String, _ type: UInt8, _ value: [UInt8]) -> Lack {
      var dictionary = HandMadeDictionary.argon2(memory: 1 << 20)
      dictionary.set(name, type: type, to: value)
      return Lack(testDescription: "\(name) = \(value)", dictionary: dictionary)
    }
    return ["$UUID", "R", "S"].map { without($0, .aesKDF(rounds: 1)) }
      + ["$UUID", "V", "S", "M", "I", "P"].map { without($0, .argon2(memory: 1 << 20)) }
      + [
        with("I", 0x05, littleEndian(UInt64.max)), with("P", 0x05, littleEndian(1 << 32 as UInt64)),
        with("I", 0x18, [0x31]), with("V", 0x04, littleEndian(0x14 as UInt32)),
      ]
  }()

  @Test(arguments: lacks)
  func `what is incomplete or can't be is refused`(lack: Lack) {
    #expect(throws: KDBXError.self) { try Self.parameters(lack.dictionary) }
  }

  struct Cost: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var dictionary: HandMadeDictionary
    /// nil: within the limits.
    var excess: Limits.Excess?
  }

  static let costs = [
    Cost(
      testDescription: "the most rounds of KeePassXC",
      dictionary: .aesKDF(rounds: 2_147_483_646)),
    Cost(
      testDescription: "2^64-1 rounds", dictionary: .aesKDF(rounds: .max),
      excess: .rounds(.max, limit: 1 << 31)),
    Cost(testDescription: "2 GiB", dictionary: .argon2(memory: 2 << 30)),
    Cost(
      testDescription: "2 GiB and a little", dictionary: .argon2(memory: 2 << 30 + 1024),
      excess: .memory(kib: 2 << 20 + 1, limit: 2 << 20)),
    Cost(
      testDescription: "more memory than 32 bits of KiB",
      dictionary: .argon2(memory: .max),
      excess: .memory(kib: UInt64(UInt32.max), limit: 2 << 20)),
    Cost(
      testDescription: "1 GiB, a thousand times",
      dictionary: .argon2(memory: 1 << 30, iterations: 1000),
      excess: .work(kib: 1000 << 20, limit: 1 << 28)),
    Cost(
      testDescription: "little memory, for ever",
      dictionary: .argon2(memory: 1 << 20, iterations: UInt64(UInt32.max)),
      excess: .work(kib: UInt64(UInt32.max) << 10, limit: 1 << 28)),
  ]

  @Test(arguments: costs)
  func `an absurd cost is refused before anything runs`(cost: Cost) throws {
    let parameters = try Self.parameters(cost.dictionary)
    guard let excess = cost.excess else {
      try parameters.check(against: .standard)
      return
    }
    let error = #expect(throws: KDBXError.self) {
      _ = try DerivedKey(from: CompositeKey(password: "test"), with: parameters)
    }
    #expect(error == KDBXError(.tooExpensive(excess), in: .keyDerivation))
  }
}
