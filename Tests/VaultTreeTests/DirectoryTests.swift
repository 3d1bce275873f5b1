import KDBX
import Testing
import Vault

@testable import VaultTree

@Suite struct DirectoryTests {
  // MARK: - Making

  @Test func `a directory decides by what comes into it first`() throws {
    let shell = Shell(try Samples.office())
    let node = try shell.mkdir("Work")
    try shell.mkdir("Work/db1")
    try shell.redirect("Work/db1/username", "root\n")
    #expect(try shell.stat("Work").node == node)
    #expect(try shell.ls("Work/db1") == ["username"])
    #expect(shell.save(.autosave))
    #expect(shell.groups(of: "db1") == ["Work"])
    #expect(shell.field("UserName", of: "db1") == "root")
    #expect(shell.entry("db1")?.historyCount == 0)
    try shell.redirect("Work/db1/username", "admin\n")
    let again = shell.remounted()
    #expect(again.entry("db1")?.historyCount == 1)
    #expect(try again.ls("Work/db1") == ["username", "password", "url", "notes"])
  }

  @Test func `an undecided directory is stored as a group, and may still become an entry`() throws {
    let shell = Shell(try Samples.office())
    let node = try shell.mkdir("later")
    #expect(!shell.save(.autosave))
    #expect(!shell.save(.fsync))
    #expect(shell.document.groupCount == 3)
    #expect(shell.save(.save))
    #expect(shell.document.groupCount == 4)
    #expect(!shell.save(.save))
    let uuid = try #require(
      shell.document.allGroups.map { shell.document.group($0) }
        .first { $0.name == Array("later".utf8) }
    ).uuid
    try shell.redirect("later/password", "p\n")
    #expect(try shell.stat("later").node == node)
    #expect(shell.save(.autosave))
    #expect(shell.document.groupCount == 3)
    #expect(shell.field("Password", of: "later") == "p")
    #expect(shell.document.deletedObjects.map(\.uuid) == [uuid])
    #expect(try shell.remounted().ls("").contains("later"))
  }

  @Test func `after a remount it is a group for good`() throws {
    let shell = Shell(try Samples.office())
    try shell.mkdir("later")
    let again = shell.remounted()
    #expect(throws: TreeError.notPermitted) { try again.redirect("later/password", "p") }
  }

  @Test func `attachments decides nothing by itself`() throws {
    let shell = Shell(try Samples.office())
    for name in ["beside", "inside", "dir-in", "dir-beside"] {
      try shell.mkdir(name)
      try shell.mkdir(name + "/attachments")
    }
    try shell.redirect("beside/username", "u\n")
    try shell.redirect("inside/attachments/a.txt", "a")
    try shell.mkdir("dir-in/attachments/sub")
    try shell.mkdir("dir-beside/sub")
    shell.save()
    #expect(shell.field("UserName", of: "beside") == "u")
    #expect(shell.entry("inside")?.attachments.count == 1)
    #expect(try shell.ls("dir-in/attachments") == ["sub"])
    #expect(try shell.ls("dir-beside") == ["attachments", "sub"])
    let again = shell.remounted()
    #expect(try again.ls("inside") == ["username", "password", "url", "notes", "attachments"])
    #expect(try again.ls("dir-in") == ["attachments"])
  }

  @Test func `rsync makes attachments first`() throws {
    let shell = Shell(try Samples.office())
    try shell.mkdir("copy")
    try shell.mkdir("copy/attachments")
    let directory = try shell.stat("copy/attachments").node
    shell.save(.save)
    try shell.redirect("copy/.username.kX2f9Q", "sam\n")
    try shell.rename("copy/.username.kX2f9Q", "copy/username")
    #expect(try shell.stat("copy/attachments").node == directory)
    try shell.redirect("copy/attachments/key", "k")
    shell.save(.save)
    #expect(shell.field("UserName", of: "copy") == "sam")
    #expect(shell.entry("copy")?.attachments.count == 1)
    #expect(shell.keys(of: "copy") == ["Title", "UserName", "Password", "URL", "Notes"])
  }

  @Test func `temporary names decide nothing`() throws {
    let shell = Shell(try Samples.office())
    try shell.mkdir("new")
    try shell.close(try shell.open("new/4913", [.write, .exclusive], create: true))
    try shell.mkdir("new/sub")
    #expect(try shell.ls("new") == ["sub", "4913"])
    try shell.unlink("new/4913")
    #expect(throws: TreeError.notPermitted) { try shell.redirect("new/username", "u") }
  }

  @Test func `a whole tree can be copied in`() throws {
    let shell = Shell(try Samples.office())
    func copy(_ from: String, _ to: String) throws {
      try shell.mkdir(to)
      for name in try shell.ls(from) {
        let (source, target) = (from + "/" + name, to + "/" + name)
        if try shell.stat(source).kind == .directory {
          try copy(source, target)
        } else {
          // `cp -r` knows that it made the directory, and so that no file is there.
          try shell.copy(try shell.bytes(source), to: target, [.write, .exclusive])
        }
      }
    }
    try copy("mail", "office/mail copy")
    try copy("office", "office copy")
    shell.save()
    let original = try #require(shell.entry("mail"))
    let copied = try #require(shell.entry("mail copy"))
    #expect(copied.uuid != original.uuid)
    for key in ["UserName", "Password", "URL", "Notes", "PIN", "Realm"] {
      #expect(shell.field(key, of: copied) == shell.field(key, of: original))
    }
    #expect(copied.tags == original.tags)
    #expect(copied.attachments.map(\.name) == original.attachments.map(\.name))
    #expect(try shell.cat("office copy/mail copy/attachments/key.txt") == "attached")
    #expect(try shell.cat("office copy/vpn/password") == "vpn-pw-1")
    #expect(!shell.save())
  }

  @Test(arguments: [
    ("a%2fb", TreeError.invalid), ("x%01", .invalid), (".kdbxfs", .exists), ("mail", .exists),
    (".Trash", .notPermitted), (".Trash-1000", .notPermitted), ("lost+found", .notPermitted),
    (".xdg-volume-info", .notPermitted), ("mail/sub", .notPermitted), ("mail/url", .exists),
    ("mail/url/x", .notDirectory),
  ])
  func `mkdir refuses what can't be`(path: String, error: TreeError) throws {
    let shell = Shell(try Samples.office())
    #expect(throws: error) { try shell.mkdir(path) }
    #expect(!shell.save())
  }

  @Test func `a title is what its name spells`() throws {
    let shell = Shell(try Samples.office())
    for name in ["x%2Fy", "%2E%2E", "per%25cent", "password", "untitled"] {
      try shell.mkdir(name)
      try shell.redirect(name + "/username", "u\n")
    }
    shell.save()
    for title in ["x/y", "..", "per%cent", "password", "untitled"] {
      #expect(shell.field("UserName", of: title) == "u")
    }
    try shell.mkdir("office/.Trash")
    try shell.mkdir("office/.kdbxfs")
  }

  @Test(arguments: ["new", ".x.swp", "mail~", ".#mail", "4913"])
  func `no file stands directly in a group`(name: String) throws {
    let shell = Shell(try Samples.office())
    for path in [name, "office/" + name] {
      #expect(throws: TreeError.notPermitted) { try shell.redirect(path, "x") }
      #expect(throws: TreeError.notPermitted) { try shell.symlink("x", path) }
      #expect(throws: TreeError.notPermitted) { try shell.rename("mail/PIN", path) }
    }
    #expect(!shell.save())
  }

  @Test func `links among temporary files only`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.notPermitted) { try shell.link("mail/url", "mail/p2") }
    #expect(throws: TreeError.notPermitted) { try shell.link("mail/url", "mail/url~") }
    #expect(throws: TreeError.notPermitted) { try shell.symlink("x", "mail/s") }
    try shell.symlink("x", "mail/.#url")
    #expect(try shell.tree.readLink(shell.node("mail/.#url")) == Array("x".utf8))
    #expect(try shell.stat("mail/.#url").kind == .symbolicLink)
    #expect(throws: TreeError.exists) { try shell.symlink("y", "mail/.#url") }
    try shell.redirect("mail/url~", "backup\n")
    try shell.link("mail/url~", "mail/#url#")
    #expect(try shell.stat("mail/url~").linkCount == 2)
    try shell.unlink("mail/url~")
    #expect(try shell.cat("mail/#url#") == "backup\n")
    try shell.rename("mail/#url#", "mail/url")
    #expect(try shell.cat("mail/url") == "backup")
  }

  // MARK: - Names that stay

  @Test func `a twin that goes moves no other`() throws {
    let twins = (1...3).map { number in
      Fixture.Node.entry("GitHub", [.init("UserName", "u\(number)")], uuid: UInt64(number))
    }
    let shell = Shell(
      try Fixture.vault(
        [
          .group("Web", twins),
          .group("Recycle Bin", [.entry("GitHub", [], uuid: 9)], uuid: Fixture.bin),
        ], meta: Fixture.binMeta))
    #expect(try shell.ls("Web") == ["GitHub", "GitHub ~00000002", "GitHub ~00000003"])
    try shell.removeAll("Web/GitHub")
    #expect(throws: TreeError.noEntry) { try shell.stat("Web/GitHub") }
    #expect(try shell.cat("Web/GitHub ~00000002/username") == "u2")
    #expect(try shell.ls("Recycle Bin") == ["GitHub", "GitHub ~00000001"])
    try shell.redirect("Web/GitHub ~00000002/password", "changed\n")
    let again = shell.remounted()
    #expect(try again.ls("Web") == ["GitHub", "GitHub ~00000003"])
    #expect(try again.cat("Web/GitHub/password") == "changed")
    #expect(try again.ls("Recycle Bin") == ["GitHub ~00000009", "GitHub"])
  }

  @Test func `a renamed node keeps the name that it was given`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("plain", "other")
    try shell.mkdir("plain")
    try shell.redirect("plain/username", "new\n")
    #expect(try shell.cat("other/username") == "ann")
    #expect(try shell.cat("plain/username") == "new")
    try shell.rename("other", "third")
    try shell.rename("plain", "other")
    shell.save()
    #expect(shell.field("UserName", of: "other") == "new")
    #expect(shell.field("UserName", of: "third") == "ann")
  }

  @Test func `an empty title gets one by a rename`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry("", [.init("UserName", "u")], uuid: 7), .group("", [.entry("in", [])], uuid: 8),
      ]))
    #expect(try shell.ls("") == ["untitled ~00000007", "untitled ~00000008"])
    try shell.rename("untitled ~00000007", "was empty")
    shell.save()
    #expect(shell.field("UserName", of: "was empty") == "u")
    #expect(shell.entry("was empty")?.historyCount == 1)
  }

  // MARK: - Moving

  @Test func `a move keeps the entry as it is`() throws {
    let shell = Shell(try Samples.office())
    let before = try #require(shell.entry("mail"))
    try shell.rename("mail", "office/mail")
    #expect(shell.save())
    let after = try #require(shell.entry("mail"))
    #expect(shell.groups(of: "mail") == ["office"])
    #expect(after.uuid == before.uuid)
    #expect(after.historyCount == 0)
    #expect(after.times.lastModification == before.times.lastModification)
    #expect(after.times.locationChanged?.unixSeconds == shell.clock.now.seconds)
    #expect(after.previousParentGroup == shell.document.group(shell.document.root).uuid)
    #expect(try shell.ls("") == ["plain", "office", "Recycle Bin"])
    #expect(try shell.ls("office") == ["vpn", "mail"])
  }

  @Test func `a rename gives a new title and makes one old version`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail", "post")
    try shell.redirect("post/url", "x\n")
    shell.save()
    let entry = try #require(shell.entry("post"))
    #expect(entry.historyCount == 1)
    #expect(shell.field("Title", of: entry.history.last) == "mail")
    try shell.rename("office", "bureau")
    shell.save()
    #expect(shell.groups(of: "vpn") == ["bureau"])
  }

  @Test func `a move that keeps the last part of the path keeps the title`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry("twin", [.init("UserName", "1")], uuid: 1),
        .entry("twin", [.init("UserName", "2")], uuid: 2), .group("to", []),
      ]))
    try shell.rename("twin ~00000002", "to/twin ~00000002")
    #expect(try shell.cat("to/twin ~00000002/username") == "2")
    let again = shell.remounted()
    #expect(try again.cat("to/twin/username") == "2")
    #expect(again.entry("twin")?.historyCount == 0)
  }

  @Test func `moves that can't be are refused and change nothing`() throws {
    let shell = Shell(
      try Fixture.vault([
        .group(
          "to",
          [
            .group("from", [.entry("taken", []), .entry("name-b", [])]), .entry("taken", []),
            .group("full", [.entry("x", [])]), .group("empty", []),
          ])
      ]))
    #expect(throws: TreeError.invalid) { try shell.rename("to", "to/from/to") }
    #expect(throws: TreeError.notEmpty) { try shell.rename("to/from/taken", "to/taken") }
    #expect(throws: TreeError.exists) { try shell.rename("to/from/taken", "to/taken", .noReplace) }
    #expect(throws: TreeError.notPermitted) {
      try shell.rename("to/from/name-b", "to/taken/name-b")
    }
    #expect(throws: TreeError.notPermitted) { try shell.rename("to/full", "to/taken/full") }
    #expect(throws: TreeError.notEmpty) { try shell.rename("to/from", "to/full") }
    #expect(throws: TreeError.exists) { try shell.rename("to/from", "to/empty") }
    #expect(throws: TreeError.noEntry) { try shell.rename("to/none", "to/x") }
    #expect(throws: TreeError.noEntry) { try shell.rename("to/full", "to/none", .exchange) }
    #expect(throws: TreeError.invalid) { try shell.rename("to/full", "to/a%2fb") }
    #expect(!shell.save())
    try shell.rename("to/full", "to/full")
    #expect(!shell.save())
  }

  @Test func `an undecided directory makes way, and can be moved`() throws {
    let shell = Shell(try Samples.office())
    try shell.mkdir("empty")
    try shell.rename("office", "empty")
    #expect(try shell.ls("empty") == ["vpn"])
    try shell.mkdir("a")
    try shell.mkdir("b")
    try shell.rename("a", "b/c")
    try shell.redirect("b/c/username", "u\n")
    shell.save()
    #expect(shell.groups(of: "c") == ["b"])
  }

  @Test func `two files change places, and their protection stays`() throws {
    let shell = Shell(try Samples.office())
    let nodes = (try shell.stat("mail/username").node, try shell.stat("mail/password").node)
    try shell.rename("mail/username", "mail/password", .exchange)
    #expect(try shell.cat("mail/username") == "mail-pw-1")
    #expect(try shell.cat("mail/password") == "sam@example.org")
    #expect(try shell.stat("mail/username").node == nodes.1)
    #expect(try shell.stat("mail/password").node == nodes.0)
    #expect(throws: TreeError.exists) { try shell.rename("mail/url", "mail/notes", .noReplace) }
    #expect(throws: TreeError.notPermitted) {
      try shell.rename("mail/url", "office/vpn", .exchange)
    }
    #expect(throws: TreeError.notPermitted) {
      try shell.rename("office/vpn", "mail/url", .exchange)
    }
    shell.save()
    #expect(shell.entry("mail")?.string(FieldKey.password)?.isProtected == true)
    #expect(shell.entry("mail")?.string(FieldKey.userName)?.isProtected == false)
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `two directories change places and titles`() throws {
    let shell = Shell(try Samples.office())
    let uuids = (shell.entry("mail")?.uuid, shell.entry("vpn")?.uuid)
    try shell.rename("mail", "office/vpn", .exchange)
    #expect(try shell.cat("office/vpn/PIN") == "4711")
    #expect(try shell.cat("mail/password") == "vpn-pw-1")
    shell.save()
    #expect(shell.entry("vpn")?.uuid == uuids.0)
    #expect(shell.entry("mail")?.uuid == uuids.1)
    #expect(shell.entry("vpn")?.historyCount == 1)
    #expect(shell.groups(of: "vpn") == ["office"])
  }

  @Test func `a temporary file changes places with a field`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url~", "backup\n")
    try shell.rename("mail/url", "mail/url~", .exchange)
    #expect(try shell.cat("mail/url") == "backup")
    #expect(try shell.cat("mail/url~") == "https://mail.example.org")
  }

  // MARK: - Renaming fields

  @Test func `a custom field is renamed in its place`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/PIN", "mail/Code")
    #expect(try shell.cat("mail/Code") == "4711")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/PIN") }
    shell.save()
    #expect(shell.keys(of: "mail").suffix(2) == ["Code", "Realm"])
    #expect(shell.entry("mail")?.string(Array("Code".utf8))?.isProtected == true)
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `a new field may take the name of one that was removed`() throws {
    let shell = Shell(try Samples.office())
    try shell.unlink("mail/PIN")
    try shell.redirect("mail/new", "x\n")
    try shell.rename("mail/new", "mail/PIN")
    shell.save(.unmount)
    #expect(shell.field("PIN", of: "mail") == "x")
    #expect(shell.field("new", of: "mail") == nil)
  }

  @Test func `renamed onto a field it is a write of that one`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/PIN", "mail/url")
    #expect(try shell.cat("mail/url") == "4711")
    shell.save()
    #expect(!shell.keys(of: "mail").contains("PIN"))
    #expect(shell.entry("mail")?.string(FieldKey.url)?.isProtected == false)
  }

  @Test func `a standard field renamed becomes a custom one and is empty itself`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/url", "mail/homepage")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/url") }
    #expect(shell.save(.autosave))
    #expect(shell.field("homepage", of: "mail") == "https://mail.example.org")
    #expect(shell.field("URL", of: "mail") == "")
    #expect(try shell.remounted().cat("mail/url") == "")
  }

  @Test func `a rename whose value can't be held moves nothing`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url~", [.write, .exclusive], create: true)
    _ = try shell.tree.write(handle, at: 0, [0x61, 0xFF].span, append: false)
    try shell.close(handle)
    #expect(throws: TreeError.illegalSequence) { try shell.rename("mail/url~", "mail/url") }
    #expect(try shell.bytes("mail/url~") == [0x61, 0xFF])
    try shell.redirect("mail/attachments/zero", "\u{0}")
    #expect(throws: TreeError.invalid) { try shell.rename("mail/attachments/zero", "mail/zero") }
    #expect(throws: TreeError.invalid) { try shell.rename("mail/url", "mail/expires") }
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
  }

  @Test func `a field moves into another entry, an attachment too`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/PIN", "plain/PIN")
    try shell.mkdir("plain/attachments")
    try shell.rename("mail/attachments/key.txt", "plain/attachments/key.txt")
    #expect(try shell.cat("plain/PIN") == "4711")
    #expect(try shell.cat("plain/attachments/key.txt") == "attached")
    #expect(shell.save(.autosave))
    #expect(shell.field("PIN", of: "plain") == "4711")
    #expect(!shell.keys(of: "mail").contains("PIN"))
    #expect(shell.entry("mail")?.attachments.isEmpty == true)
    #expect(shell.entry("plain")?.attachments.count == 1)
  }
}
