import KDBX
import Testing
import Vault

@testable import VaultTree

/// A merged vault under a tree that is in use.
@Suite struct MergingTests {
  /// What another program makes of a vault.
  private func edited(
    _ vault: Vault, _ change: (Shell) throws -> Void
  ) throws -> Document {
    let other = Shell(vault)
    other.clock.advance(seconds: 100)
    try change(other)
    _ = other.save()
    return other.tree.document()
  }

  private func start() throws -> (Shell, Vault) {
    let vault = try Samples.office()
    return (Shell(vault), vault)
  }

  @Test func `numbers and names stay, values follow, open files show what they showed`() throws {
    let (shell, vault) = try start()
    let nodes = try ["mail", "mail/password", "mail/Realm"].map { try shell.node($0) }
    let open = try shell.open("mail/password", .read)
    let theirs = try edited(vault) { other in
      try other.redirect("mail/password", "theirs\n")
      try other.redirect("mail/added", "new\n")
      try other.unlink("mail/Realm")
    }
    _ = shell.invalidations.take()
    let outcome = try shell.tree.merge(theirs, base: vault.document)
    #expect(!outcome.needsSave)
    #expect(try shell.cat("mail/password") == "theirs")
    #expect(try shell.read(open) == "mail-pw-1")
    #expect(try shell.cat("mail/added") == "new")
    #expect(throws: TreeError.noEntry) { try shell.node("mail/Realm") }
    #expect(try shell.node("mail") == nodes[0])
    #expect(try shell.node("mail/password") == nodes[1])
    let told = Set(shell.invalidations.take())
    #expect(told.contains(.attributes(nodes[1])))
    #expect(told.contains(.name(in: nodes[0], Array("Realm".utf8))))
    #expect(told.contains(.name(in: nodes[0], Array("added".utf8))))
    #expect(told.contains(.listing(nodes[0])))
    // Nothing to save: the file has it all.
    #expect(!shell.tree.pending.hasChanges)
    #expect(!shell.save())
  }

  @Test func `edits that weren't saved stay edits, with one old version`() throws {
    let (shell, vault) = try start()
    try shell.redirect("mail/url", "ours\n")
    let theirs = try edited(vault) { try $0.redirect("mail/password", "theirs\n") }
    let outcome = try shell.tree.merge(theirs, base: vault.document)
    #expect(outcome.needsSave)
    #expect(shell.wishes.take() > 0)
    #expect(try shell.cat("mail/url") == "ours")
    #expect(try shell.cat("mail/password") == "theirs")
    #expect(shell.save())
    let entry = try #require(shell.entry("mail"))
    #expect(entry.history.map { shell.field("Password", of: $0) } == ["mail-pw-1"])
    #expect(!shell.save())
    // Later edits are compared with the merged state.
    try shell.redirect("mail/url", "ours again\n")
    #expect(shell.save())
    let versions = try #require(shell.entry("mail")).history
    #expect(versions.map { shell.field("Password", of: $0) } == ["mail-pw-1", "theirs"])
  }

  @Test func `an edit that is taken back keeps what the merge brought`() throws {
    let (shell, vault) = try start()
    let url = try shell.cat("mail/url")
    try shell.redirect("mail/url", "ours\n")
    let theirs = try edited(vault) { try $0.redirect("mail/password", "theirs\n") }
    _ = try shell.tree.merge(theirs, base: vault.document)
    try shell.redirect("mail/url", url)
    _ = shell.save()
    #expect(try shell.cat("mail/password") == "theirs")
    let versions = try #require(shell.entry("mail")).history
    #expect(versions.map { shell.field("Password", of: $0) } == ["mail-pw-1"])
  }

  @Test func `what was removed there is gone here, open handles too`() throws {
    let (shell, vault) = try start()
    let open = try shell.open("mail/password", .read)
    let node = try shell.node("mail")
    var other = vault
    let id = try #require(vault.document.allEntries.first)
    try other.delete(.entry(id), at: VaultTime(unixSeconds: Fixture.time + 100))
    _ = shell.invalidations.take()
    let outcome = try shell.tree.merge(other.document, base: vault.document)
    #expect(!outcome.needsSave)
    #expect(throws: TreeError.noEntry) { try shell.node("mail") }
    #expect(try !shell.ls("").contains("mail"))
    #expect(try shell.read(open) == "mail-pw-1")
    #expect(throws: TreeError.self) { try shell.tree.attributes(of: node) }
    let told = Set(shell.invalidations.take())
    #expect(told.contains(.name(in: .root, Array("mail".utf8))))
    #expect(told.contains(.listing(.root)))
  }

  @Test func `a title that changed there is another name of the same node`() throws {
    let (shell, vault) = try start()
    let node = try shell.node("mail")
    let theirs = try edited(vault) { try $0.rename("mail", "post") }
    _ = shell.invalidations.take()
    _ = try shell.tree.merge(theirs, base: vault.document)
    #expect(try shell.node("post") == node)
    #expect(throws: TreeError.noEntry) { try shell.node("mail") }
    let told = Set(shell.invalidations.take())
    #expect(told.contains(.name(in: .root, Array("mail".utf8))))
    #expect(told.contains(.name(in: .root, Array("post".utf8))))
  }

  @Test func `newcomers move no one, and lie where they were put`() throws {
    let (shell, vault) = try start()
    let node = try shell.node("mail")
    let theirs = try edited(vault) { other in
      try other.mkdir("fresh")
      try other.mkdir("fresh/inner")
      try other.redirect("fresh/inner/password", "p\n")
      try other.rename("mail", "fresh/mail")
    }
    _ = try shell.ls("")
    _ = try shell.tree.merge(theirs, base: vault.document)
    #expect(try shell.cat("fresh/inner/password") == "p")
    #expect(try shell.node("fresh/mail") == node)
    #expect(throws: TreeError.noEntry) { try shell.node("mail") }
  }

  @Test func `a new name that waits to be stored meets one of theirs`() throws {
    let (shell, vault) = try start()
    try shell.redirect("mail/note", "ours\n")
    let theirs = try edited(vault) { try $0.redirect("mail/note", "theirs\n") }
    shell.clock.advance(seconds: 1000)
    _ = try shell.tree.merge(theirs, base: vault.document)
    #expect(shell.save())
    let entry = try #require(shell.entry("mail"))
    let values = (entry.history + [entry]).compactMap { shell.field("note", of: $0) }
    #expect(Set(values) == ["ours", "theirs"])
    #expect(try shell.cat("mail/note") == shell.field("note", of: entry))
  }

  @Test func `a field removed here that theirs changed later is there again`() throws {
    let (shell, vault) = try start()
    try shell.unlink("mail/Realm")
    let theirs = try edited(vault) { try $0.redirect("mail/Realm", "theirs\n") }
    _ = try shell.tree.merge(theirs, base: vault.document)
    #expect(try shell.cat("mail/Realm") == "theirs")
    _ = shell.save()
    #expect(shell.field("Realm", of: shell.entry("mail")) == "theirs")
  }

  @Test func `a handle with unsettled writes settles into what was merged`() throws {
    let (shell, vault) = try start()
    let handle = try shell.open("mail/url", [.write, .truncate])
    try shell.write(handle, "ours")
    let theirs = try edited(vault) { other in
      try other.redirect("mail/url", "theirs\n")
      try other.redirect("mail/password", "theirs\n")
    }
    _ = try shell.tree.merge(theirs, base: vault.document)
    try shell.close(handle)
    #expect(try shell.cat("mail/url") == "ours")
    #expect(try shell.cat("mail/password") == "theirs")
    #expect(shell.save())
    let versions = try #require(shell.entry("mail")).history
    #expect(versions.map { shell.field("URL", of: $0) }.contains("theirs"))
  }
}
