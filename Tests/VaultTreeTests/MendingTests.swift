import KDBX
import Testing
import Vault

@testable import VaultTree

/// Faults in the file: kept, and mended in what is edited.
@Suite struct MendingTests {
  static func shell() throws -> Shell {
    Shell(
      try Fixture.vault([
        .entry("one", [.init("UserName", "1")], uuid: 0x11),
        .entry("two", [.init("UserName", "2")], uuid: 0x11, history: [[.init("UserName", "old")]]),
        .entry("three", [.init("UserName", "3")], uuid: 0x11),
      ]))
  }

  private func uuid(_ shell: Shell, _ title: String) throws -> VaultUUID {
    try #require(shell.entry(title)).uuid
  }

  @Test func `an edited entry gets a UUID of its own, with its old versions, and it is said`()
    throws
  {
    let shell = try Self.shell()
    let shared = try uuid(shell, "one")
    try shell.redirect("two/username", "new\n")
    let prepared = try #require(shell.tree.prepareSave(.save))
    #expect(prepared.mended == [.repeatedEntryUUID])
    shell.tree.finishSave(prepared, succeeded: true)
    let mended = try uuid(shell, "two")
    #expect(mended != shared)
    #expect(try uuid(shell, "one") == shared)
    #expect(try uuid(shell, "three") == shared)
    let two = try #require(shell.entry("two"))
    #expect(two.history.map(\.uuid) == [mended, mended])
    #expect(shell.field("UserName", of: "two") == "new")
    #expect(!shell.save())
  }

  @Test func `the first of them keeps its UUID, and nothing is said of it`() throws {
    let shell = try Self.shell()
    let shared = try uuid(shell, "one")
    try shell.redirect("one/username", "new\n")
    let prepared = try #require(shell.tree.prepareSave(.save))
    #expect(prepared.mended == [])
    shell.tree.finishSave(prepared, succeeded: true)
    #expect(try uuid(shell, "one") == shared)
  }

  @Test func `what isn't edited stays as it is`() throws {
    let shell = try Self.shell()
    try shell.mkdir("group")
    try shell.rename("two", "group/two")
    shell.save()
    #expect(try uuid(shell, "two") == uuid(shell, "one"))
  }
}
