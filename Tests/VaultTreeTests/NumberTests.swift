import Testing

@testable import KDBX
@testable import Vault
@testable import VaultTree

/// What is found by running numbers.
struct NumberTests {
  @Test func `views of entries that take the same place aren't mixed up`() throws {
    let document = try Samples.office().document
    let entry = Entry(uuid: .random(), version: document.version, at: .earliest)
    let first = EntryView(entry, in: document.values)
    let second = EntryView(entry, in: document.values)
    var views = ViewCache()
    #expect(views[7] == nil)
    views.keep(first, of: 7)
    #expect(views[7] === first)
    #expect(views[7 + 16_384] == nil)
    views.forget(7 + 16_384)
    #expect(views[7] === first)
    views.keep(second, of: 7 + 16_384)
    #expect(views[7] == nil)
    #expect(views[7 + 16_384] === second)
    views.forget(7 + 16_384)
    #expect(views[7 + 16_384] == nil)
  }

  @Test func `owners are found by number, also where some are missing`() {
    var owners = OwnerTable()
    #expect(owners[0] == nil)
    #expect(owners[.max] == nil)
    owners[3] = .undecided
    owners[0] = .lent
    #expect(owners.numbers == [0, 3])
    #expect(owners.count == 2)
    #expect(owners[1] == nil)
    #expect(owners[4] == nil)
    #expect(owners.contains { if case .undecided = $0 { true } else { false } })
    owners[3] = .lent
    #expect(!owners.contains { if case .undecided = $0 { true } else { false } })
  }

  @Test func `numbers that run get hashes that differ where a dictionary looks`() {
    // The lowest bits choose the place.
    let nodes = (0..<1024 as Range<UInt64>).map { Slot.node($0, 3)._rawHashValue(seed: 5) & 4095 }
    let handles = (0..<1024 as Range<UInt64>).map {
      HandleID(rawValue: $0)._rawHashValue(seed: 5) & 4095
    }
    #expect(Set(nodes).count > 800)
    #expect(Set(handles).count > 800)
  }
}
