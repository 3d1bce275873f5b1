import KDBX
import Testing
import Vault

@testable import VaultTree

@Suite struct RemovingTests {
  @Test func `a removed entry lies in the bin as it was`() throws {
    let shell = Shell(try Samples.office())
    let before = try #require(shell.entry("mail"))
    let number = try shell.stat("mail").node
    try shell.removeAll("mail")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail") }
    #expect(shell.save())
    let after = try #require(shell.entry("mail"))
    #expect(shell.groups(of: "mail") == ["Recycle Bin"])
    #expect(after.uuid == before.uuid)
    var moved = before
    moved.previousParentGroup = after.previousParentGroup
    #expect(after.sameContent(as: moved, values: shell.document.values))
    #expect(after.historyCount == 0)
    #expect(after.times.lastModification == before.times.lastModification)
    #expect(after.times.locationChanged?.unixSeconds == shell.clock.now.seconds)
    #expect(try shell.cat("Recycle Bin/mail/PIN") == "4711")
    #expect(try shell.cat("Recycle Bin/mail/attachments/key.txt") == "attached")
    #expect(try shell.ls("Recycle Bin/mail").count == 8)
    #expect(try shell.stat("Recycle Bin/mail").node != number)
  }

  @Test func `a field that was moved to another entry stays there, and leaves nothing in the bin`()
    throws
  {
    let shell = Shell(try Samples.office())
    try shell.mkdir("made")
    try shell.redirect("made/only", "x\n")
    #expect(shell.save())
    try shell.rename("made/only", "mail/only")
    try shell.rmdir("made")
    #expect(shell.save())
    #expect(shell.groups(of: "made") == ["Recycle Bin"])
    #expect(!shell.keys(of: "made").contains("only"))
    #expect(shell.field("only", of: "mail") == "x")
  }

  @Test func `saves in between change nothing of that`() throws {
    let shell = Shell(try Samples.office())
    for name in ["username", "password", "url", "notes", "PIN", "Realm", "tags"] {
      try shell.unlink("mail/" + name)
      shell.save(.autosave)
      shell.clock.advance(seconds: 100)
    }
    try shell.removeAll("mail")
    shell.save()
    let entry = try #require(shell.entry("mail"))
    #expect(entry.historyCount == 0)
    #expect(shell.field("PIN", of: entry) == "4711")
    #expect(shell.field("Password", of: entry) == "mail-pw-1")
    #expect(entry.attachments.count == 1)
  }

  @Test func `an edit before the removal keeps its old version`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "new\n")
    try shell.removeAll("mail")
    shell.save()
    let entry = try #require(shell.entry("mail"))
    #expect(shell.field("Password", of: entry) == "new")
    #expect(entry.historyCount == 1)
    #expect(shell.field("Password", of: entry.history.last) == "mail-pw-1")
  }

  @Test func `a new entry goes to the bin with what it has`() throws {
    let shell = Shell(try Samples.office())
    try shell.mkdir("new")
    try shell.redirect("new/username", "u\n")
    try shell.redirect("new/extra", "x\n")
    try shell.removeAll("new")
    shell.save()
    #expect(shell.groups(of: "new") == ["Recycle Bin"])
    #expect(shell.field("UserName", of: "new") == "u")
    #expect(shell.field("extra", of: "new") == "x")
  }

  @Test func `a field that was removed before another change stays removed`() throws {
    let shell = Shell(try Samples.office())
    try shell.unlink("mail/PIN")
    try shell.redirect("mail/url", "https://new.example\n")
    try shell.removeAll("mail")
    #expect(shell.groups(of: "mail") == ["Recycle Bin"])
    #expect(!shell.keys(of: "mail").contains("PIN"))
    #expect(shell.keys(of: "mail").contains("Realm"))
  }

  @Test func `what was removed with nothing between lies in the bin`() throws {
    let shell = Shell(try Samples.office())
    try shell.unlink("mail/PIN")
    try shell.removeAll("mail")
    #expect(shell.field("PIN", of: "mail") == "4711")
  }

  @Test func `a new field that nobody saved makes an old version in the bin`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/new", "x\n")
    try shell.removeAll("mail")
    shell.save()
    #expect(shell.field("new", of: "mail") == "x")
    #expect(shell.entry("mail")?.history.map { shell.field("new", of: $0) } == [nil])
  }

  @Test func `a save that failed makes no second old version in the bin`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url", "https://new.example\n")
    let prepared = try #require(shell.tree.prepareSave(.save))
    shell.tree.finishSave(prepared, succeeded: false)
    try shell.removeAll("mail")
    shell.save()
    #expect(shell.entry("mail")?.historyCount == 1)
    #expect(shell.field("URL", of: "mail") == "https://new.example")
  }

  @Test func `a removed group lies in the bin whole`() throws {
    let shell = Shell(
      try Fixture.vault(
        [
          .group(
            "folder",
            [
              .entry("leaf", [.init("Password", "p", protected: true)]),
              .group("sub", [.entry("deep", [.init("UserName", "d")])]), .entry("last", []),
            ]), .group("Recycle Bin", [], uuid: Fixture.bin),
        ], meta: Fixture.binMeta))
    let leaf = try #require(shell.entry("leaf"))
    try shell.removeAll("folder")
    shell.save()
    #expect(try shell.ls("") == ["Recycle Bin"])
    #expect(try shell.ls("Recycle Bin") == ["folder"])
    #expect(try shell.ls("Recycle Bin/folder") == ["leaf", "last", "sub"])
    #expect(try shell.cat("Recycle Bin/folder/leaf/password") == "p")
    #expect(shell.groups(of: "deep") == ["Recycle Bin", "folder", "sub"])
    let after = try #require(shell.entry("leaf"))
    #expect(after.times.locationChanged == leaf.times.locationChanged)
    #expect(after.previousParentGroup == leaf.previousParentGroup)
    #expect(shell.document.deletedObjects.isEmpty)
    #expect(try shell.remounted().ls("Recycle Bin/folder").count == 3)
  }

  @Test func `what went by itself before stays by itself`() throws {
    let shell = Shell(
      try Fixture.vault(
        [
          .group("many", (0..<30).map { .entry("e\($0)", [.init("UserName", "u\($0)")]) }),
          .group("Recycle Bin", [], uuid: Fixture.bin),
        ], meta: Fixture.binMeta))
    let handle = try shell.tree.openDirectory(try shell.node("many"))
    let first = try shell.tree.list(handle, atMost: 5).map(\.name)
    for number in 10..<20 { try shell.removeAll("many/e\(number)") }
    let rest = try shell.tree.list(handle, from: 5)
    #expect(first.count == 5)
    #expect(rest.filter { !$0.isGone }.count == 15)
    #expect(rest.filter(\.isGone).count == 10)
    try shell.removeAll("many")
    shell.tree.releaseDirectory(handle)
    shell.save()
    #expect(try shell.ls("Recycle Bin").count == 11)
    #expect(try shell.ls("Recycle Bin/many").count == 20)
    #expect(try shell.cat("Recycle Bin/many/e25/username") == "u25")
  }

  @Test func `a missing bin is made`() throws {
    let shell = Shell(try Fixture.vault([.entry("drop", [.init("UserName", "u")])]))
    #expect(try shell.ls("") == ["drop"])
    _ = shell.invalidations.take()
    try shell.removeAll("drop")
    #expect(try shell.ls("") == ["Recycle Bin"])
    #expect(
      shell.invalidations.take().contains(.name(in: .root, Array("Recycle Bin".utf8))))
    #expect(try shell.cat("Recycle Bin/drop/username") == "u")
    shell.save()
    let bin = try #require(shell.tree.vault.recycleBin)
    #expect(shell.document.group(bin).iconID == 43)
  }

  @Test func `with the bin off removal is for good`() throws {
    let shell = Shell(
      try Fixture.vault(
        [.entry("drop", []), .group("folder", [.entry("leaf", [])]), .entry("keep", [])],
        meta: "<RecycleBinEnabled>False</RecycleBinEnabled>"))
    try shell.removeAll("drop")
    try shell.removeAll("folder")
    shell.save()
    #expect(shell.document.entryCount == 1)
    #expect(shell.document.groupCount == 1)
    #expect(shell.document.deletedObjects.count == 3)
  }

  @Test func `what lay in the bin before goes for good, what came since can't`() throws {
    let shell = Shell(
      try Fixture.vault(
        [
          .group("Recycle Bin", [.entry("old", [])], uuid: Fixture.bin),
          .entry("new", [.init("Password", "p", protected: true)]),
          .group("g", [.entry("in g", [])]),
        ], meta: Fixture.binMeta))
    try shell.removeAll("new")
    try shell.removeAll("g")
    try shell.removeAll("Recycle Bin/old")
    #expect(throws: TreeError.notPermitted) { try shell.unlink("Recycle Bin/new/password") }
    #expect(throws: TreeError.notPermitted) { try shell.removeAll("Recycle Bin/new") }
    #expect(throws: TreeError.notPermitted) { try shell.rmdir("Recycle Bin/g") }
    #expect(throws: TreeError.notPermitted) { try shell.unlink("Recycle Bin/g/in g/url") }
    #expect(throws: TreeError.notPermitted) { try shell.rmdir("Recycle Bin") }
    #expect(try shell.cat("Recycle Bin/new/password") == "p")
    #expect(try shell.ls("Recycle Bin") == ["new", "g"])
    try shell.rename("Recycle Bin/new", "new")
    #expect(try shell.cat("new/password") == "p")
    let again = shell.remounted()
    #expect(again.document.deletedObjects.count == 1)
    try again.removeAll("Recycle Bin")
    again.save()
    #expect(again.document.deletedObjects.count == 4)
    #expect(again.tree.vault.recycleBin == nil)
    #expect(again.document.meta.recycleBinUUID.isZero)
  }

  @Test func `with -o purge all can go`() throws {
    let shell = Shell(try Samples.office()) { $0.allowsPurge = true }
    try shell.removeAll("mail")
    try shell.removeAll("Recycle Bin")
    shell.save()
    #expect(shell.document.entryCount == 2)
    #expect(shell.document.deletedObjects.count == 2)
  }

  @Test func `a cleared field is hidden until it is written or mounted again`() throws {
    let shell = Shell(try Samples.office())
    try shell.unlink("mail/url")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/url") }
    #expect(try !shell.ls("mail").contains("url"))
    shell.save()
    #expect(shell.field("URL", of: "mail") == "")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/url") }
    #expect(try shell.remounted().cat("mail/url") == "")
    try shell.redirect("mail/url", "again\n")
    #expect(try shell.cat("mail/url") == "again")
  }

  @Test func `a removed custom field that is made again keeps its place and protection`() throws {
    let shell = Shell(try Samples.office())
    try shell.unlink("mail/Realm")
    try shell.unlink("mail/PIN")
    try shell.redirect("mail/PIN", "new\n")
    shell.save()
    #expect(shell.keys(of: "mail").last == "PIN")
    #expect(!shell.keys(of: "mail").contains("Realm"))
    #expect(shell.entry("mail")?.string(Array("PIN".utf8))?.isProtected == true)
    try shell.redirect("mail/Realm", "again\n")
    shell.save()
    #expect(shell.entry("mail")?.string(Array("Realm".utf8))?.isProtected == false)
  }

  @Test func `only empty directories can be removed`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.notEmpty) { try shell.rmdir("mail") }
    #expect(throws: TreeError.notEmpty) { try shell.rmdir("office") }
    #expect(throws: TreeError.notEmpty) { try shell.rmdir("mail/attachments") }
    #expect(throws: TreeError.notDirectory) { try shell.rmdir("mail/url") }
    #expect(throws: TreeError.isDirectory) { try shell.unlink("mail") }
    #expect(throws: TreeError.isDirectory) { try shell.unlink("mail/attachments") }
    #expect(throws: TreeError.noEntry) { try shell.rmdir("nothing") }
    #expect(throws: TreeError.noEntry) { try shell.unlink("mail/nothing") }
    try shell.mkdir("undecided")
    try shell.rmdir("undecided")
    try shell.mkdir("plain/attachments")
    try shell.rmdir("plain/attachments")
    #expect(!shell.save())
  }

  @Test func `a temporary file in the way is removed first`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("plain/url~", "backup")
    try shell.removeAll("plain")
    shell.save()
    #expect(shell.groups(of: "plain") == ["Recycle Bin"])
    #expect(shell.tree.pending.scratchCount == 0)
  }

  @Test func `an open file of a removed entry reads on and writes nowhere`() throws {
    let shell = Shell(try Samples.office())
    let reader = try shell.open("plain/username", .read)
    let writer = try shell.open("plain/password", [.write, .truncate])
    try shell.removeAll("plain")
    #expect(try shell.read(reader) == "ann")
    try shell.write(writer, "lost\n")
    try shell.close(writer)
    #expect(try shell.tree.attributes(of: NodeID(rawValue: 77), handle: reader).size == 3)
    shell.tree.release(reader)
    shell.save()
    #expect(shell.field("Password", of: "plain") == "")
  }
}
