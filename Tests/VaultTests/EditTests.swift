import KDBX
import Testing
import Vault

@Suite struct EditTests {
  static let now = TestVault.time(1000)

  static func vault() throws -> Vault {
    try TestVault.make { root in
      root.entry(
        10,
        [("Title", "mail"), ("UserName", "sam"), ("*Password", "old"), ("URL", ""), ("Notes", "")],
        tags: "a,b", extra: "<AutoType><Enabled>True</Enabled></AutoType><Mystery>x</Mystery>"
      ) { history in
        history.entry(10, [("Title", "mail"), ("*Password", "older")], modified: 5)
      }
      root.group(2, "Work") { work in work.entry(20, [("Title", "vpn"), ("*Password", "p")]) }
    }
  }

  @Test func `an edit stamps the entry and counts one use more`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    vault.write("new", to: "Password", of: id, at: Self.now)
    let entry = vault.document.entry(id)
    #expect(vault.text("Password", of: entry) == "new")
    #expect(entry.string(FieldKey.password)?.isProtected == true)
    #expect(entry.times.lastModification == Self.now)
    #expect(entry.times.lastAccess == Self.now)
    #expect(entry.times.creation == TestVault.time(10))
    #expect(entry.times.locationChanged == TestVault.time(10))
    #expect(entry.times.usageCount == 4)
    #expect(entry.historyCount == 1)
  }

  @Test(arguments: [(2_147_483_646, 2_147_483_647), (2_147_483_647, 2_147_483_647), (-1, -1)])
  func `a count of uses stays where KeePassXC can read it`(before: Int, after: Int) throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    var entry = vault.document.entry(id)
    entry.times.usageCount = before
    vault.replace(id, with: entry)
    vault.write("new", to: "Password", of: id, at: Self.now)
    #expect(vault.document.entry(id).times.usageCount == after)
  }

  @Test func `an edit that changes nothing stamps nothing`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    vault.write("old", to: "Password", of: id, at: Self.now)
    let entry = vault.document.entry(id)
    #expect(entry.times.lastModification == TestVault.time(10))
    #expect(entry.times.usageCount == 3)
  }

  @Test func `an edit that throws leaves the entry as it was`() throws {
    struct Refused: Error {}
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    #expect(throws: Refused.self) {
      try vault.edit(id, at: Self.now) { (entry) throws(Refused) in
        entry.removeString(FieldKey.password)
        throw Refused()
      }
    }
    #expect(vault.text("Password", of: vault.document.entry(id)) == "old")
  }

  @Test func `a group's edit stamps the group`() throws {
    var vault = try Self.vault()
    let id = try vault.groupID(2)
    vault.edit(id, at: Self.now) { $0.name = Array("Office".utf8) }
    let group = vault.document.group(id)
    #expect(group.name == Array("Office".utf8))
    #expect(group.times.lastModification == Self.now)
    #expect(group.times.usageCount == 4)
  }

  // MARK: - History

  @Test func `a save makes one history item of several edits, times unchanged`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    vault.write("new-1", to: "Password", of: id, at: Self.now)
    vault.write("new-2", to: "Password", of: id, at: TestVault.time(1001))
    vault.edit(id, at: TestVault.time(1002)) { $0.tags = Array("c".utf8) }
    let isNew = vault.commitHistory(of: id, base: base)
    let entry = vault.document.entry(id)
    let item = try #require(entry.history.last)
    #expect(isNew)
    #expect(entry.historyCount == 2)
    #expect(vault.text("Password", of: entry.history[0]) == "older")
    #expect(vault.text("Password", of: item) == "old")
    #expect(item.tags == Array("a,b".utf8))
    #expect(item.uuid == entry.uuid)
    #expect(item.historyCount == 0)
    #expect(item.times.lastModification == TestVault.time(10))
    #expect(item.times.usageCount == 3)
    #expect(item.sameContent(as: base, values: vault.document.values))
    #expect(entry.times.lastModification == TestVault.time(1002))
  }

  @Test func `versions that are saved within a second keep their order`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    for value in ["a", "b", "c"] {
      let base = vault.document.entry(id)
      vault.write(value, to: "Password", of: id, at: Self.now)
      vault.commitHistory(of: id, base: base)
    }
    let entry = vault.document.entry(id)
    let start = Self.now.unixSeconds
    #expect(entry.history.suffix(2).map { vault.text("Password", of: $0) } == ["a", "b"])
    #expect(
      (entry.history.suffix(2) + [entry]).map(\.times.lastModification?.unixSeconds)
        == [start, start + 1, start + 2])
    // A clock that was far ahead isn't followed.
    let base = entry
    vault.write("d", to: "Password", of: id, at: VaultTime(unixSeconds: start - 3600))
    vault.commitHistory(of: id, base: base)
    #expect(vault.document.entry(id).times.lastModification?.unixSeconds == start - 3600)
  }

  @Test func `an edit that is taken back leaves no trace`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    vault.write("new", to: "Password", of: id, at: Self.now)
    vault.write("old", to: "Password", of: id, at: TestVault.time(1001))
    let isNew = vault.commitHistory(of: id, base: base)
    let entry = vault.document.entry(id)
    #expect(!isNew)
    #expect(entry.historyCount == 1)
    #expect(entry.times.lastModification == TestVault.time(10))
    #expect(entry.times.lastAccess == TestVault.time(10))
    #expect(entry.times.usageCount == 3)
  }

  @Test func `expiry and icon are edits too`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    vault.edit(id, at: Self.now) { $0.times.expires = true }
    #expect(vault.isEdited(vault.document.entry(id), from: base))
    #expect(vault.document.entry(id).times.lastModification == Self.now)
    let other = try vault.entryID(20)
    let before = vault.document.entry(other)
    vault.edit(other, at: Self.now) { $0.iconID = 7 }
    let isNew = vault.commitHistory(of: other, base: before)
    #expect(isNew)
  }

  /// Case 027: what each limit leaves of three items after one save.
  static let limits: [(meta: String, left: [String])] = [
    ("<HistoryMaxItems>3</HistoryMaxItems>", ["v2", "v3", "v4"]),
    ("<HistoryMaxItems>0</HistoryMaxItems>", []),
    ("<HistoryMaxItems>1</HistoryMaxItems>", ["v4"]),
    ("<HistoryMaxItems>-1</HistoryMaxItems>", ["v1", "v2", "v3", "v4"]),
    ("", ["v1", "v2", "v3", "v4"]),
    ("<HistoryMaxItems>many</HistoryMaxItems>", ["v1", "v2", "v3", "v4"]),
    ("<HistoryMaxItems></HistoryMaxItems>", ["v1", "v2", "v3", "v4"]),
    ("<HistoryMaxSize>0</HistoryMaxSize>", []),
    ("<HistoryMaxSize>-1</HistoryMaxSize>", ["v1", "v2", "v3", "v4"]),
    // 276 and two fields of 40, and two bytes a character: 276 + 2 * 40 + 2 * (5 + 1 + 8 + 2).
    ("<HistoryMaxSize>388</HistoryMaxSize>", ["v4"]),
    ("<HistoryMaxSize>387</HistoryMaxSize>", []),
    ("<HistoryMaxSize>1163</HistoryMaxSize>", ["v3", "v4"]),
    ("<HistoryMaxSize>1164</HistoryMaxSize>", ["v2", "v3", "v4"]),
    ("<HistoryMaxItems>2</HistoryMaxItems><HistoryMaxSize>400</HistoryMaxSize>", ["v4"]),
  ]

  @Test(arguments: limits)
  func `history is trimmed by the vault's limits`(meta: String, left: [String]) throws {
    var vault = try TestVault.make(meta: meta) { root in
      root.entry(10, [("Title", "x"), ("*Password", "v4")], modified: 104) { history in
        for i in 1...3 {
          history.entry(10, [("Title", "x"), ("*Password", "v\(i)")], modified: 100 + Int64(i))
        }
      }
      root.entry(11, [("Title", "other")]) { history in
        for i in 1...5 { history.entry(11, [("Title", "o\(i)")], modified: Int64(i)) }
      }
    }
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    vault.write("v5", to: "Password", of: id, at: Self.now)
    vault.commitHistory(of: id, base: base)
    let history = vault.document.entry(id).history
    #expect(history.map { vault.text("Password", of: $0) } == left)
    #expect(vault.document.entry(try vault.entryID(11)).historyCount == 5)
  }

  @Test func `the oldest time goes first, whatever the order in the file`() throws {
    var vault = try TestVault.make(meta: "<HistoryMaxItems>3</HistoryMaxItems>") { root in
      root.entry(10, [("Title", "t4")], modified: 104) { history in
        for i in [2, 3, 1] { history.entry(10, [("Title", "t\(i)")], modified: 100 + Int64(i)) }
      }
    }
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    vault.write("t5", to: "Title", of: id, at: Self.now)
    vault.commitHistory(of: id, base: base)
    let history = vault.document.entry(id).history
    #expect(history.map { vault.text("Title", of: $0) } == ["t2", "t3", "t4"])
  }

  @Test func `the state from before this mount's first edit goes last`() throws {
    var vault = try TestVault.make(meta: "<HistoryMaxItems>2</HistoryMaxItems>") { root in
      root.entry(10, [("Title", "before")], modified: 100) { history in
        history.entry(10, [("Title", "old")], modified: 50)
      }
    }
    let id = try vault.entryID(10)
    for i in 1...4 {
      let base = vault.document.entry(id)
      vault.write("edit \(i)", to: "Title", of: id, at: TestVault.time(1000 + Int64(i)))
      vault.commitHistory(of: id, base: base)
    }
    let history = vault.document.entry(id).history
    #expect(history.map { vault.text("Title", of: $0) } == ["before", "edit 3"])
  }

  // MARK: - Making

  @Test func `a new entry has what KeePass gives one`() throws {
    let meta = """
      <MemoryProtection><ProtectTitle>False</ProtectTitle><ProtectUserName>True</ProtectUserName>\
      <ProtectPassword>False</ProtectPassword></MemoryProtection>
      """
    var vault = try TestVault.make(meta: meta) { $0.group(2, "Work") }
    let group = try vault.groupID(2)
    let id = vault.createEntry(in: group, title: Array("a/b".utf8), at: Self.now)
    let entry = vault.document.entry(id)
    #expect(entry.strings.map { $0.key } == FieldKey.standard)
    #expect(entry.strings.map { $0.isProtected } == [false, true, false, false, false])
    #expect(vault.text("Title", of: entry) == "a/b")
    #expect(vault.text("Password", of: entry) == "")
    #expect(entry.times.creation == Self.now)
    #expect(entry.times.lastModification == Self.now)
    #expect(entry.times.locationChanged == Self.now)
    #expect(!entry.times.expires)
    #expect(entry.times.usageCount == 0)
    #expect(entry.historyCount == 0)
    #expect(!entry.uuid.isZero)
    #expect(vault.document.parent(of: .entry(id)) == group)
    #expect(vault.findEntry(entry.uuid) == id)
    #expect(vault.protectsNewField(FieldKey.userName))
    #expect(!vault.protectsNewField(FieldKey.password))
    #expect(vault.protectsNewField(Array("custom".utf8)))
  }

  @Test func `a new group is found by its UUID`() throws {
    var vault = try Self.vault()
    let parent = try vault.groupID(2)
    let id = vault.createGroup(in: parent, name: Array("Sub".utf8), at: Self.now)
    let group = vault.document.group(id)
    #expect(group.name == Array("Sub".utf8))
    #expect(group.times.creation == Self.now)
    #expect(vault.findGroup(group.uuid) == id)
    #expect(vault.children(of: parent).map { $0.name } == [Array("vpn".utf8), Array("Sub".utf8)])
  }

  @Test func `children have what names them, in file order`() throws {
    let vault = try Self.vault()
    let children = vault.children(of: vault.document.root)
    #expect(children.map { $0.name } == [Array("mail".utf8), Array("Work".utf8)])
    #expect(children.map { $0.uuid } == [TestVault.uuid(10), TestVault.uuid(2)])
    #expect(children.map { $0.created } == [TestVault.time(10), TestVault.time(2)])
  }

  @Test func `a copy is a snapshot, its index too`() throws {
    var vault = try Self.vault()
    let id = try vault.entryID(10)
    let copy = vault
    try vault.delete(.entry(id), at: Self.now)
    #expect(vault.findEntry(TestVault.uuid(10)) == nil)
    #expect(copy.findEntry(TestVault.uuid(10)) == id)
    let made = vault.createEntry(in: vault.document.root, title: [], at: Self.now)
    #expect(copy.findEntry(vault.document.entry(made).uuid) == nil)
  }

  @Test func `an edited entry has its UUID mended, its old versions with it`() throws {
    var vault = try TestVault.make { root in
      root.entry(10, [("Title", "first")])
      root.entry(10, [("Title", "twin")]) { $0.entry(10, [("Title", "twin before")]) }
      root.entry(11, [("Title", "odd history")]) { $0.entry(12, [("Title", "stray")]) }
      root.entry(0, [("Title", "none")])
    }
    let ids = vault.document.allEntries
    let faults = ids.map { vault.mendUUIDs(of: $0) }
    let entries = ids.map { vault.document.entry($0) }
    #expect(faults == [[], [.repeatedUUID], [.historyUUID], [.missingUUID]])
    #expect(entries[0].uuid == TestVault.uuid(10))
    #expect(entries[2].uuid == TestVault.uuid(11))
    #expect(Set(entries.map { $0.uuid }).count == 4)
    #expect(entries.allSatisfy { entry in entry.history.allSatisfy { $0.uuid == entry.uuid } })
    #expect(ids.allSatisfy { vault.findEntry(vault.document.entry($0).uuid) == $0 })
    let again = ids.map { vault.mendUUIDs(of: $0) }
    #expect(again.allSatisfy { $0.isEmpty })
  }

  static let checks: [([UInt8], FieldProblem?)] = [
    (Array("fine\r\n\t".utf8), nil), ([0xFF], .notUTF8), ([0x01], .forbiddenCharacter),
    ([UInt8](repeating: 0x61, count: 16 << 20), nil),
    ([UInt8](repeating: 0x61, count: 16 << 20 + 1), .tooLong(limit: 16 << 20)),
  ]

  @Test(arguments: checks.indices)
  func `a field is checked before it is taken`(index: Int) throws {
    let vault = try Self.vault()
    let (value, problem) = Self.checks[index]
    let found = vault.checkField(key: FieldKey.notes, value: value.span)
    let inKey = vault.checkField(key: [0x02], value: [UInt8]().span)
    #expect(found == problem)
    #expect(inKey == .forbiddenCharacter)
  }
}
