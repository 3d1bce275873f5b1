import ByteCoding
import Ciphers
import KDBX
import Secrets
import Testing
import Vault

@Suite struct MergeTests {
  static let now = TestVault.time(100_000)

  static func base(version: FormatVersion = .kdbx41, meta: String = "") throws -> Vault {
    try TestVault.make(version: version, meta: meta) { root in
      root.entry(
        10, [("Title", "mail"), ("UserName", "sam"), ("*Password", "mail-pw-1"), ("Notes", "")],
        extra:
          "<CustomData><Item><Key>k</Key><Value>v</Value></Item></CustomData><Mystery>m</Mystery>"
      ) { history in
        history.entry(10, [("Title", "mail"), ("*Password", "mail-pw-0")], modified: 5)
      }
      root.group(2, "Work") { work in
        work.entry(20, [("Title", "vpn"), ("*Password", "vpn-pw-1")])
      }
      root.group(3, "Home")
    }
  }

  /// A side's edits, as one save makes them.
  static func edited(
    _ base: Vault, at time: Int64, _ body: (inout Vault) throws -> Void
  ) throws -> Vault {
    var vault = base
    let before = base.document
    try body(&vault)
    for id in before.allEntries where vault.document.contains(.entry(id)) {
      vault.commitHistory(of: id, base: before.entry(id))
    }
    return vault
  }

  static func passwords(_ number: UInt8, _ vault: Vault) throws -> [String?] {
    let entry = vault.document.entry(try vault.entryID(number))
    return (entry.history + [entry]).map { vault.text("Password", of: $0) }
  }

  /// Case 047: an edit here, another entry's edit and a new entry there.
  @Test func `edits of different entries both stay`() throws {
    let base = try Self.base()
    var ours = try Self.edited(base, at: 1000) {
      $0.write("mail-pw-2", to: "Password", of: try $0.entryID(10), at: TestVault.time(1000))
    }
    let theirs = try Self.edited(base, at: 900) { vault in
      vault.write("vpn-pw-2", to: "Password", of: try vault.entryID(20), at: TestVault.time(900))
      let id = vault.createEntry(
        in: try vault.groupID(3), title: Array("added".utf8), at: TestVault.time(901))
      vault.write("pw-added", to: "Password", of: id, at: TestVault.time(901))
    }
    let report = try ours.merge(theirs.document.reread(), base: base.document, at: Self.now)
    #expect(try Self.passwords(10, ours) == ["mail-pw-0", "mail-pw-1", "mail-pw-2"])
    #expect(try Self.passwords(20, ours) == ["vpn-pw-1", "vpn-pw-2"])
    #expect(report.notes.isEmpty)
    #expect(report.added.count == 1)
    #expect(report.changed == [.entry(try ours.entryID(20))])
    #expect(!report.hasChangedVault)
    let added = try #require(ours.children(of: try ours.groupID(3)).first)
    guard case .entry(let id) = added.id else { return #expect(Bool(false)) }
    let entry = ours.document.entry(id)
    #expect(ours.text("Password", of: entry) == "pw-added")
    #expect(entry.string(FieldKey.password)?.isProtected == true)
    #expect(entry.times.creation == TestVault.time(901))
    #expect(ours.findEntry(added.uuid) == id)
    let vpn = ours.document.entry(try ours.entryID(20))
    #expect(vpn.times.lastModification == TestVault.time(900))
    // What is merged can be written and read.
    let written = try ours.document.reread()
    #expect(ours.document.hasSameContent(as: written))
  }

  /// Case 048: both changed the password, they the notes as well.
  @Test(arguments: [false, true])
  func `edits of one entry are merged by field`(theirsIsLater: Bool) throws {
    let base = try Self.base()
    var ours = try Self.edited(base, at: 1000) {
      $0.write("mine", to: "Password", of: try $0.entryID(10), at: TestVault.time(1000))
    }
    let time = theirsIsLater ? TestVault.time(900_000) : TestVault.time(900)
    let theirs = try Self.edited(base, at: 900) { vault in
      let id = try vault.entryID(10)
      vault.write("pw-theirs", to: "Password", of: id, at: time)
      vault.write("note from elsewhere\n", to: "Notes", of: id, at: time)
    }
    let file = try theirs.document.reread()
    let report = try ours.merge(file, base: base.document, at: Self.now)
    let entry = ours.document.entry(try ours.entryID(10))
    #expect(ours.text("Notes", of: entry) == "note from elsewhere\n")
    let loser = theirsIsLater ? "mine" : "pw-theirs"
    let winner = theirsIsLater ? "pw-theirs" : "mine"
    #expect(try Self.passwords(10, ours) == ["mail-pw-0", "mail-pw-1", loser, winner])
    let notes = entry.history.last.map { ours.text("Notes", of: $0) }
    #expect(notes == (theirsIsLater ? "" : "note from elsewhere\n"))
    #expect(
      report.notes.first
        == .conflict(entry.uuid, [.string(FieldKey.password)], theirsWon: theirsIsLater))
    #expect(report.notes.contains(.changedInFuture(entry.uuid)) == theirsIsLater)
    #expect(entry.sameElements(as: base.document.entry(try base.entryID(10)), base))

    // A merge with the same state again, with or without a base, changes nothing.
    let once = ours.document
    let again = try ours.merge(file, base: nil, at: Self.now)
    #expect(!again.hasChanges)
    #expect(again.notes.isEmpty)
    let itself = try ours.merge(try once.reread(), base: nil, at: Self.now)
    #expect(!itself.hasChanges)
    let withBase = try ours.merge(file, base: file, at: Self.now)
    #expect(!withBase.hasChanges)
  }

  @Test func `a change there of what was left alone here has their time`() throws {
    var ours = try Self.base()
    let base = ours.document
    let theirs = try Self.edited(ours, at: 900) { vault in
      let sealed = vault.document.values.seal([0x31].span)
      vault.edit(try vault.entryID(10), at: TestVault.time(900)) { entry in
        entry.removeString(FieldKey.userName)
        entry.tags = Array("x;y".utf8)
        entry.iconID = 12
        entry.times.expires = true
        entry.set(Array("new".utf8), to: sealed, isProtected: true)
        entry.set(FieldKey.notes, to: .plain(Array("n".utf8)), isProtected: true)
      }
    }
    let report = try ours.merge(theirs.document.reread(), base: base, at: Self.now)
    let entry = ours.document.entry(try ours.entryID(10))
    #expect(report.notes.isEmpty)
    #expect(entry.string(FieldKey.userName) == nil)
    #expect(entry.tags == Array("x;y".utf8))
    #expect(entry.iconID == 12)
    #expect(entry.times.expires)
    #expect(ours.text("new", of: entry) == "1")
    #expect(ours.text("Notes", of: entry) == "n")
    #expect(entry.times.lastModification == TestVault.time(900))
    #expect(entry.historyCount == 2)
  }

  @Test func `an older copy that is brought back is taken, and the newer state kept`() throws {
    let old = try Self.base()
    let saved = try Self.edited(old, at: 1000) {
      $0.write("mail-pw-2", to: "Password", of: try $0.entryID(10), at: TestVault.time(1000))
    }
    var ours = saved
    _ = try ours.merge(try old.document.reread(), base: saved.document, at: Self.now)
    let entry = ours.document.entry(try ours.entryID(10))
    #expect(ours.text("Password", of: entry) == "mail-pw-1")
    #expect(entry.history.contains { ours.text("Password", of: $0) == "mail-pw-2" })
  }

  @Test func `what they don't know isn't taken for removed`() throws {
    var ours = try Self.base()
    let base = ours.document
    let theirs = try TestVault.make(version: .kdbx41) { root in
      root.entry(
        10, [("Title", "mail"), ("UserName", "sam"), ("*Password", "x"), ("Notes", "")],
        modified: 900)
    }
    _ = try ours.merge(theirs.document, base: base, at: Self.now)
    let entry = ours.document.entry(try ours.entryID(10))
    #expect(ours.text("Password", of: entry) == "x")
    #expect(entry.sameElements(as: base.entry(try ours.entryID(10)), ours))
    #expect(ours.findGroup(TestVault.uuid(2)) != nil)
    #expect(ours.findEntry(TestVault.uuid(20)) != nil)
  }

  // MARK: - Without a base

  @Test func `without a base the later state wins, the other is an old version`() throws {
    let base = try Self.base()
    let older = try Self.edited(base, at: 900) {
      $0.write("older", to: "Password", of: try $0.entryID(10), at: TestVault.time(900))
    }
    let newer = try Self.edited(base, at: 1000) {
      $0.write("newer", to: "Password", of: try $0.entryID(10), at: TestVault.time(1000))
    }
    for (start, other) in [(older, newer), (newer, older)] {
      var ours = start
      let report = try ours.merge(try other.document.reread(), base: nil, at: Self.now)
      #expect(try Self.passwords(10, ours) == ["mail-pw-0", "mail-pw-1", "older", "newer"])
      #expect(report.notes.isEmpty)
      #expect(
        ours.document.entry(try ours.entryID(10)).times.lastModification == TestVault.time(1000))
    }
  }

  @Test func `of two states of one second ours stays, theirs is an old version, and it is said`()
    throws
  {
    let base = try Self.base()
    let mine = try Self.edited(base, at: 900) {
      $0.write("mine", to: "Password", of: try $0.entryID(10), at: TestVault.time(900))
    }
    let theirs = try Self.edited(base, at: 900) {
      $0.write("theirs", to: "Password", of: try $0.entryID(10), at: TestVault.time(900))
    }
    var ours = mine
    let file = try theirs.document.reread()
    let report = try ours.merge(file, base: nil, at: Self.now)
    #expect(try Self.passwords(10, ours) == ["mail-pw-0", "mail-pw-1", "theirs", "mine"])
    let entry = ours.document.entry(try ours.entryID(10))
    #expect(entry.history.last?.times.lastModification == TestVault.time(899))
    #expect(
      report.notes == [.conflict(entry.uuid, [.string(FieldKey.password)], theirsWon: false)])
    let again = try ours.merge(file, base: nil, at: Self.now)
    #expect(!again.hasChanges)
    #expect(again.notes.isEmpty)
  }

  @Test func `absent and empty standard fields are one`() throws {
    var ours = try TestVault.make { $0.entry(10, [("Title", "x"), ("Notes", "")]) }
    let theirs = try TestVault.make {
      $0.entry(10, [("Title", "x"), ("URL", ""), ("UserName", "")], modified: 900)
    }
    let report = try ours.merge(theirs.document, base: nil, at: Self.now)
    #expect(!report.hasChanges)
  }

  // MARK: - Deletions

  @Test func `what they deleted goes, unless it was changed here`() throws {
    let base = try Self.base()
    let theirs = try Self.edited(base, at: 900) { vault in
      try vault.delete(.entry(try vault.entryID(10)), at: TestVault.time(900))
      try vault.delete(.group(try vault.groupID(2)), at: TestVault.time(900))
    }
    let file = try theirs.document.reread()
    var untouched = base
    let report = try untouched.merge(file, base: base.document, at: Self.now)
    #expect(untouched.document.entryCount == 0)
    #expect(untouched.document.groupCount == 2)
    #expect(untouched.document.deletedObjects.count == 3)
    #expect(report.removed.count == 3)
    // Changed here before the removal, and all the same kept: we have a base to tell.
    var ours = try Self.edited(base, at: 800) {
      $0.write("changed", to: "Password", of: try $0.entryID(10), at: TestVault.time(800))
      $0.write("changed", to: "Password", of: try $0.entryID(20), at: TestVault.time(800))
    }
    let kept = try ours.merge(file, base: base.document, at: Self.now)
    #expect(ours.document.entryCount == 2)
    #expect(ours.document.groupCount == 3)
    #expect(ours.document.deletedObjects.isEmpty)
    #expect(kept.removed.isEmpty)
    #expect(
      Set(kept.notes) == Set([10, 20, 2].map { .keptThoughRemoved(TestVault.uuid($0)) }))
  }

  @Test(arguments: [(799, true), (800, false), (801, false)])
  func `without a base the time decides about a deletion`(modified: Int64, goes: Bool) throws {
    let base = try Self.base()
    let changed = try Self.edited(base, at: modified) {
      $0.write("changed", to: "Password", of: try $0.entryID(10), at: TestVault.time(modified))
    }
    let deleted = try Self.edited(base, at: 800) {
      try $0.delete(.entry(try $0.entryID(10)), at: TestVault.time(800))
    }
    var ours = changed
    _ = try ours.merge(try deleted.document.reread(), base: nil, at: Self.now)
    #expect((ours.findEntry(TestVault.uuid(10)) == nil) == goes)
    #expect(ours.document.deletedObjects.count == (goes ? 1 : 0))
    var other = deleted
    _ = try other.merge(try changed.document.reread(), base: nil, at: Self.now)
    #expect((other.findEntry(TestVault.uuid(10)) == nil) == goes)
    #expect(other.document.deletedObjects.count == (goes ? 1 : 0))
  }

  @Test func `what we deleted stays deleted, unless they changed it`() throws {
    let base = try Self.base()
    var ours = try Self.edited(base, at: 900) { vault in
      try vault.delete(.group(try vault.groupID(2)), at: TestVault.time(900))
    }
    _ = try ours.merge(try base.document.reread(), base: base.document, at: Self.now)
    #expect(ours.findGroup(TestVault.uuid(2)) == nil)
    let theirs = try Self.edited(base, at: 800) {
      $0.write("changed", to: "Password", of: try $0.entryID(20), at: TestVault.time(800))
    }
    let report = try ours.merge(
      try theirs.document.reread(), base: base.document, at: Self.now)
    let entry = try ours.entryID(20)
    #expect(ours.document.parent(of: .entry(entry)) == ours.findGroup(TestVault.uuid(2)))
    #expect(ours.document.deletedObjects.isEmpty)
    #expect(report.added.count == 2)
  }

  @Test func `what one side only lacks isn't removed`() throws {
    var ours = try Self.base()
    let base = ours.document
    var theirs = ours
    let (entry, group) = (try ours.entryID(10), try ours.groupID(2))
    theirs.changeDocument { document in
      document.remove(.entry(entry))
      document.remove(.group(group))
    }
    let report = try ours.merge(try theirs.document.reread(), base: base, at: Self.now)
    #expect(!report.hasChanges)
    var other = theirs
    _ = try other.merge(try base.reread(), base: base, at: Self.now)
    #expect(other.document.entryCount == 2)
  }

  @Test func `lists of what was deleted are joined, with the latest times`() throws {
    func record(_ number: UInt8, _ time: Int64) -> String {
      """
      <DeletedObject><UUID>\(TestVault.base64(TestVault.uuid(number)))</UUID>\
      <DeletionTime>\(TestVault.iso(time))</DeletionTime></DeletedObject>
      """
    }
    var ours = try TestVault.make(deleted: record(1, 5) + record(91, 5) + record(92, 9)) { _ in }
    let theirs = try TestVault.make(deleted: record(91, 7) + record(92, 7) + record(93, 7)) { _ in }
    let report = try ours.merge(theirs.document, base: nil, at: Self.now)
    #expect(report.hasChangedVault)
    let times = Dictionary(
      uniqueKeysWithValues: ours.document.deletedObjects.map { ($0.uuid, $0.deletionTime) })
    #expect(
      times
        == [
          TestVault.uuid(1): TestVault.time(5), TestVault.uuid(91): TestVault.time(7),
          TestVault.uuid(92): TestVault.time(9), TestVault.uuid(93): TestVault.time(7),
        ])
  }

  // MARK: - Places

  @Test func `a move there is made here, with its time`() throws {
    var ours = try Self.base()
    let base = ours.document
    let theirs = try Self.edited(ours, at: 900) { vault in
      try vault.move(
        .entry(try vault.entryID(10)), to: try vault.groupID(3), at: TestVault.time(900))
      try vault.move(
        .group(try vault.groupID(2)), to: try vault.groupID(3), at: TestVault.time(900))
    }
    let report = try ours.merge(try theirs.document.reread(), base: base, at: Self.now)
    let entry = try ours.entryID(10)
    #expect(ours.document.parent(of: .entry(entry)) == (try ours.groupID(3)))
    #expect(ours.document.parent(of: .group(try ours.groupID(2))) == (try ours.groupID(3)))
    #expect(ours.document.entry(entry).times.locationChanged == TestVault.time(900))
    #expect(ours.document.entry(entry).previousParentGroup == TestVault.uuid(1))
    #expect(ours.document.entry(entry).historyCount == 1)
    #expect(report.moved.count == 2)
    #expect(report.changed.isEmpty)
  }

  @Test(arguments: [(800, 2), (1000, 3)])
  func `of two moves the later counts`(time: Int64, number: UInt8) throws {
    let base = try Self.base()
    var ours = try Self.edited(base, at: 900) {
      try $0.move(.entry(try $0.entryID(10)), to: try $0.groupID(2), at: TestVault.time(900))
    }
    let theirs = try Self.edited(base, at: time) {
      try $0.move(.entry(try $0.entryID(10)), to: try $0.groupID(3), at: TestVault.time(time))
    }
    _ = try ours.merge(try theirs.document.reread(), base: base.document, at: Self.now)
    #expect(ours.document.parent(of: .entry(try ours.entryID(10))) == (try ours.groupID(number)))
  }

  @Test func `groups that were moved into one another stay apart`() throws {
    let base = try Self.base()
    var ours = try Self.edited(base, at: 900) {
      try $0.move(.group(try $0.groupID(2)), to: try $0.groupID(3), at: TestVault.time(900))
    }
    let theirs = try Self.edited(base, at: 1000) {
      try $0.move(.group(try $0.groupID(3)), to: try $0.groupID(2), at: TestVault.time(1000))
    }
    let report = try ours.merge(
      try theirs.document.reread(), base: base.document, at: Self.now)
    #expect(report.notes == [.notMoved(TestVault.uuid(3))])
    #expect(ours.document.groupCount == 3)
  }

  @Test func `an entry that went into a new group there goes there`() throws {
    var ours = try Self.base()
    let base = ours.document
    let theirs = try Self.edited(ours, at: 900) { vault in
      let outer = vault.createGroup(
        in: try vault.groupID(3), name: Array("outer".utf8), at: TestVault.time(900))
      let inner = vault.createGroup(in: outer, name: Array("inner".utf8), at: TestVault.time(900))
      try vault.move(.entry(try vault.entryID(10)), to: inner, at: TestVault.time(900))
    }
    _ = try ours.merge(try theirs.document.reread(), base: base, at: Self.now)
    let inner = try #require(ours.document.parent(of: .entry(try ours.entryID(10))))
    let outer = try #require(ours.document.parent(of: .group(inner)))
    #expect(ours.document.group(inner).name == Array("inner".utf8))
    #expect(ours.document.group(outer).name == Array("outer".utf8))
    #expect(ours.document.parent(of: .group(outer)) == (try ours.groupID(3)))
    #expect(ours.document.hasSameContent(as: try ours.document.reread()))
  }

  // MARK: - Groups, attachments, the vault

  @Test func `properties of groups are merged by part`() throws {
    let base = try Self.base()
    var ours = try Self.edited(base, at: 900) {
      $0.edit(try $0.groupID(2), at: TestVault.time(900)) { $0.name = Array("Office".utf8) }
    }
    let theirs = try Self.edited(base, at: 1000) {
      $0.edit(try $0.groupID(2), at: TestVault.time(1000)) {
        $0.notes = .plain(Array("note".utf8))
        $0.iconID = 5
      }
    }
    let report = try ours.merge(
      try theirs.document.reread(), base: base.document, at: Self.now)
    let group = ours.document.group(try ours.groupID(2))
    #expect(group.name == Array("Office".utf8))
    #expect(group.notes.map { ours.document.values.bytes(of: $0) } == Array("note".utf8))
    #expect(group.iconID == 5)
    // Neither ours nor theirs: it has the time of the merge.
    #expect(group.times.lastModification == Self.now)
    #expect(report.notes.isEmpty)
  }

  static func attach(_ text: String, _ name: String, to number: UInt8, _ vault: inout Vault) throws
  {
    let key = SealingKey()
    let bytes = key.seal(Array(text.utf8).span)
    let content = vault.changeDocument { $0.addBinary(bytes, isProtected: true) }
    let id = try vault.entryID(number)
    vault.edit(id, at: TestVault.time(900)) { $0.setAttachment(Array(name.utf8), to: content) }
  }

  static func attachments(_ number: UInt8, _ vault: Vault) throws -> [String: String] {
    var found: [String: String] = [:]
    for field in vault.document.entry(try vault.entryID(number)).attachments {
      var buffer = WipedBuffer()
      try vault.document.open(field.content, into: &buffer)
      found[String(decoding: field.name, as: UTF8.self)] = String(
        decoding: buffer.bytes.copied(), as: UTF8.self)
    }
    return found
  }

  @Test func `attachments come over, each in its own content`() throws {
    var start = try Self.base()
    try Self.attach("zero", "a", to: 10, &start)
    let base = Vault(try start.document.reread())
    var ours = try Self.edited(base, at: 900) { try Self.attach("mine", "m", to: 10, &$0) }
    let theirs = try Self.edited(base, at: 900) { vault in
      try Self.attach("other", "o", to: 20, &vault)
      try Self.attach("one", "a", to: 10, &vault)
      try Self.attach("mine", "same", to: 10, &vault)
    }
    _ = try ours.merge(try theirs.document.reread(), base: base.document, at: Self.now)
    let merged = Vault(try ours.document.reread())
    #expect(try Self.attachments(10, merged) == ["a": "one", "m": "mine", "same": "mine"])
    #expect(try Self.attachments(20, merged) == ["o": "other"])
    #expect(merged.document.writePlan().binaries.count == 4)
  }

  static func meta(_ name: String, _ time: Int64, icons: String = "", data: String = "") -> String {
    """
    <DatabaseName>\(name)</DatabaseName>\
    <DatabaseNameChanged>\(TestVault.iso(time))</DatabaseNameChanged>\
    <CustomIcons>\(icons)</CustomIcons><HistoryMaxItems>10</HistoryMaxItems>\
    <CustomData>\(data)</CustomData><LastSelectedGroup>x</LastSelectedGroup>
    """
  }

  static func icon(_ number: UInt8, _ data: String) -> String {
    "<Icon><UUID>\(TestVault.base64(TestVault.uuid(number)))</UUID><Data>\(data)</Data></Icon>"
  }

  static func item(_ key: String, _ value: String) -> String {
    "<Item><Key>\(key)</Key><Value>\(value)</Value></Item>"
  }

  @Test func `the vault's properties are merged by unit, icons and items one by one`() throws {
    let base = try Self.base(
      meta: Self.meta("old", 1, icons: Self.icon(81, "AA=="), data: Self.item("k", "1")))
    var ours = try Self.base(
      meta: Self.meta(
        "old", 1, icons: Self.icon(81, "AA==") + Self.icon(82, "AQ=="),
        data: Self.item("k", "1") + Self.item("mine", "m")))
    let theirs = try Self.base(
      meta: Self.meta(
        "new", 900, icons: Self.icon(83, "Ag==") + Self.icon(81, "AA=="),
        data: Self.item("theirs", "t") + Self.item("k", "2")
      )
      .replacing("<HistoryMaxItems>10", with: "<HistoryMaxItems>20"))
    let report = try ours.merge(theirs.document, base: base.document, at: Self.now)
    #expect(report.hasChangedVault)
    #expect(ours.document.meta.databaseName == Array("new".utf8))
    #expect(ours.document.meta.historyMaxItems == 20)
    let parts = ElementParts(ours.document.meta, in: ours.document)
    let icons = [81, 82, 83].map { ElementPart.item(.customIcons, TestVault.uuid($0).base64) }
    let items = ["k", "mine", "theirs"].map { ElementPart.item(.customData, Array($0.utf8)) }
    #expect(Set(parts.parts).isSuperset(of: icons + items))
    #expect(
      parts.isSame(items[0], as: ElementParts(theirs.document.meta, in: theirs.document)))
    #expect(ours.document.hasSameContent(as: try ours.document.reread()))
    let again = try ours.merge(theirs.document, base: theirs.document, at: Self.now)
    #expect(!again.hasChanges)
  }

  @Test func `another vault isn't merged unless asked`() throws {
    var ours = try Self.base()
    let other = try TestVault.make { root in root.entry(10, [("Title", "x")]) }
    var renamed = other
    var root = renamed.document.group(renamed.document.root)
    root.uuid = TestVault.uuid(77)
    let id = renamed.document.root
    renamed.changeDocument { $0.replace(id, with: root) }
    let file = try renamed.document.reread()
    #expect(throws: MergeError.otherVault) { try ours.merge(file, base: nil, at: Self.now) }
    _ = try ours.merge(file, base: nil, at: Self.now, evenIfOther: true)
    #expect(ours.document.group(ours.document.root).uuid == TestVault.uuid(1))
  }

  @Test func `a repeated UUID is paired by its order`() throws {
    func twins(_ second: String) throws -> Vault {
      try TestVault.make { root in
        root.entry(10, [("Title", "a"), ("*Password", "1")])
        root.entry(10, [("Title", "b"), ("*Password", second)], modified: second == "2" ? 10 : 900)
      }
    }
    var ours = try twins("2")
    let base = ours.document
    _ = try ours.merge(try twins("3").document, base: base, at: Self.now)
    let passwords = ours.document.allEntries.map {
      ours.text("Password", of: ours.document.entry($0))
    }
    #expect(passwords == ["1", "3"])
  }

  @Test func `a newer version of theirs is taken on`() throws {
    var ours = try Self.base(version: .kdbx40)
    let base = ours.document
    let theirs = try Self.base(version: .kdbx41)
    _ = try ours.merge(theirs.document, base: base, at: Self.now)
    #expect(ours.document.version == .kdbx41)
  }
}

extension Entry {
  /// Whether what isn't field, tag, icon or time is the same.
  func sameElements(as other: Entry, _ vault: Vault) -> Bool {
    let (mine, theirs) = (
      ElementParts(self, in: vault.document), ElementParts(other, in: vault.document)
    )
    return [
      ElementPart.item(.customData, Array("k".utf8)), .element(Array("Mystery".utf8)),
    ].allSatisfy { part in
      mine.has(part) && mine.isSame(part, as: theirs)
    }
  }
}

extension String {
  fileprivate func replacing(_ part: String, with other: String) -> String {
    var result = ""
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(part) {
        result += other
        rest = rest.dropFirst(part.count)
      } else if let first = rest.first {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }
}
