import KDBX
import Testing
import Vault

@testable import VaultTree

@Suite struct WholeEntryTests {
  static func bytes(_ path: String) -> [UInt8] { Array(path.utf8) }

  static func paths(_ found: [[UInt8]]) -> [String] {
    found.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `an entry and a group go into the bin and back, with their numbers`() throws {
    let shell = Shell(try Samples.office())
    let numbers = (try shell.stat("mail").node, try shell.stat("mail/password").node)
    try shell.tree.removeWhole([Self.bytes("mail"), Self.bytes("office/vpn"), Self.bytes("office")])
    #expect(throws: TreeError.noEntry) { try shell.stat("mail") }
    #expect(try shell.cat("Recycle Bin/mail/PIN") == "4711")
    #expect(try shell.ls("Recycle Bin/office") == ["vpn"])
    #expect(try shell.stat("Recycle Bin/mail").node == numbers.0)
    let told = shell.invalidations.take()
    #expect(told.contains(.name(in: .root, Self.bytes("mail"))))
    #expect(shell.save())
    #expect(try shell.tree.restore(Self.bytes("mail"), to: nil) == Self.bytes("mail"))
    #expect(
      try shell.tree.restore(Self.bytes("Recycle Bin/office"), to: nil) == Self.bytes("office"))
    #expect(try shell.stat("mail").node == numbers.0)
    #expect(try shell.stat("mail/password").node == numbers.1)
    #expect(try shell.ls("Recycle Bin").isEmpty)
  }

  @Test func `pending edits go along, and their old version is made`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/password", "new\n")
    try shell.redirect("mail/Fresh", "x\n")
    try shell.tree.removeWhole([Self.bytes("mail")])
    #expect(try shell.cat("Recycle Bin/mail/Fresh") == "x")
    shell.save()
    let entry = try #require(shell.entry("mail"))
    #expect(shell.field("Password", of: entry) == "new")
    #expect(entry.historyCount == 1)
  }

  @Test func `where it lay is found in the vault after a new start`() throws {
    let shell = Shell(try Samples.office())
    try shell.tree.removeWhole([Self.bytes("office/vpn")])
    shell.save()
    let later = Shell(Vault(shell.document))
    #expect(
      try later.tree.restore(Self.bytes("vpn"), to: nil) == Self.bytes("office/vpn"))
  }

  @Test func `a plain removal is taken back too`() throws {
    let shell = Shell(try Samples.office())
    try shell.removeAll("mail")
    #expect(try shell.tree.restore(Self.bytes("mail"), to: nil) == Self.bytes("mail"))
    #expect(try shell.cat("mail/PIN") == "4711")
  }

  @Test func `what is in the bin goes for good, all or what is old`() throws {
    let shell = Shell(try Samples.office())
    try shell.tree.removeWhole([Self.bytes("mail")])
    let before = TreeState.vaultTime(shell.clock.now)
    shell.clock.advance(seconds: 10)
    try shell.tree.removeWhole([Self.bytes("office")])
    let limit = VaultTime(unixSeconds: before.unixSeconds + 5)
    let dry = try shell.tree.purge([], before: limit, isDryRun: true)
    #expect(Self.paths(dry) == ["Recycle Bin/mail"])
    #expect(try shell.ls("Recycle Bin").count == 2)
    let old = try shell.tree.purge([], before: limit, isDryRun: false)
    #expect(Self.paths(old) == ["Recycle Bin/mail"])
    #expect(try shell.ls("Recycle Bin") == ["office"])
    #expect(throws: WholeEntryError.at(Self.bytes("plain"), .notInBin)) {
      try shell.tree.purge([Self.bytes("plain")], before: nil, isDryRun: false)
    }
    let rest = try shell.tree.purge([Self.bytes("office")], before: nil, isDryRun: false)
    #expect(Self.paths(rest) == ["Recycle Bin/office"])
    shell.save()
    #expect(shell.entry("mail") == nil)
  }

  @Test func `an entry is given its saved state back`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: WholeEntryError.at(Self.bytes("mail"), .unchanged)) {
      try shell.tree.revert(Self.bytes("mail"), saved: nil)
    }
    try shell.redirect("mail/password", "new\n")
    try shell.redirect("mail/Fresh", "x\n")
    try shell.unlink("mail/PIN")
    try shell.tree.revert(Self.bytes("mail"), saved: nil)
    #expect(try shell.cat("mail/password") == "mail-pw-1")
    #expect(try shell.cat("mail/PIN") == "4711")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/Fresh") }
    #expect(throws: WholeEntryError.at(Self.bytes("mail"), .unchanged)) {
      try shell.tree.revert(Self.bytes("mail"), saved: nil)
    }
    try shell.mkdir("new")
    try shell.redirect("new/username", "u\n")
    #expect(throws: WholeEntryError.at(Self.bytes("new"), .isNew)) {
      try shell.tree.revert(Self.bytes("new"), saved: nil)
    }
  }

  @Test func `a look at what waits stores nothing`() throws {
    let shell = Shell(try Samples.office())
    let saved = shell.document
    #expect(try shell.tree.settledVault().changes(since: saved).isEmpty)
    try shell.redirect("mail/Fresh", "x\n")
    let waiting = try shell.tree.settledVault().changes(since: saved)
    #expect(waiting.map(\.parts) == [["Fresh"]])
    let entry = try #require(shell.entry("mail"))
    #expect(shell.field("Fresh", of: entry) == nil)
  }

  @Test func `what waits is a new directory too, and a changed protection`() throws {
    let shell = Shell(try Samples.office())
    let saved = shell.document
    try shell.mkdir("Empty")
    try shell.mkdir("Empty/below")
    try shell.tree.setExtendedAttribute(
      Array("user.kdbx.protected".utf8), of: shell.node("mail/username"), to: [0x31])
    let waiting = try shell.tree.settledVault().changes(since: saved)
    let paths = waiting.map { $0.path.map { String(decoding: $0, as: UTF8.self) } }
    #expect(paths == [["Empty"], ["Empty", "below"], ["mail"]])
    #expect(waiting.map(\.kind) == [.added, .added, .changed])
    #expect(waiting[2].parts == ["username"])
    // Nothing was decided by the look: it may still become an entry.
    try shell.redirect("Empty/below/username", "u\n")
    #expect(shell.entry("below") != nil)
  }

  @Test func `what is not there, or nothing whole, is refused`() throws {
    let shell = Shell(try Samples.office())
    for path in ["", "mail/password", "mail/attachments"] {
      #expect(throws: WholeEntryError.at(Self.bytes(path), .tree(.invalid))) {
        try shell.tree.removeWhole([Self.bytes(path)])
      }
    }
    #expect(throws: WholeEntryError.at(Self.bytes("nothing"), .tree(.noEntry))) {
      try shell.tree.removeWhole([Self.bytes("mail"), Self.bytes("nothing")])
    }
    #expect(try shell.cat("mail/PIN") == "4711")
    #expect(throws: WholeEntryError.at(Self.bytes("mail"), .notInBin)) {
      try shell.tree.restore(Self.bytes("mail"), to: nil)
    }
    try shell.tree.removeWhole([Self.bytes("mail")])
    #expect(throws: WholeEntryError.at(Self.bytes("Recycle Bin/mail"), .isInBin)) {
      try shell.tree.removeWhole([Self.bytes("Recycle Bin/mail")])
    }
    shell.tree.beginEnding()
    #expect(throws: WholeEntryError.tree(.readOnly)) {
      try shell.tree.restore(Self.bytes("mail"), to: nil)
    }
  }

  @Test func `entries are found where the tree shows them, until the vault is locked`() throws {
    let shell = Shell(try Samples.office())
    func found(_ words: String) throws -> [String] {
      Self.paths(try shell.tree.find(Self.bytes(words)).map(\.path))
    }
    #expect(try found("mail").first == "mail")
    try shell.rename("mail", "post office")
    #expect(try found("office") == ["post office"])
    try shell.tree.removeWhole([Self.bytes("post office")])
    #expect(try found("office").isEmpty)
    shell.tree.lock(keepingEdits: false)
    #expect(throws: TreeError.locked) { try found("mail") }
    #expect(throws: WholeEntryError.tree(.locked)) {
      try shell.tree.removeWhole([Self.bytes("mail")])
    }
  }
}
