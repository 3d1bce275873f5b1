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
