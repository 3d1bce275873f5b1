import KDBX
import Testing
import Vault

@testable import VaultTree

@Suite struct SavingTests {
  @Test func `several edits of one save make one old version`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "new-1\n")
    shell.clock.advance(seconds: 1)
    try shell.redirect("mail/password", "new-2\n")
    try shell.redirect("mail/url", "u\n")
    try shell.unlink("mail/Realm")
    #expect(shell.save())
    let entry = try #require(shell.entry("mail"))
    #expect(entry.historyCount == 1)
    #expect(shell.field("Password", of: entry.history.last) == "mail-pw-1")
    #expect(shell.field("Realm", of: entry.history.last) == "corp")
    #expect(entry.times.lastModification?.unixSeconds == shell.clock.now.seconds)
    #expect(shell.entry("plain")?.historyCount == 0)
    #expect(!shell.save())
  }

  @Test func `an autosave adds no second version within a minute`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "1\n")
    #expect(shell.save(.autosave))
    shell.clock.advance(seconds: 59)
    try shell.redirect("mail/password", "2\n")
    #expect(shell.save(.fsync))
    #expect(shell.entry("mail")?.historyCount == 1)
    shell.clock.advance(seconds: 2)
    try shell.redirect("mail/password", "3\n")
    #expect(shell.save(.autosave))
    #expect(shell.entry("mail")?.historyCount == 2)
    #expect(shell.field("Password", of: shell.entry("mail")?.history.last) == "2")
    try shell.redirect("mail/password", "4\n")
    #expect(shell.save(.save))
    #expect(shell.entry("mail")?.historyCount == 3)
  }

  @Test(arguments: [SaveReason.save, .lock])
  func `what somebody asked to be saved is an old version at the next save`(asked: SaveReason)
    throws
  {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "1\n")
    #expect(shell.save(asked))
    try shell.redirect("mail/password", "2\n")
    #expect(shell.save(.autosave))
    try shell.redirect("mail/password", "3\n")
    #expect(shell.save(.autosave))
    let history = try #require(shell.entry("mail")).history
    #expect(history.map { shell.field("Password", of: $0) } == ["mail-pw-1", "1"])
  }

  @Test func `a state that is wanted even so is the same, and changes nothing`() throws {
    let shell = Shell(try Samples.office())
    #expect(shell.tree.prepareSave(.unmount) == nil)
    let before = shell.entry("mail")
    let prepared = try #require(shell.tree.prepareSave(.unmount, evenIfUnchanged: true))
    shell.tree.finishSave(prepared, succeeded: true)
    #expect(shell.entry("mail")?.historyCount == before?.historyCount)
    #expect(!shell.tree.pending.hasChanges)
  }

  @Test func `a save that fails leaves the edit, and its version is made once`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "1\n")
    for _ in 0..<3 {
      let prepared = try #require(shell.tree.prepareSave(.autosave))
      shell.tree.finishSave(prepared, succeeded: false)
      #expect(shell.tree.pending.hasChanges)
      try shell.redirect("mail/url", "again \(shell.clock.now.seconds)\n")
      shell.clock.advance(seconds: 100)
    }
    #expect(shell.save())
    let entry = try #require(shell.entry("mail"))
    #expect(entry.historyCount == 1)
    #expect(shell.field("Password", of: entry.history.last) == "mail-pw-1")
    #expect(!shell.tree.pending.hasChanges)
  }

  @Test func `what is changed back after a failed save is as it was`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url", "x\n")
    let prepared = try #require(shell.tree.prepareSave(.save))
    shell.tree.finishSave(prepared, succeeded: false)
    try shell.redirect("mail/url", "https://mail.example.org\n")
    #expect(!shell.save())
    #expect(shell.entry("mail")?.historyCount == 0)
    #expect(shell.entry("mail")?.times.lastModification?.unixSeconds == Fixture.time)
  }

  @Test func `an edit while a save runs stays for the next one`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "saved\n")
    let prepared = try #require(shell.tree.prepareSave(.save))
    try shell.redirect("mail/password", "later\n")
    try shell.rename("plain", "moved")
    shell.tree.finishSave(prepared, succeeded: true)
    let saved = prepared.document
    let old = try #require(
      saved.allEntries.map { saved.entry($0) }.first { $0.uuid == shell.entry("mail")?.uuid })
    #expect(shell.field("Password", of: old) == "saved")
    #expect(shell.save())
    let entry = try #require(shell.entry("mail"))
    #expect(entry.historyCount == 2)
    #expect(shell.field("Password", of: entry.history.last) == "saved")
    #expect(!shell.save())
  }

  @Test func `the limits of the vault trim, and the state from before this mount goes last`() throws
  {
    let shell = Shell(
      try Fixture.vault(
        [
          .entry(
            "busy", [.init("Password", "p0")],
            history: [[.init("Password", "h1")], [.init("Password", "h2")]])
        ], meta: "<HistoryMaxItems>2</HistoryMaxItems>"))
    for number in 1...4 {
      try shell.redirect("busy/password", "p\(number)\n")
      shell.clock.advance(seconds: 100)
      shell.save()
    }
    let entry = try #require(shell.entry("busy"))
    #expect(entry.history.map { shell.field("Password", of: $0) } == ["p0", "p3"])
  }

  @Test func `no more changes once the mount is ending`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url", [.write, .truncate])
    try shell.write(handle, "half")
    try shell.redirect("mail/password", "whole\n")
    shell.tree.beginEnding()
    #expect(throws: TreeError.readOnly) { try shell.tree.flush(handle) }
    #expect(throws: TreeError.readOnly) { try shell.redirect("mail/url", "x") }
    #expect(try shell.cat("mail/password") == "whole")
    shell.tree.release(handle)
    #expect(shell.save(.unmount))
    #expect(shell.field("URL", of: "mail") == "https://mail.example.org")
    #expect(shell.field("Password", of: "mail") == "whole")
  }

  @Test func `pending says what waits`() throws {
    let shell = Shell(try Samples.office())
    #expect(
      shell.tree.pending
        == PendingState(
          hasChanges: false, hasOpenWriters: false, hasVacatedFields: false, nextNewNameDue: nil,
          scratchCount: 0, scratchBytes: 0))
    try shell.redirect("mail/url~", "12345")
    #expect(shell.tree.pending.scratchBytes == 5)
    #expect(!shell.tree.pending.hasChanges)
    try shell.mkdir("undecided")
    #expect(shell.tree.pending.hasChanges)
  }

  @Test func `temporary files have their own room`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url~", [.write, .exclusive], create: true)
    #expect(throws: TreeError.noSpace) { try shell.write(handle, "x", at: 64 << 20) }
    #expect(throws: TreeError.noSpace) {
      _ = try shell.tree.setAttributes(
        of: try shell.node("mail/url~"), handle: handle, AttributeChange(size: (64 << 20) + 1))
    }
    #expect(shell.tree.pending.scratchBytes == 0)
    shell.tree.release(handle)
    #expect(shell.tree.statistics().free == shell.tree.statistics().capacity)
  }

  @Test func `references read resolved, and are kept where nothing else is written`() throws {
    let source = "4D7B760064BA2E9BF5884A6618A02D07"
    let shell = Shell(
      try Fixture.vault([
        .entry("source", [.init("Password", "pw-source", protected: true)], uuid: 0x4D7B7600),
        .entry(
          "clone",
          [
            .init("Password", "{REF:P@I:4D7B7600000000000000000000000000}", protected: true),
            .init("Notes", "{REF:P@I:\(source)}"),
          ]),
      ]))
    #expect(try shell.cat("clone/password") == "pw-source")
    #expect(try shell.stat("clone/password").size == 9)
    #expect(try shell.stat("clone/password").unsettled)
    #expect(try shell.cat("clone/notes") == "{REF:P@I:\(source)}")
    let raw = Array("user.kdbx.raw".utf8)
    #expect(
      try shell.tree.extendedAttribute(raw, of: try shell.node("clone/password"))
        == Array("{REF:P@I:4D7B7600000000000000000000000000}".utf8))
    #expect(throws: TreeError.noData) {
      try shell.tree.extendedAttribute(raw, of: try shell.node("clone/notes"))
    }
    try shell.redirect("source/password", "rotated\n")
    #expect(try shell.cat("clone/password") == "rotated")
    #expect(try shell.stat("clone/password").size == 7)
    try shell.redirect("clone/password", "rotated\n")
    shell.save()
    #expect(shell.entry("clone")?.historyCount == 0)
    #expect(shell.field("Password", of: "clone")?.hasPrefix("{REF") == true)
  }

  @Test func `extended attributes tell what has no file`() throws {
    let shell = Shell(try Samples.office())
    let tree = shell.tree
    func value(_ name: String, _ path: String) throws -> String {
      String(
        decoding: try tree.extendedAttribute(
          Array("user.kdbx.\(name)".utf8), of: try shell.node(path)), as: UTF8.self)
    }
    #expect(try value("uuid", "mail").count == 32)
    #expect(try value("created", "mail") == "1970-01-01T00:00:00Z")
    #expect(try value("protected", "mail/PIN") == "1")
    #expect(try value("protected", "mail/Realm") == "0")
    #expect(
      try tree.extendedAttributes(of: try shell.node("mail/Realm"))
        == [Array("user.kdbx.protected".utf8)])
    let protected = Array("user.kdbx.protected".utf8)
    try tree.setExtendedAttribute(protected, of: try shell.node("mail/Realm"), to: [0x31])
    #expect(try value("protected", "mail/Realm") == "1")
    #expect(throws: TreeError.invalid) {
      try tree.setExtendedAttribute(protected, of: try shell.node("mail/Realm"), to: [0x32])
    }
    for name in ["user.kdbx.uuid", "user.other", "system.posix_acl_access", "security.selinux"] {
      #expect(throws: TreeError.notSupported) {
        try tree.setExtendedAttribute(Array(name.utf8), of: try shell.node("mail/url"), to: [])
      }
    }
    #expect(throws: TreeError.notSupported) {
      try tree.extendedAttribute(Array("user.other".utf8), of: try shell.node("mail/url"))
    }
    shell.save()
    #expect(shell.entry("mail")?.string(Array("Realm".utf8))?.isProtected == true)
    #expect(shell.field("Realm", of: "mail") == "corp")
    #expect(shell.entry("mail")?.historyCount == 1)
  }
}
