import Testing
import Vault

@testable import VaultTree

@Suite struct ViewTests {
  static func shell(_ change: (inout TreeOptions) -> Void = { _ in }) throws -> Shell {
    Shell(
      try Fixture.vault(
        [
          .entry(
            "mail", [.init("URL", "https://Mail.Example.org/x"), .init("Notes", "Two Words")],
            uuid: 0xA, extra: "<Tags>work;a/b</Tags>"),
          .group(
            "office",
            [
              .entry("mail", [.init("UserName", "Words")], uuid: 0xB, extra: "<Tags>work</Tags>"),
              .group("deep", [.entry("a/b", [.init("URL", "http://mail.example.org:8080")])]),
            ], uuid: 0xC),
          .group(
            "Recycle Bin", [.entry("old", [.init("Notes", "words")], uuid: 0xD)],
            uuid: Fixture.bin),
        ], meta: Fixture.binMeta), change)
  }

  static func hex(_ number: String) -> String { number + String(repeating: "0", count: 24) }
  static let mail = hex("0000000a")

  private func target(_ shell: Shell, _ path: String) throws -> String {
    let attributes = try shell.stat(path)
    #expect(attributes.kind == .symbolicLink)
    let target = try shell.tree.readLink(attributes.node)
    #expect(attributes.size == target.count)
    return String(decoding: target, as: UTF8.self)
  }

  @Test func `the top has a directory of views, which isn't listed`() throws {
    let shell = try Self.shell()
    #expect(!(try shell.ls("").contains(".kdbxfs")))
    #expect(
      try shell.ls(".kdbxfs") == ["by-uuid", "by-tag", "by-host", "search", "generate", "log"])
    #expect(throws: TreeError.noEntry) { try shell.stat("office/.kdbxfs") }
    let attributes = try shell.stat(".kdbxfs")
    #expect(attributes.kind == .directory)
    #expect(attributes.isView)
    #expect(attributes.node.isView)
  }

  @Test func `a number leads to its entry or group, in either spelling`() throws {
    let shell = try Self.shell()
    #expect(try target(shell, ".kdbxfs/by-uuid/" + Self.mail) == "../../mail")
    #expect(try target(shell, ".kdbxfs/by-uuid/" + Self.hex("0000000B")) == "../../office/mail")
    #expect(try target(shell, ".kdbxfs/by-uuid/" + Self.hex("0000000c")) == "../../office")
    #expect(try target(shell, ".kdbxfs/by-uuid/" + Self.hex("0000000d")) == "../../Recycle Bin/old")
    #expect(
      try target(shell, ".kdbxfs/by-uuid/0000000A-0000-0000-0000-000000000000") == "../../mail")
    for name in [Self.hex("000000ff"), "0a", "x" + Self.mail.dropFirst(), Self.mail + "0"] {
      #expect(throws: TreeError.noEntry) { try shell.stat(".kdbxfs/by-uuid/" + name) }
    }
    let listed = try shell.ls(".kdbxfs/by-uuid")
    #expect(listed.count == 3)
    #expect(listed.contains(Self.mail))
    #expect(!listed.contains(Self.hex("0000000d")))
  }

  @Test func `tags and hosts are directories of links`() throws {
    let shell = try Self.shell()
    #expect(try shell.ls(".kdbxfs/by-tag") == ["a%2Fb", "work"])
    #expect(try shell.ls(".kdbxfs/by-tag/a%2Fb") == ["mail"])
    #expect(try target(shell, ".kdbxfs/by-tag/a%2Fb/mail") == "../../../mail")
    let tag = ".kdbxfs/by-tag/work"
    let names = try shell.ls(tag)
    #expect(names == ["mail", "mail ~0000000b"])
    #expect(try target(shell, tag + "/mail ~0000000b") == "../../../office/mail")
    #expect(try shell.ls(".kdbxfs/by-host") == ["mail.example.org"])
    #expect(try shell.ls(".kdbxfs/by-host/MAIL.example.org") == ["mail", "a%2Fb"])
    #expect(
      try target(shell, ".kdbxfs/by-host/mail.example.org/a%2Fb") == "../../../office/deep/a%2Fb")
    #expect(throws: TreeError.noEntry) { try shell.stat(".kdbxfs/by-tag/Work") }
    #expect(throws: TreeError.noEntry) { try shell.stat(".kdbxfs/by-host/example.org") }
    #expect(throws: TreeError.noEntry) { try shell.stat(tag + "/old") }
  }

  @Test func `a search finds every word, in capitals or not, outside the bin`() throws {
    let shell = try Self.shell()
    #expect(try shell.ls(".kdbxfs/search") == [])
    #expect(try shell.ls(".kdbxfs/search/WORDS") == ["mail", "mail ~0000000b"])
    #expect(try shell.ls(".kdbxfs/search/words two") == ["mail"])
    #expect(try shell.ls(".kdbxfs/search/a%2Fb") == ["mail", "a%2Fb"])
    #expect(try shell.ls(".kdbxfs/search/nothing") == [])
    #expect(try target(shell, ".kdbxfs/search/words two/mail") == "../../../mail")
  }

  @Test func `views follow changes`() throws {
    let shell = try Self.shell()
    #expect(try shell.ls(".kdbxfs/search/words two") == ["mail"])
    try shell.redirect("mail/notes", "other\n")
    #expect(try shell.ls(".kdbxfs/search/words two") == [])
    try shell.redirect("mail/tags", "new\n")
    #expect(try shell.ls(".kdbxfs/by-tag") == ["new", "work"])
    #expect(throws: TreeError.noEntry) { try shell.stat(".kdbxfs/by-tag/a%2Fb") }
    try shell.rename("mail", "office/post")
    #expect(try target(shell, ".kdbxfs/by-uuid/" + Self.mail) == "../../office/post")
    #expect(try target(shell, ".kdbxfs/by-tag/new/post") == "../../../office/post")
    try shell.removeAll("office/post")
    #expect(try shell.ls(".kdbxfs/by-tag") == ["work"])
    #expect(try target(shell, ".kdbxfs/by-uuid/" + Self.mail) == "../../Recycle Bin/post")
    try shell.mkdir("fresh")
    try shell.redirect("fresh/url", "ssh://host.example\n")
    #expect(try shell.ls(".kdbxfs/by-host").contains("host.example"))
  }

  @Test func `nothing in them can be changed`() throws {
    let shell = try Self.shell()
    let link = ".kdbxfs/by-uuid/" + Self.mail
    for path in [".kdbxfs", ".kdbxfs/by-tag", ".kdbxfs/by-tag/work", ".kdbxfs/search/x"] {
      #expect(throws: TreeError.readOnlyFile) { try shell.redirect(path + "/new", "x") }
      #expect(throws: TreeError.readOnlyFile) { try shell.symlink("x", path + "/.#x") }
      #expect(throws: TreeError.readOnlyFile) { try shell.rmdir(path) }
      #expect(throws: TreeError.readOnlyFile) { try shell.unlink(path) }
      #expect(throws: TreeError.readOnlyFile) { try shell.rename(path, "x") }
      #expect(throws: TreeError.readOnlyFile) { try shell.rename("mail", path + "/n") }
      #expect(throws: TreeError.readOnlyFile) { try shell.rename("mail/url", path + "/n") }
      #expect(throws: TreeError.readOnlyFile) { try shell.rename("mail", path, .exchange) }
    }
    for path in [".kdbxfs", ".kdbxfs/by-tag", ".kdbxfs/search"] {
      #expect(throws: TreeError.exists) { try shell.mkdir(path) }
    }
    #expect(throws: TreeError.readOnlyFile) { try shell.mkdir(".kdbxfs/new") }
    #expect(throws: TreeError.readOnlyFile) { try shell.mkdir(".kdbxfs/by-tag/new") }
    #expect(throws: TreeError.readOnlyFile) { try shell.unlink(link) }
    #expect(throws: TreeError.readOnlyFile) { try shell.rename(link, "x") }
    #expect(throws: TreeError.invalid) { try shell.open(link, .read) }
    #expect(throws: TreeError.isDirectory) { try shell.open(".kdbxfs", .read) }
    #expect(throws: TreeError.notDirectory) { try shell.ls(link) }
    #expect(!shell.save())
  }

  @Test func `a path goes through a link`() throws {
    let shell = try Self.shell()
    let notes = try shell.node("mail/notes")
    #expect(try shell.node(".kdbxfs/by-uuid/\(Self.mail)/notes") == notes)
    #expect(try shell.node(".kdbxfs/search/words two/mail/notes") == notes)
  }

  @Test func `the numbers of directories that nobody knows any more are given up`() throws {
    let shell = try Self.shell()
    let first = try shell.stat(".kdbxfs/search/x").node
    #expect(try shell.stat(".kdbxfs/search/x").node == first)
    shell.tree.forget(first, count: 2)
    #expect(throws: TreeError.noEntry) { try shell.tree.attributes(of: first) }
    #expect(try shell.stat(".kdbxfs/search/x").node != first)
  }

  @Test func `a lock hides views, and an unlock brings them back`() throws {
    let shell = try Self.shell()
    let vault = shell.tree.vault
    let control = try shell.stat(".kdbxfs").node
    let tags = try shell.tree.lookup(Array("by-tag".utf8), in: control).node
    let words = try shell.stat(".kdbxfs/search/words").node
    shell.tree.lock(keepingEdits: false)
    #expect(try shell.tree.lookup(Array(".kdbxfs".utf8), in: .root).node == control)
    #expect(try shell.tree.lookup(Array("by-tag".utf8), in: control).node == tags)
    #expect(throws: TreeError.locked) { try shell.tree.lookup(Array("work".utf8), in: tags) }
    #expect(throws: TreeError.locked) { try shell.tree.openDirectory(tags) }
    shell.tree.unlock(vault)
    #expect(try shell.ls(".kdbxfs/by-tag/work") == ["mail", "mail ~0000000b"])
    #expect(throws: TreeError.stale) { try shell.tree.attributes(of: words) }
    #expect(try shell.stat(".kdbxfs/search/words").node != words)
  }

  @Test func `a directory of that name keeps its own`() throws {
    let shell = Shell(try Fixture.vault([.group(".kdbxfs", [])]))
    #expect(try shell.ls("") == ["%2Ekdbxfs"])
    #expect(throws: TreeError.invalid) { try shell.mkdir("%2ekdbxfs") }
    #expect(throws: TreeError.exists) { try shell.mkdir(".kdbxfs") }
  }
}
