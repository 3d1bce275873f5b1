import KDBX
import Testing
import Vault

@Suite struct MoveTests {
  static let now = TestVault.time(1000)

  static func vault(version: FormatVersion = .kdbx40, meta: String = "") throws -> Vault {
    try TestVault.make(version: version, meta: meta) { root in
      root.entry(10, [("Title", "drop"), ("*Password", "p")]) { history in
        history.entry(10, [("Title", "dropped before")], modified: 1)
      }
      root.group(2, "folder") { folder in
        folder.entry(20, [("Title", "leaf")])
        folder.group(3, "inner") { inner in inner.entry(30, [("Title", "deep")]) }
      }
      root.group(4, "Papierkorb") { bin in bin.entry(40, [("Title", "rubbish")]) }
    }
  }

  static func binMeta(_ number: UInt8?, enabled: String = "True") -> String {
    let uuid = number.map { TestVault.uuid($0) } ?? .zero
    return """
      <RecycleBinEnabled>\(enabled)</RecycleBinEnabled>\
      <RecycleBinUUID>\(TestVault.base64(uuid))</RecycleBinUUID>\
      <RecycleBinChanged>\(TestVault.iso(1))</RecycleBinChanged>
      """
  }

  // MARK: - Moving

  @Test(arguments: [FormatVersion.kdbx31, .kdbx40, .kdbx41])
  func `a move changes where it is, and nothing else`(version: FormatVersion) throws {
    var vault = try Self.vault(version: version)
    let id = try vault.entryID(10)
    let group = try vault.groupID(2)
    try vault.move(.entry(id), to: group, at: Self.now)
    let entry = vault.document.entry(id)
    #expect(vault.document.parent(of: .entry(id)) == group)
    #expect(entry.times.locationChanged == Self.now)
    #expect(entry.times.lastModification == TestVault.time(10))
    #expect(entry.historyCount == 1)
    #expect(entry.previousParentGroup == (version == .kdbx41 ? TestVault.uuid(1) : nil))
    try vault.move(.group(try vault.groupID(3)), to: vault.document.root, at: Self.now)
    let moved = vault.document.group(try vault.groupID(3))
    #expect(moved.times.locationChanged == Self.now)
    #expect(moved.previousParentGroup == (version == .kdbx41 ? TestVault.uuid(2) : nil))
  }

  @Test func `a moved entry wasn't edited, so a save makes no history item`() throws {
    var vault = try Self.vault(version: .kdbx41)
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    try vault.move(.entry(id), to: try vault.groupID(2), at: Self.now)
    let isNew = vault.commitHistory(of: id, base: base)
    let entry = vault.document.entry(id)
    #expect(!isNew)
    #expect(entry.times.locationChanged == Self.now)
    #expect(entry.previousParentGroup == TestVault.uuid(1))
  }

  @Test func `moves that can't be are refused, and change nothing`() throws {
    var vault = try Self.vault()
    let outer = try vault.groupID(2)
    let inner = try vault.groupID(3)
    let root = vault.document.root
    #expect(throws: VaultError.intoItself) {
      try vault.move(.group(outer), to: outer, at: Self.now)
    }
    #expect(throws: VaultError.intoItself) {
      try vault.move(.group(outer), to: inner, at: Self.now)
    }
    #expect(throws: VaultError.isRoot) { try vault.move(.group(root), to: inner, at: Self.now) }
    #expect(throws: VaultError.isRoot) { try vault.remove(.group(root), at: Self.now) }
    try vault.delete(.group(inner), at: Self.now)
    #expect(throws: VaultError.notInVault) {
      try vault.move(.group(inner), to: root, at: Self.now)
    }
    #expect(throws: VaultError.notInVault) {
      try vault.move(.group(outer), to: inner, at: Self.now)
    }
    #expect(vault.document.parent(of: .group(outer)) == root)
  }

  @Test func `groups don't lie in one another more deeply than a file can have them`() throws {
    var vault = try Self.vault()
    var group = vault.document.root
    while vault.document.canMove(nil, to: group) {
      group = vault.createGroup(in: group, name: [0x78], at: Self.now)
    }
    let folder = try vault.groupID(2)
    #expect(throws: VaultError.tooDeep) {
      try vault.move(.group(folder), to: group, at: Self.now)
    }
    try vault.move(.entry(try vault.entryID(10)), to: group, at: Self.now)
  }

  @Test func `a move to where it is already stamps nothing`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    try vault.move(.entry(id), to: vault.document.root, at: Self.now)
    #expect(vault.document.entry(id).times.locationChanged == TestVault.time(10))
  }

  // MARK: - Removing

  static func remove(_ child: ChildID, from vault: inout Vault, _ expected: Removal) throws {
    let removal = try vault.remove(child, at: now)
    #expect(removal == expected)
  }

  /// Case 028, `bin.kdbx`.
  @Test func `what is removed goes into the bin that Meta names`() throws {
    var vault = try Self.vault(meta: Self.binMeta(4))
    let bin = try vault.groupID(4)
    let entry = try vault.entryID(10)
    let group = try vault.groupID(2)
    try Self.remove(.entry(entry), from: &vault, .recycled(into: bin))
    try Self.remove(.group(group), from: &vault, .recycled(into: bin))
    #expect(vault.document.parent(of: .entry(entry)) == bin)
    #expect(vault.document.entry(entry).times.locationChanged == Self.now)
    #expect(vault.document.entry(entry).historyCount == 1)
    #expect(vault.isInRecycleBin(.entry(try vault.entryID(30))))
    #expect(vault.isInRecycleBin(.group(bin)))
    #expect(!vault.isInRecycleBin(.group(vault.document.root)))
    #expect(vault.document.deletedObjects.isEmpty)
    #expect(vault.document.groupCount == 4)
    #expect(vault.document.meta.recycleBinChanged == TestVault.time(1))
  }

  /// Case 028, `newbin.kdbx`; also a bin that is the root, and one that isn't there any more.
  @Test(arguments: [nil, 1, 99] as [UInt8?])
  func `a missing bin is made as KeePass does`(named: UInt8?) throws {
    var vault = try Self.vault(meta: Self.binMeta(named))
    #expect(vault.recycleBin == nil)
    let removal = try vault.remove(.entry(try vault.entryID(10)), at: Self.now)
    let bin = try #require(vault.recycleBin)
    #expect(removal == .recycled(into: bin))
    let group = vault.document.group(bin)
    #expect(vault.document.parent(of: .group(bin)) == vault.document.root)
    #expect(group.name == Array("Recycle Bin".utf8))
    #expect(group.iconID == 43)
    #expect(group.enableAutoType == false)
    #expect(group.enableSearching == false)
    #expect(!group.isExpanded)
    #expect(vault.document.meta.recycleBinUUID == group.uuid)
    #expect(vault.document.meta.recycleBinChanged == Self.now)
    try Self.remove(.group(try vault.groupID(2)), from: &vault, .recycled(into: bin))
  }

  /// Case 028, `off.kdbx`.
  @Test func `without a bin all that goes is noted`() throws {
    var vault = try Self.vault(meta: Self.binMeta(4, enabled: "False"))
    try Self.remove(.entry(try vault.entryID(10)), from: &vault, .deleted)
    try Self.remove(.group(try vault.groupID(2)), from: &vault, .deleted)
    let noted = vault.document.deletedObjects
    #expect(Set(noted.map { $0.uuid }) == Set([10, 2, 20, 3, 30].map { TestVault.uuid($0) }))
    #expect(noted.count == 5)
    #expect(noted.allSatisfy { $0.deletionTime == Self.now })
    #expect(vault.document.entryCount == 1)
    #expect(vault.findEntry(TestVault.uuid(30)) == nil)
  }

  @Test func `what lies in the bin goes for good`() throws {
    var vault = try Self.vault(meta: Self.binMeta(4))
    try Self.remove(.entry(try vault.entryID(40)), from: &vault, .deleted)
    #expect(vault.document.deletedObjects.map { $0.uuid } == [TestVault.uuid(40)])
    #expect(vault.recycleBin != nil)
  }

  @Test func `removing the bin is for good, and Meta names none`() throws {
    var vault = try Self.vault(meta: Self.binMeta(4))
    try Self.remove(.group(try vault.groupID(4)), from: &vault, .deleted)
    #expect(vault.document.meta.recycleBinUUID == .zero)
    #expect(vault.document.meta.recycleBinChanged == Self.now)
    #expect(vault.document.deletedObjects.count == 2)
    #expect(vault.recycleBin == nil)
  }

  @Test func `what holds the bin can't go into it`() throws {
    var vault = try Self.vault(meta: Self.binMeta(3))
    try Self.remove(.group(try vault.groupID(2)), from: &vault, .deleted)
    #expect(vault.document.meta.recycleBinUUID == .zero)
  }

  @Test func `a twin's UUID isn't noted while the other one stays`() throws {
    var vault = try TestVault.make(meta: Self.binMeta(4, enabled: "False")) { root in
      root.entry(10, [("Title", "one")])
      root.entry(10, [("Title", "two")])
    }
    let entries = vault.document.allEntries
    try vault.delete(.entry(entries[0]), at: Self.now)
    #expect(vault.document.deletedObjects.isEmpty)
    #expect(vault.findEntry(TestVault.uuid(10)) == entries[1])
    try vault.delete(.entry(entries[1]), at: Self.now)
    #expect(vault.document.deletedObjects.map { $0.uuid } == [TestVault.uuid(10)])
  }

  @Test func `a change past the vault's methods doesn't confuse the index`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    vault.changeDocument { $0.remove(.entry(id)) }
    #expect(vault.findEntry(TestVault.uuid(10)) == nil)
  }
}
