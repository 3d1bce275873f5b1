import KDBX
import Testing
import Vault

@testable import VaultTree

@Suite struct SiblingNamesTests {
  // Any identifiers do: what names siblings doesn't look at them.
  static func child(
    _ name: String, _ uuid: UInt64, created: Int64? = 0, _ id: ChildID
  ) -> Vault.Child {
    Vault.Child(
      id: id, uuid: VaultUUID(high: uuid << 32, low: 0), name: Array(name.utf8),
      created: created.map { VaultTime(unixSeconds: $0) })
  }

  static func names(
    _ children: [(name: String, uuid: UInt64, created: Int64?)], in place: NamePlace = .group
  ) throws -> [String] {
    let id = ChildID.group(try Fixture.empty().document.root)
    let children = children.map { child($0.name, $0.uuid, created: $0.created, id) }
    return SiblingNames.names(for: children, in: place).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `of siblings with one name the first made keeps it`() throws {
    #expect(
      try Self.names([("a", 2, 5), ("a", 1, 7), ("a", 3, 6)])
        == ["a", "a ~00000001", "a ~00000003"])
  }

  @Test func `no creation time counts as earliest, then the lowest UUID`() throws {
    #expect(try Self.names([("a", 2, 0), ("a", 9, nil)]) == ["a ~00000002", "a"])
    #expect(try Self.names([("a", 2, 0), ("a", 1, 0)]) == ["a ~00000002", "a"])
  }

  @Test func `a title that looks like a suffixed one keeps its name`() throws {
    #expect(
      try Self.names([("a ~00000002", 7, 9), ("a", 1, 0), ("a", 2, 1)])
        == ["a ~00000002", "a", "a ~000000020"])
  }

  @Test func `an empty title is untitled, and always takes a suffix`() throws {
    #expect(
      try Self.names([("", 1, 0), ("untitled", 2, 0), ("", 3, 0)])
        == ["untitled ~00000001", "untitled", "untitled ~00000003"])
  }

  @Test func `a long name is cut to leave room for its suffix`() throws {
    let long = String(repeating: "y", count: 300)
    let names = try Self.names([(long + "A", 1, 0), (long + "B", 2, 0)])
    #expect(names[0] == String(repeating: "y", count: 245) + " ~00000001")
    #expect(names[1] == String(repeating: "y", count: 245) + " ~00000002")
    let wide = try Self.names([(String(repeating: "漢", count: 200), 1, 0)])
    #expect(wide[0].utf8.count == 253)
    let fits = String(repeating: "x", count: 255)
    #expect(try Self.names([(fits, 1, 0)]) == [fits])
  }

  @Test func `siblings of one UUID are told apart all the same`() throws {
    let names = try Self.names([("a", 1, 0), ("a", 1, 0), ("a", 1, 0)])
    #expect(Set(names).count == 3)
    #expect(names[0] == "a")
  }

  @Test func `a newcomer moves no one`() throws {
    let id = ChildID.group(try Fixture.empty().document.root)
    let name = SiblingNames.name(for: Self.child("a", 1, id), in: .group) { $0 == Array("a".utf8) }
    #expect(name == Array("a ~00000001".utf8))
  }
}

@Suite struct FieldNamesTests {
  static func keys(_ keys: [String]) -> [String] {
    FieldNames.distinctKeys(keys.map { Array($0.utf8) }).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `of several of one key the last keeps it`() {
    #expect(Self.keys(["a", "b"]) == ["a", "b"])
    #expect(Self.keys(["a", "a", "a"]) == ["a (2)", "a (3)", "a"])
    #expect(Self.keys(["a", "a (2)", "a"]) == ["a (3)", "a (2)", "a"])
  }

  @Test func `a key that is too long takes the start of its hash`() {
    let key = [UInt8](repeating: UInt8(ascii: "k"), count: 300)
    let name = FieldNames.fileName(of: key, in: .entry)
    #expect(name.count == 255)
    #expect(name.prefix(245) == key.prefix(245))
    #expect(name.suffix(10) == Array(" ~17b16d8e".utf8)[...])
  }

  @Test func `a key of no bytes has a name too`() {
    #expect(FieldNames.fileName(of: [], in: .entry) == Array("%00".utf8))
  }
}
