import KDBX
import Testing
import Vault

@testable import VaultTree

@Suite struct CodeTests {
  static let secret = "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"

  static func shell(_ fields: [Fixture.Field] = [.init("otp", secret, protected: true)]) throws
    -> Shell
  {
    Shell(try Fixture.vault([.entry("uri", fields), .entry("none", [])]))
  }

  @Test func `the code stands beside its secret, and its size is exact`() throws {
    let shell = try Self.shell()
    #expect(
      try shell.ls("uri") == ["username", "password", "url", "notes", "totp", "otp"])
    let attributes = try shell.stat("uri/totp")
    #expect(attributes.size == 6)
    #expect(!attributes.unsettled)
    #expect(try shell.cat("uri/totp").count == 6)
    #expect(throws: TreeError.noEntry) { try shell.stat("none/totp") }
    #expect(throws: TreeError.noEntry) { try shell.stat("uri/hotp") }
  }

  /// The kernel keeps a code's attributes until it is told.
  @Test func `a secret that is edited tells of the size of its code`() throws {
    let shell = try Self.shell()
    let code = try shell.stat("uri/totp").node
    _ = shell.invalidations.take()
    try shell.redirect("uri/otp", Self.secret + "&digits=8\n")
    #expect(shell.invalidations.take().contains(.attributes(code)))
    #expect(try shell.stat("uri/totp").size == 8)
  }

  @Test func `one open gives one code, another open the next`() throws {
    let shell = try Self.shell()
    let handle = try shell.open("uri/totp", .read)
    let first = try shell.read(handle)
    shell.clock.advance(seconds: 90)
    #expect(try shell.read(handle) == first)
    #expect(try shell.cat("uri/totp") != first)
  }

  @Test func `a code that is written back is dropped`() throws {
    let shell = try Self.shell()
    try shell.redirect("uri/totp", "234567\n")
    #expect(try shell.cat("uri/otp") == Self.secret)
    #expect(throws: TreeError.invalid) { try shell.redirect("none/totp", "234567\n") }
    #expect(throws: TreeError.invalid) { try shell.redirect("uri/totp", "nonsense!\n") }
    #expect(throws: TreeError.noEntry) { try shell.stat("none/totp") }
    #expect(!shell.save())
  }

  @Test func `a key that is written sets the secret`() throws {
    let shell = try Self.shell()
    try shell.redirect("none/totp", "JBSWY3DPEHPK3PXP\n")
    #expect(try shell.cat("none/totp") == shell.cat("uri/totp"))
    #expect(try shell.ls("none").contains("otp"))
    shell.save()
    let otp = shell.entry("none")?.string(FieldKey.otp)
    #expect(otp?.isProtected == true)
    #expect(shell.field("otp", of: "none")?.hasPrefix("otpauth://totp/") == true)
    #expect(shell.entry("none")?.historyCount == 1)
  }

  @Test(arguments: [true, false])
  func `a secret comes back under a name that was removed`(isSavedBetween: Bool) throws {
    let shell = try Self.shell([
      .init("otp", Self.secret, protected: true), .init("PIN", "4711"), .init("TOTP Seed", "2345"),
    ])
    for name in ["otp", "PIN", "TOTP Seed"] { try shell.unlink("uri/\(name)") }
    if isSavedBetween { shell.save() }
    try shell.redirect("uri/totp", "GEZDGNBVGY3TQOJQ\n")
    #expect(try shell.ls("uri") == ["username", "password", "url", "notes", "totp", "otp"])
    let code = try shell.cat("uri/totp")
    shell.save()
    #expect(shell.field("otp", of: "uri")?.contains("secret=GEZDGNBVGY3TQOJQ") == true)
    #expect(shell.entry("uri")?.string(Array("PIN".utf8)) == nil)
    #expect(shell.entry("uri")?.string(Array("TOTP Seed".utf8)) == nil)
    #expect(try shell.cat("uri/totp") == code && code.count == 6)
  }

  @Test func `a secret comes back under a name that was moved aside`() throws {
    let shell = try Self.shell()
    try shell.rename("uri/otp", "uri/otp~")
    try shell.redirect("uri/totp", "GEZDGNBVGY3TQOJQ\n")
    #expect(try shell.cat("uri/otp").contains("GEZDGNBVGY3TQOJQ"))
    try shell.unlink("uri/otp~")
    shell.save()
    #expect(shell.field("otp", of: "uri")?.contains("secret=GEZDGNBVGY3TQOJQ") == true)
  }

  @Test func `removing a code changes nothing, removing its secret removes it`() throws {
    let shell = try Self.shell()
    try shell.unlink("uri/totp")
    #expect(try shell.cat("uri/totp").count == 6)
    #expect(!shell.save())
    try shell.unlink("uri/otp")
    #expect(throws: TreeError.noEntry) { try shell.stat("uri/totp") }
    try shell.unlink("uri/totp")
    #expect(throws: TreeError.noEntry) { try shell.unlink("uri/totp") }
    try shell.redirect("uri/otp", Self.secret + "\n")
    shell.save()
    #expect(try shell.cat("uri/totp").count == 6)
  }

  @Test func `tar removes a code until it makes way`() throws {
    let shell = try Self.shell()
    let code = try shell.cat("uri/totp")
    func extract() throws -> Bool {
      guard let handle = try? shell.open("uri/totp", [.write, .exclusive], create: true) else {
        try shell.unlink("uri/totp")
        return false
      }
      try shell.write(handle, code)
      try shell.close(handle)
      return true
    }
    let rounds = try (0..<5).first { _ in try extract() }
    #expect(rounds == 2)
    #expect(try shell.cat("uri/totp") == code)
    try shell.unlink("uri/totp")
    try shell.unlink("uri/totp")
    #expect(throws: TreeError.noEntry) { try shell.stat("uri/totp") }
    shell.clock.advance(seconds: 1)
    #expect(try shell.stat("uri/totp").size == 6)
    try shell.unlink("uri/totp")
    try shell.unlink("uri/totp")
    #expect(try shell.ls("uri").contains("totp"))
    #expect(!shell.save())
  }

  @Test func `a secret that gives no code says why`() throws {
    let shell = try Self.shell([.init("otp", "otpauth://totp/x?secret=")])
    #expect(throws: TreeError.noEntry) { try shell.stat("uri/totp") }
    let name = Array("user.kdbx.error".utf8)
    let tree = shell.tree
    #expect(try !tree.extendedAttribute(name, of: try shell.node("uri")).isEmpty)
    #expect(try !tree.extendedAttribute(name, of: try shell.node("uri/otp")).isEmpty)
    #expect(throws: TreeError.noData) {
      try tree.extendedAttribute(name, of: try shell.node("uri/url"))
    }
  }

  @Test func `a copied entry brings its secret, and its old code does no harm`() throws {
    let shell = try Self.shell()
    try shell.mkdir("copy")
    for name in try shell.ls("uri") {
      try shell.copy(try shell.bytes("uri/\(name)"), to: "copy/\(name)")
      try shell.chmod("copy/\(name)")
    }
    #expect(try shell.ls("copy") == shell.ls("uri"))
    #expect(try shell.cat("copy/totp") == shell.cat("uri/totp"))
    shell.save()
    #expect(try shell.cat("copy/totp") == shell.cat("uri/totp"))
    #expect(shell.field("otp", of: "copy") == Self.secret)
    #expect(!shell.keys(of: "copy").contains("totp"))
  }
}
