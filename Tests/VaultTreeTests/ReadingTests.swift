import ByteCoding
import KDBX
import Secrets
import Testing
import Vault

@testable import VaultTree

@Suite struct ReadingTests {
  @Test func `an entry lists its files`() throws {
    let shell = Shell(try Samples.office())
    #expect(try shell.ls("") == ["mail", "plain", "office", "Recycle Bin"])
    #expect(
      try shell.ls("mail") == [
        "username", "password", "url", "notes", "PIN", "Realm", "tags", "attachments",
      ])
    #expect(try shell.ls("mail/attachments") == ["key.txt"])
    #expect(try shell.ls("plain") == ["username", "password", "url", "notes"])
  }

  @Test(arguments: [
    ("mail/username", "sam@example.org"), ("mail/password", "mail-pw-1"),
    ("mail/notes", "first\nsecond\n"), ("mail/PIN", "4711"), ("mail/tags", "one\ntwo"),
    ("mail/attachments/key.txt", "attached"), ("plain/password", ""), ("plain/url", ""),
  ])
  func `a file reads as its value, byte for byte, and its size says so`(
    path: String, value: String
  ) throws {
    let shell = Shell(try Samples.office())
    #expect(try shell.stat(path).size == value.utf8.count)
    #expect(try shell.cat(path) == value)
  }

  @Test(arguments: [
    "nothing", "mail/nothing", "mail/title", "mail/Password", "mail/Title", "mail/totp",
    "mail/expires", "plain/tags", "plain/attachments", "mail/attachments/nothing",
    "mail/.history/2024-01-01T00:00:00Z", "mail/%70assword", "office/.kdbxfs",
  ])
  func `what isn't there isn't found`(path: String) throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.noEntry) { try shell.stat(path) }
  }

  @Test func `a read at an offset gives what is left, and beyond the end nothing`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/username", .read)
    func piece(_ offset: Int, _ count: Int) throws -> String {
      var buffer = WipedBuffer()
      try shell.tree.read(handle, at: offset, count: count, into: &buffer)
      return String(decoding: buffer.bytes.copied(), as: UTF8.self)
    }
    #expect(try piece(0, 3) == "sam")
    #expect(try piece(4, 7) == "example")
    #expect(try piece(12, 100) == "org")
    #expect(try piece(15, 1) == "")
    #expect(try piece(.max, .max) == "")
    #expect(try piece(-1, 5) == "")
  }

  @Test func `an open file shows one value from open to close`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/password", .read)
    try shell.redirect("mail/password", "new\n")
    #expect(try shell.read(handle) == "mail-pw-1")
    let node = try shell.node("mail/password")
    #expect(try shell.tree.attributes(of: node, handle: handle).size == 9)
    #expect(try shell.cat("mail/password") == "new")
    #expect(try shell.stat("mail/password").size == 3)
  }

  @Test func `old versions are shown read-only under their times, and not listed`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry(
          "e", [.init("Password", "now", protected: true)],
          history: [
            [.init("Password", "old-1", protected: true)],
            [.init("Password", "old-2", protected: true), .init("PIN", "1")],
          ])
      ]))
    #expect(try !shell.ls("e").contains(".history"))
    #expect(try shell.ls("e/.history") == ["2024-03-01T12:00:00Z", "2024-03-01T12:00:00Z (2)"])
    #expect(try shell.cat("e/.history/2024-03-01T12:00:00Z/password") == "old-1")
    #expect(try shell.cat("e/.history/2024-03-01T12:00:00Z (2)/password") == "old-2")
    #expect(
      try shell.ls("e/.history/2024-03-01T12:00:00Z (2)")
        == ["username", "password", "url", "notes", "PIN"])
    let file = "e/.history/2024-03-01T12:00:00Z/password"
    #expect(try shell.stat(file).permissions == 0o400)
    #expect(throws: TreeError.readOnlyFile) { try shell.redirect(file, "x") }
    #expect(throws: TreeError.readOnlyFile) { try shell.unlink(file) }
    #expect(throws: TreeError.readOnlyFile) { try shell.rename(file, "e/new") }
    #expect(throws: TreeError.readOnlyFile) { try shell.rmdir("e/.history") }
    #expect(throws: TreeError.readOnlyFile) { try shell.mkdir("e/.history/x") }
    #expect(throws: TreeError.readOnlyFile) {
      try shell.redirect("e/.history/2024-03-01T12:00:00Z/new", "x")
    }
  }

  @Test func `modes and times are the vault's, whatever is asked for`() throws {
    let shell = Shell(try Samples.office())
    let before = try shell.stat("mail/password")
    #expect(before.permissions == 0o600)
    #expect(before.modified == Timestamp(seconds: Fixture.time))
    #expect(try shell.stat("mail").permissions == 0o700)
    try shell.chmod("mail/password")
    #expect(try shell.stat("mail/password") == before)
    #expect(throws: TreeError.notPermitted) {
      try shell.tree.setAttributes(
        of: try shell.node("mail"), handle: nil, AttributeChange(changesOwner: true))
    }
    #expect(!shell.save())
  }

  @Test func `a write moves the time of its file, and of no other`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url", "new\n")
    #expect(try shell.stat("mail/url").modified == shell.clock.now)
    #expect(try shell.stat("mail/password").modified == Timestamp(seconds: Fixture.time))
    shell.clock.advance(seconds: 10)
    shell.save()
    #expect(try shell.stat("mail/url").modified.seconds == shell.clock.now.seconds - 10)
    #expect(
      shell.entry("mail")?.times.lastModification?.unixSeconds == shell.clock.now.seconds - 10)
  }

  @Test func `names that are told apart lead to what they name`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry(
          "clash",
          [
            .init("Password", "fixed", protected: true), .init("password", "custom"),
            .init("a/b", "slash"), .init("", "nameless"), .init(".", "dot"), .init("x", "1"),
            .init("x", "2"), .init("Password ", "blank"),
          ])
      ]))
    #expect(
      try shell.ls("clash") == [
        "username", "password", "url", "notes", "%70assword", "a%2Fb", "%00", "%2E", "x (2)", "x",
        "Password ",
      ])
    #expect(try shell.cat("clash/password") == "fixed")
    #expect(try shell.cat("clash/%70assword") == "custom")
    #expect(try shell.cat("clash/%00") == "nameless")
    #expect(try shell.cat("clash/%2E") == "dot")
    #expect(try shell.cat("clash/x (2)") == "1")
    #expect(try shell.cat("clash/x") == "2")
    #expect(throws: TreeError.invalid) { try shell.redirect("clash/Password", "x") }
    #expect(throws: TreeError.invalid) { try shell.redirect("clash/Title", "x") }
    try shell.redirect("clash/%70assword", "custom-new\n")
    try shell.redirect("clash/x (2)", "1-new\n")
    shell.save()
    #expect(
      shell.keys(of: "clash") == [
        "Title", "UserName", "URL", "Notes", "Password", "password", "a/b", "", ".", "x (2)", "x",
        "Password ",
      ])
    #expect(shell.field("Password", of: "clash") == "fixed")
    #expect(shell.field("password", of: "clash") == "custom-new")
    #expect(shell.field("x (2)", of: "clash") == "1-new")
  }

  @Test func `nothing is built before it is looked at`() throws {
    let groups = (0..<20).map { group in
      Fixture.Node.group(
        "g\(group)", (0..<50).map { .entry("e\($0)", [.init("UserName", "u")]) })
    }
    let shell = Shell(try Fixture.vault(groups))
    #expect(shell.tree.nodeCount == 1)
    #expect(try shell.ls("").count == 20)
    #expect(shell.tree.nodeCount == 21)
    #expect(try shell.ls("g7").count == 50)
    #expect(shell.tree.nodeCount == 71)
    _ = try shell.cat("g7/e3/username")
    #expect(shell.tree.nodeCount < 75)
  }

  @Test func `a node number stays, also when the kernel forgot it`() throws {
    let shell = Shell(try Samples.office())
    let first = try shell.stat("mail/Realm").node
    let directory = try shell.stat("mail").node
    shell.tree.forget(first, count: 10)
    shell.tree.forget(directory, count: 10)
    #expect(try shell.stat("mail/Realm").node == first)
    #expect(try shell.stat("mail").node == directory)
    try shell.rename("mail", "office/post")
    #expect(try shell.stat("office/post").node == directory)
    #expect(try shell.stat("office/post/Realm").node == first)
    try shell.rename("office/post/Realm", "office/post/Domain")
    #expect(try shell.stat("office/post/Domain").node == first)
    try shell.unlink("office/post/Domain")
    try shell.redirect("office/post/Domain", "again\n")
    #expect(try shell.stat("office/post/Domain").node != first)
  }

  @Test func `no node number means two things`() throws {
    let shell = Shell(try Samples.office())
    var seen: Set<NodeID> = []
    func walk(_ path: String) throws {
      for name in try shell.ls(path) {
        let inner = path.isEmpty ? name : path + "/" + name
        let attributes = try shell.stat(inner)
        #expect(seen.insert(attributes.node).inserted, "\(inner)")
        if attributes.kind == .directory { try walk(inner) }
      }
    }
    try walk("")
    #expect(seen.count == 4 + 8 + 1 + 4 + 1 + 4)
  }

  @Test func `made-up node numbers lead nowhere`() throws {
    let shell = Shell(try Samples.office())
    _ = try shell.ls("mail")
    let tree = shell.tree
    for raw: UInt64 in [0, 2, 7, 1 << 28, (1 << 28) + 999, .max, 1 << 63] {
      _ = try? tree.attributes(of: NodeID(rawValue: raw))
      _ = try? tree.lookup(Array("x".utf8), in: NodeID(rawValue: raw))
      _ = try? tree.open(NodeID(rawValue: raw), [.read, .write, .truncate])
      tree.forget(NodeID(rawValue: raw), count: .max)
    }
    #expect(throws: TreeError.badHandle) {
      try tree.flush(HandleID(rawValue: 99))
    }
  }

  @Test func `a vault that is only read is not saved`() throws {
    let shell = Shell(try Samples.office())
    for name in try shell.ls("mail") where name != "attachments" {
      let value = try shell.bytes("mail/" + name)
      try shell.copy(value, to: "mail/" + name)
      try shell.redirect("mail/" + name, append: true)
    }
    try shell.copy(Array("attached".utf8), to: "mail/attachments/key.txt")
    let scratch = try shell.open("mail/.x.swp", [.read, .write, .exclusive], create: true)
    try shell.close(scratch)
    try shell.unlink("mail/.x.swp")
    #expect(!shell.save(.autosave))
    #expect(!shell.save(.unmount))
    #expect(shell.entry("mail")?.historyCount == 0)
    #expect(shell.entry("mail")?.times.usageCount == 3)
  }

  @Test func `a read-only tree refuses every change`() throws {
    let shell = Shell(try Samples.office()) { $0.isReadOnly = true }
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
    #expect(throws: TreeError.readOnly) { try shell.redirect("mail/url", "x") }
    #expect(throws: TreeError.readOnly) { try shell.redirect("mail/new", "x") }
    #expect(throws: TreeError.readOnly) { try shell.unlink("mail/url") }
    #expect(throws: TreeError.readOnly) { try shell.rename("mail/url", "mail/x") }
    #expect(throws: TreeError.readOnly) { try shell.rename("mail", "other") }
    #expect(throws: TreeError.readOnly) { try shell.mkdir("new") }
    #expect(throws: TreeError.readOnly) { try shell.rmdir("office") }
    #expect(throws: TreeError.readOnly) { try shell.truncate("mail/url", to: 0) }
    #expect(throws: TreeError.readOnly) { try shell.chmod("mail/url") }
    #expect(!shell.save(.unmount))
  }
}
