import KDBX
import TestSupport
import Testing
import Vault

/// Merges of random edits on both sides, against the reference (two thousand pairs, each with a base
/// and without).
@Suite struct RandomMergeTests {
  static let now = 1000

  /// What both sides come from, and what they made of it.
  struct Case {
    var base: ReferenceVault
    var ours: ReferenceVault
    var theirs: ReferenceVault

    init(seed: UInt64) {
      var edits = RandomEdits(random: SeededGenerator(seed: seed))
      base = edits.vault()
      ours = base
      theirs = base
      edits.edit(&ours, first: 100)
      edits.edit(&theirs, first: 140)
      // Some copies that come from outside are older than what was last read here.
      if seed.isMultiple(of: 7) {
        theirs = base
        edits.edit(&base, first: 180)
        ours = base
        edits.edit(&ours, first: 100)
      }
    }
  }

  @Test(arguments: 0..<40)
  func `merging is as the rules say`(block: UInt64) throws {
    for seed in (block * 50)..<(block * 50 + 50) {
      let edits = Case(seed: seed)
      try check(edits, base: edits.base, "seed \(seed)")
      try check(edits, base: nil, "seed \(seed), no base")
    }
  }

  private func check(_ edits: Case, base: ReferenceVault?, _ name: Comment) throws {
    let expected = ReferenceMerge.merge(edits.ours, edits.theirs, base: base, at: Self.now)
    var vault = try edits.ours.written()
    let theirs = try edits.theirs.written().document
    let report = try vault.merge(
      theirs, base: try base?.written().document, at: TestVault.time(Int64(Self.now)))
    let merged = try ReferenceVault(reading: vault)
    Self.expect(merged, expected, name)
    if merged == edits.ours { #expect(!report.hasChanges, name) }
    if !report.hasChanges { #expect(merged == edits.ours, name) }
    // The same again changes nothing: theirs is what was last read now.
    let again = try vault.merge(theirs, base: theirs, at: TestVault.time(Int64(Self.now)))
    #expect(!again.hasChanges, name)
  }

  /// Compares part by part, so that a failure shows what differs.
  private static func expect(
    _ merged: ReferenceVault, _ expected: ReferenceVault, _ name: Comment
  ) {
    guard merged != expected else { return }
    #expect(Set(merged.entries.keys) == Set(expected.entries.keys), name)
    #expect(Set(merged.groups.keys) == Set(expected.groups.keys), name)
    #expect(merged.deleted == expected.deleted, name)
    #expect(merged.meta == expected.meta, name)
    #expect(merged.metaTimes == expected.metaTimes, name)
    for (number, entry) in expected.entries where merged.entries[number] != entry {
      #expect(merged.entries[number] == entry, name)
    }
    for (number, group) in expected.groups where merged.groups[number] != group {
      #expect(merged.groups[number] == group, name)
    }
  }

  /// Nothing that either side had is lost, whatever the rules: each value of each state is somewhere,
  /// unless the other side removed the entry.
  @Test(arguments: 0..<10)
  func `no value is lost`(block: UInt64) throws {
    for seed in (3000 + block * 20)..<(3000 + block * 20 + 20) {
      var edits = Case(seed: seed)
      // Limits drop old versions, as they should.
      edits.base.meta["e:HistoryMaxItems"] = "-1"
      edits.ours.meta["e:HistoryMaxItems"] = "-1"
      edits.theirs.meta["e:HistoryMaxItems"] = "-1"
      var vault = try edits.ours.written()
      _ = try vault.merge(
        try edits.theirs.written().document, base: try edits.base.written().document,
        at: TestVault.time(Int64(Self.now)))
      let merged = try ReferenceVault(reading: vault)
      for side in [edits.ours, edits.theirs] {
        for (number, entry) in side.entries {
          guard let found = merged.entries[number] else {
            #expect(edits.ours.deleted[number] != nil || edits.theirs.deleted[number] != nil)
            continue
          }
          let states = [found.state] + found.history
          for (part, value) in entry.state.parts where part.hasPrefix("f:") && !value.isEmpty {
            #expect(states.contains { $0.parts[part] == value }, "seed \(seed): \(number) \(part)")
          }
        }
      }
    }
  }
}
