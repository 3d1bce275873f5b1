import Testing
import Vault

@testable import VaultTree

@Suite struct EntryViewsTests {
  static func shell() throws -> Shell { Shell(try Samples.office()) }

  @Test func `the JSON has everything, protected fields too`() throws {
    let shell = try Self.shell()
    #expect(
      try shell.cat("mail/.json") == """
        {
          "uuid": "00000102000000000000000000000000",
          "path": "mail",
          "title": "mail",
          "username": "sam@example.org",
          "password": "mail-pw-1",
          "url": "https://mail.example.org",
          "notes": "first\\nsecond\\n",
          "fields": {
            "PIN": "4711",
            "Realm": "corp"
          },
          "totp": null,
          "hotp": null,
          "tags": [
            "one",
            "two"
          ],
          "attachments": [
            {
              "name": "key.txt",
              "size": 8
            }
          ],
          "expires": null,
          "created": "1970-01-01T00:00:00Z",
          "modified": "2024-03-01T12:00:00Z"
        }

        """)
  }

  @Test func `the JSON has the same members whatever an entry holds`() throws {
    let shell = try Self.shell()
    func members(_ path: String) throws -> [String] {
      try shell.cat(path).split(separator: "\n").filter { $0.hasPrefix("  \"") }
        .map { String($0.prefix { $0 != ":" }) }
    }
    #expect(try members("plain/.json") == members("mail/.json"))
  }

  @Test func `the JSON shows what the files show, edits and new names too`() throws {
    let shell = try Self.shell()
    try shell.redirect("office/vpn/server", "vpn.example.org\n")
    try shell.redirect("office/vpn/expires", "2030-01-31\n")
    try shell.redirect("office/vpn/otp", CodeTests.secret + "\n")
    let text = try shell.cat("office/vpn/.json")
    #expect(text.contains("\"path\": \"office/vpn\""))
    #expect(text.contains("\"server\": \"vpn.example.org\""))
    #expect(text.contains("\"expires\": \"2030-01-31T00:00:00Z\""))
    #expect(text.contains("\"totp\": \"\(try shell.cat("office/vpn/totp"))\""))
    try shell.unlink("mail/PIN")
    #expect(!(try shell.cat("mail/.json").contains("PIN")))
  }

  @Test func `references are resolved as in the files`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry("a", [.init("Password", "pw-a", protected: true)], uuid: 0xA),
        .entry("b", [.init("Password", "{REF:P@T:a}"), .init("ref", "{USERNAME}!")]),
      ]))
    let text = try shell.cat("b/.json")
    #expect(text.contains("\"password\": \"pw-a\""))
    #expect(text.contains("\"ref\": \"!\""))
    #expect(try shell.cat("b/.env").contains("password='pw-a'\n"))
  }

  @Test func `the variables are quoted byte for byte`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry(
          "x",
          [
            .init("UserName", "it's"), .init("Password", "$(x) \\ \"`\n'", protected: true),
            .init("Recovery codes", "1"), .init("PATH", "/tmp"), .init("2fa", ""),
          ])
      ]))
    #expect(
      try shell.cat("x/.env") == """
        title='x'
        username='it'\\''s'
        password='$(x) \\ "`
        '\\'''
        url=''
        notes=''
        Recovery_codes='1'
        _PATH='/tmp'
        _2fa=''

        """)
  }

  @Test(arguments: ["mail/.json", "mail/.env"])
  func `a view is not listed, read-only, and its size is exact`(path: String) throws {
    let shell = try Self.shell()
    #expect(!(try shell.ls("mail").contains(String(path.dropFirst(5)))))
    let attributes = try shell.stat(path)
    #expect(attributes.size == (try shell.bytes(path).count))
    #expect(attributes.permissions == 0o400)
    #expect(attributes.unsettled)
    #expect(throws: TreeError.readOnlyFile) { try shell.open(path, .write) }
    #expect(throws: TreeError.readOnlyFile) { try shell.truncate(path, to: 0) }
    #expect(throws: TreeError.readOnlyFile) { try shell.unlink(path) }
    #expect(throws: TreeError.readOnlyFile) { try shell.rename(path, "mail/x") }
    #expect(throws: TreeError.readOnlyFile) { try shell.rename("mail/url", path) }
    #expect(throws: TreeError.readOnlyFile) { try shell.rename(path, "mail/url", .exchange) }
    #expect(throws: TreeError.notDirectory) { try shell.ls(path) }
    #expect(throws: TreeError.exists) { try shell.mkdir(path) }
    #expect(!shell.save())
  }

  @Test func `a view of a directory that is no entry yet isn't there, and can't be made`() throws {
    let shell = try Self.shell()
    try shell.mkdir("new")
    #expect(throws: TreeError.noEntry) { try shell.stat("new/.json") }
    #expect(throws: TreeError.readOnlyFile) { try shell.redirect("new/.json", "{}") }
    try shell.redirect("new/username", "x\n")
    #expect(try shell.cat("new/.json").contains("\"username\": \"x\""))
    #expect(throws: TreeError.noEntry) { try shell.stat("office/.env") }
  }

  @Test func `nothing is temporary for being made from a view's name`() throws {
    let shell = try Self.shell()
    try shell.redirect("mail/.json.bak", "mine\n")
    shell.save()
    #expect(shell.field(".json.bak", of: "mail") == "mine")
  }

  @Test func `on demand they are listed, and an entry can be removed all the same`() throws {
    let shell = Shell(try Samples.office()) { $0.showsHidden = true }
    #expect(try shell.ls("plain").suffix(3) == [".history", ".json", ".env"])
    #expect(try shell.ls("").contains(".kdbxfs"))
    for name in ["username", "password", "url", "notes"] { try shell.unlink("plain/" + name) }
    try shell.rmdir("plain")
    #expect(shell.groups(of: "plain") == ["Recycle Bin"])
  }
}
