import Testing

@testable import KDBX

@Suite struct HeaderExaminerTests {
  private typealias Item = VariantDictionary.Item

  private static func parameters(_ changed: [Item]) throws -> KDFParameters {
    let usual = [
      Item(type: .bytes, name: [UInt8]("$UUID"), value: KDFParameters.argon2dIdentifier),
      Item(type: .bytes, name: [UInt8]("S"), value: [UInt8](repeating: 1, count: 32)),
      Item(type: .uint64, name: [UInt8]("M"), value: [0, 0, 1, 0, 0, 0, 0, 0]),
      Item(type: .uint64, name: [UInt8]("I"), value: [2, 0, 0, 0, 0, 0, 0, 0]),
      Item(type: .uint32, name: [UInt8]("P"), value: [1, 0, 0, 0]),
      Item(type: .uint32, name: [UInt8]("V"), value: [0x13, 0, 0, 0]),
    ]
    let names = changed.map(\.name)
    let items = usual.filter { !names.contains($0.name) } + changed
    return try KDFParameters(VariantDictionary(items: items))
  }

  @Test func `numbers get the width that KeePass asks for`() throws {
    let odd = try Self.parameters([
      Item(type: .uint32, name: [UInt8]("M"), value: [0, 0, 1, 0]),
      Item(type: .uint64, name: [UInt8]("P"), value: [1, 0, 0, 0, 0, 0, 0, 0]),
    ])
    let mended = odd.mended()
    #expect(mended.algorithm == odd.algorithm)
    #expect(mended.salt.count == 32)
    #expect(mended.salt != odd.salt)
    #expect(mended.dictionary?.item("M")?.type == .uint64)
    #expect(mended.dictionary?.item("P")?.type == .uint32)
    #expect(mended.dictionary?.unsigned("M") == 65536)
  }

  @Test(arguments: [(16, 16), (32, 32), (4, 32), (64, 32)])
  func `a salt that KeePassXC refuses gets another length`(count: Int, mended: Int) throws {
    let salt = Item(
      type: .bytes, name: [UInt8]("S"), value: [UInt8](repeating: 1, count: count))
    #expect(try Self.parameters([salt]).mended().salt.count == mended)
  }

  /// A header, and what is said of it.
  struct Odd: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var header: HandMadeHeader
    var faults: [Fault]
  }

  static let odd: [Odd] = {
    func with(_ id: UInt8, _ bytes: [UInt8], in header: HandMadeHeader = .version4())
      -> HandMadeHeader
    {
      var header = header
      header.fields.append((id, bytes))
      return header
    }
    var secret = HandMadeDictionary.argon2(memory: 1 << 20)
    secret.items.append((0x42, "K", [1]))
    let other = HandMadeDictionary.aesKDF(
      rounds: 1, identifier: "7C02BB8279A74AC0927D114A00648238")
    let data = HandMadeDictionary(items: [(0x18, "name", [0x41])]).bytes
    return [
      Odd(testDescription: "4.0", header: .version4(), faults: []),
      Odd(testDescription: "3.1", header: .version3(), faults: []),
      Odd(testDescription: "4.2", header: .version4(minor: 2), faults: [.newerVersion]),
      Odd(testDescription: "3.2", header: .version3(minor: 2), faults: [.newerVersion]),
      Odd(
        testDescription: "Twofish", header: .version4(cipher: HandMadeHeader.twofish),
        faults: [.twofish]),
      Odd(testDescription: "a stranger", header: with(0x77, []), faults: [.unknownHeaderField]),
      Odd(testDescription: "public data", header: with(12, data), faults: []),
      Odd(testDescription: "torn public data", header: with(12, [0, 1]), faults: [.publicData]),
      Odd(testDescription: "rounds", header: with(6, [1]), faults: [.fieldOfVersion3]),
      Odd(
        testDescription: "a secret", header: .version4(kdf: secret.bytes), faults: [.kdfSecret]),
      Odd(
        testDescription: "KeePassXC's name", header: .version4(kdf: other.bytes),
        faults: [.kdfIdentifier]),
    ]
  }()

  @Test(arguments: odd)
  func `what is odd about a header is told`(odd: Odd) throws {
    let header = try OuterHeaderTests.read(OuterHeaderTests.file(odd.header)).get()
    #expect(header.examine().map(\.fault) == odd.faults)
  }

  @Test func `a secret and data of the key derivation stay`() throws {
    let own = [
      Item(type: .bytes, name: [UInt8]("K"), value: [1, 2]),
      Item(type: .bytes, name: [UInt8]("A"), value: [3]),
    ]
    let mended = try Self.parameters(own).mended()
    #expect(mended.dictionary?.bytes("K") == [1, 2])
    #expect(mended.dictionary?.bytes("A") == [3])
  }
}
