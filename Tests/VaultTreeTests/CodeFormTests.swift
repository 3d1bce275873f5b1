import Testing
import Vault

@testable import VaultTree

/// The forms in which programs keep secrets, as the tree shows their codes.
@Suite struct CodeFormTests {
  /// RFC 4226's and RFC 6238's secret.
  static let key = "12345678901234567890"

  private func attribute(_ name: String, _ shell: Shell, _ path: String) throws -> String {
    let value = try shell.tree.extendedAttribute(Array(name.utf8), of: try shell.node(path))
    return String(decoding: value, as: UTF8.self)
  }

  @Test func `a counter's code is shown as hotp, and reading doesn't count it up`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry(
          "x",
          [.init("HmacOtp-Secret", Self.key, protected: true), .init("HmacOtp-Counter", "1")])
      ]))
    for _ in 1...3 { #expect(try shell.cat("x/hotp") == "287082") }
    #expect(try shell.cat("x/HmacOtp-Counter") == "1")
    #expect(throws: TreeError.noEntry) { try shell.stat("x/totp") }
    #expect(try shell.ls("x").contains("hotp"))
    #expect(throws: TreeError.noData) { try attribute("user.kdbx.totp.remaining", shell, "x") }
    try shell.redirect("x/HmacOtp-Counter", "2\n")
    #expect(try shell.cat("x/hotp") == "359152")
    shell.save()
    #expect(!shell.save())
  }

  @Test(arguments: [
    [("TOTP Seed", "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"), ("TOTP Settings", "30;S")],
    [("otp", "otpauth://totp/x?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&encoder=steam")],
    [("otp", "key=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&type=Steam")],
  ])
  func `Steam's code has five characters of its own`(fields: [(String, String)]) throws {
    let shell = Shell(
      try Fixture.vault([.entry("x", fields.map { .init($0.0, $0.1, protected: true) })]))
    let code = try shell.cat("x/totp")
    #expect(code.count == 5)
    #expect(code.allSatisfy { "23456789BCDFGHJKMNPQRTVWXY".contains($0) })
    #expect(try shell.stat("x/totp").size == 5)
  }

  @Test func `the seconds that a code is still good for count down`() throws {
    let shell = try CodeTests.shell()
    let name = "user.kdbx.totp.remaining"
    let first = try #require(Int(try attribute(name, shell, "uri")))
    #expect((1...30).contains(first))
    #expect(try attribute(name, shell, "uri/totp") == "\(first)")
    shell.clock.advance(seconds: Double(first))
    #expect(try attribute(name, shell, "uri") == "30")
    shell.clock.advance(seconds: 29)
    #expect(try attribute(name, shell, "uri") == "1")
  }

  @Test func `a secret that goes bad takes its code along, and says why`() throws {
    let shell = try CodeTests.shell()
    #expect(try shell.cat("uri/totp").count == 6)
    try shell.redirect("uri/otp", "otpauth://totp/x?secret=0189!\n")
    #expect(throws: TreeError.noEntry) { try shell.stat("uri/totp") }
    #expect(try !shell.ls("uri").contains("totp"))
    for path in ["uri", "uri/otp"] {
      #expect(try attribute("user.kdbx.error", shell, path) == "the secret is not in its encoding")
    }
    #expect(throws: TreeError.noData) { try attribute("user.kdbx.error", shell, "uri/url") }
    try shell.redirect("uri/otp", CodeTests.secret + "\n")
    #expect(try shell.cat("uri/totp").count == 6)
    #expect(throws: TreeError.noData) { try attribute("user.kdbx.error", shell, "uri") }
  }

  @Test func `a code comes back with its secret, by whatever way that comes`() throws {
    let shell = try CodeTests.shell()
    try shell.redirect("uri/otp", "otpauth://totp/x?secret=0189!\n")
    #expect(throws: TreeError.noEntry) { try shell.stat("uri/totp") }
    try shell.tree.revert(Array("uri".utf8), saved: nil)
    #expect(try shell.cat("uri/totp").count == 6)
    #expect(try shell.ls("uri").contains("totp"))
    // And by the merge of what another program has written.
    try shell.redirect("uri/otp", "otpauth://totp/x?secret=0189!\n")
    shell.save()
    let bad = shell.document
    let other = Shell(Vault(bad))
    other.clock.advance(seconds: 100)
    try other.redirect("uri/otp", CodeTests.secret + "\n")
    other.save()
    _ = try shell.tree.merge(other.document, base: bad)
    #expect(try shell.cat("uri/totp").count == 6)
  }

  @Test func `references that lead in a circle end, and stay as they are`() throws {
    let shell = Shell(
      try Fixture.vault([
        .entry("a", [.init("Notes", "{REF:N@T:b}")]), .entry("b", [.init("Notes", "{REF:N@T:a}")]),
        .entry("self", [.init("Notes", "x{NOTES}y")]),
      ]))
    #expect(try shell.cat("self/notes") == "x{NOTES}y")
    let shown = try shell.cat("a/notes")
    #expect(shown.hasPrefix("{REF:N@T:"))
    #expect(try shell.stat("a/notes").size == shown.utf8.count)
    try shell.redirect("a/notes", shown + "\n")
    #expect(!shell.save())
  }
}
