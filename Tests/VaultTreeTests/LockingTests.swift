import Ciphers
import KDBX
import Secrets
import Testing
import Vault

@testable import VaultTree

/// What a lock hides, and what an unlock brings back.
@Suite struct LockingTests {
  /// A small vault; `change` puts other children into its root.
  private static func vault(
    group: String = "office", first: String = "mail", _ more: [Fixture.Node] = [],
    fields: [Fixture.Field] = [.init("A", "a"), .init("B", "b")], uuid: UInt64 = 0x50
  ) throws -> Vault {
    try Fixture.vault(
      [
        .entry(first, [.init("Password", "pw", protected: true)] + fields, uuid: uuid),
        .group(group, [.entry("vpn", [.init("Password", "vpn-pw")], uuid: 0x52)], uuid: 0x51),
      ] + more)
  }

  private func lookUp(_ shell: Shell, _ path: String) throws(TreeError) -> NodeID {
    var node = NodeID.root
    for name in path.split(separator: "/") {
      node = try shell.tree.lookup(Array(name.utf8), in: node).node
    }
    return node
  }

  /// Calls that a locked tree refuses, whatever they are about.
  @Test func `a locked tree refuses every call but two of the root`() throws {
    let shell = Shell(try Self.vault())
    let tree = shell.tree
    let file = try lookUp(shell, "mail/password")
    let handle = try tree.open(file, .read)
    let listing = try tree.openDirectory(.root)
    tree.lock(keepingEdits: false)
    var buffer = WipedBuffer()
    #expect(throws: TreeError.locked) { try tree.read(handle, at: 0, count: 9, into: &buffer) }
    #expect(throws: TreeError.locked) { try tree.list(listing) }
    #expect(throws: TreeError.locked) { try tree.open(file, .read) }
    #expect(throws: TreeError.locked) { try tree.openDirectory(.root) }
    #expect(throws: TreeError.locked) { try tree.attributes(of: file) }
    #expect(throws: TreeError.locked) { try tree.lookup(Array("other".utf8), in: .root) }
    #expect(throws: TreeError.locked) { try tree.makeDirectory(Array("new".utf8), in: .root) }
    #expect(throws: TreeError.locked) { try tree.remove(Array("url".utf8), in: file) }
    #expect(throws: TreeError.locked) { try tree.extendedAttributes(of: file) }
    #expect(try tree.attributes(of: .root).kind == .directory)
    #expect(tree.statistics().nameLength == 255)
    #expect(buffer.count == 0)
  }

  @Test func `a name that the kernel holds is answered with its number and nothing else`() throws {
    let shell = Shell(try Self.vault())
    let entry = try lookUp(shell, "mail")
    let file = try lookUp(shell, "mail/password")
    shell.tree.lock(keepingEdits: false)
    let found = try shell.tree.lookup(Array("mail".utf8), in: .root)
    #expect(found.node == entry && found.kind == .directory && found.unsettled)
    let inner = try shell.tree.lookup(Array("password".utf8), in: entry)
    #expect(inner.node == file && inner.kind == .file && inner.size == 0)
    shell.tree.forget(file, count: 2)
    #expect(throws: TreeError.locked) {
      try shell.tree.lookup(Array("password".utf8), in: entry)
    }
  }

  @Test func `what the kernel holds is told to be forgotten, and no name`() throws {
    let shell = Shell(try Self.vault())
    let node = try lookUp(shell, "mail/A")
    let entry = try lookUp(shell, "mail")
    _ = shell.invalidations.take()
    shell.tree.lock(keepingEdits: false)
    #expect(
      Set(shell.invalidations.take()) == [
        .everything(.root), .everything(entry), .everything(node),
      ])
  }

  @Test func `an unlock brings the same names and numbers back`() throws {
    let shell = Shell(try Self.vault())
    let paths = ["mail", "mail/password", "mail/A", "mail/B", "office", "office/vpn/password"]
    let before = try paths.map { try lookUp(shell, $0) }
    shell.tree.lock(keepingEdits: false)
    shell.tree.unlock(try Self.vault())
    #expect(try paths.map { try lookUp(shell, $0) } == before)
    #expect(try shell.cat("mail/password") == "pw")
    #expect(shell.invalidations.take().allSatisfy { if case .name = $0 { false } else { true } })
  }

  @Test func `numbers stay with their fields when a field came before them`() throws {
    let shell = Shell(try Self.vault())
    let b = try lookUp(shell, "mail/B")
    shell.tree.lock(keepingEdits: false)
    shell.tree.unlock(
      try Self.vault(fields: [.init("New", "n"), .init("A", "a"), .init("B", "b")]))
    #expect(try lookUp(shell, "mail/B") == b)
    #expect(try lookUp(shell, "mail/New") != b)
    #expect(try shell.cat("mail/B") == "b")
  }

  @Test func `an entry that was replaced gets a new number, and its name is told`() throws {
    let shell = Shell(try Self.vault())
    let old = try lookUp(shell, "mail")
    shell.tree.lock(keepingEdits: false)
    _ = shell.invalidations.take()
    shell.tree.unlock(try Self.vault(uuid: 0x99))
    #expect(
      shell.invalidations.take().contains(.name(in: .root, Array("mail".utf8))))
    #expect(try lookUp(shell, "mail") != old)
    // Who still has the old number is sent to look again.
    #expect(throws: TreeError.stale) { try shell.tree.attributes(of: old) }
    #expect(throws: TreeError.stale) { try shell.tree.openDirectory(old) }
  }

  @Test func `a name stays with its node when a twin came`() throws {
    let shell = Shell(try Self.vault())
    let mail = try lookUp(shell, "mail")
    shell.tree.lock(keepingEdits: false)
    // Made earlier than ours, so that a fresh mount would give it the plain name.
    shell.tree.unlock(try Self.vault([.entry("mail", [], uuid: 0x01, created: -100)]))
    #expect(try lookUp(shell, "mail") == mail)
    #expect(try shell.cat("mail/password") == "pw")
  }

  @Test func `what was renamed elsewhere can't be reached by the old name`() throws {
    let shell = Shell(try Self.vault())
    let office = try lookUp(shell, "office")
    shell.tree.lock(keepingEdits: false)
    shell.tree.unlock(try Self.vault(group: "bureau"))
    #expect(throws: TreeError.stale) { try shell.tree.attributes(of: office) }
    #expect(throws: TreeError.noEntry) { try lookUp(shell, "office") }
    #expect(try shell.cat("bureau/vpn/password") == "vpn-pw")
  }

  @Test func `handles from before a lock stay dead`() throws {
    let shell = Shell(try Self.vault())
    let node = try lookUp(shell, "mail/password")
    let reader = try shell.tree.open(node, .read)
    let writer = try shell.tree.open(node, .write)
    try shell.write(writer, "half")
    shell.tree.lock(keepingEdits: false)
    #expect(throws: TreeError.locked) { try shell.tree.flush(writer) }
    shell.tree.unlock(try Self.vault())
    var buffer = WipedBuffer()
    #expect(throws: TreeError.stale) {
      try shell.tree.read(reader, at: 0, count: 9, into: &buffer)
    }
    // Only who has lost something is told at the close.
    #expect(throws: TreeError.stale) { try shell.tree.flush(writer) }
    try shell.tree.flush(reader)
    shell.tree.release(reader)
    shell.tree.release(writer)
    #expect(try shell.cat("mail/password") == "pw")
    #expect(!shell.tree.pending.hasChanges)
  }

  @Test func `a lock refuses changes before its save, and not reading`() throws {
    let shell = Shell(try Self.vault())
    shell.tree.beginLocking()
    #expect(throws: TreeError.locked) { try shell.redirect("mail/url", "x") }
    #expect(try shell.cat("mail/password") == "pw")
  }

  @Test func `temporary files go, a field that was moved aside stays`() throws {
    let shell = Shell(try Self.vault())
    try shell.rename("mail/A", "mail/A~")
    #expect(shell.tree.pending.scratchCount == 1)
    shell.tree.lock(keepingEdits: true)
    #expect(shell.tree.pending.scratchCount == 0)
    shell.tree.reopen()
    #expect(try shell.cat("mail/A") == "a")
    #expect(throws: TreeError.noEntry) { try shell.cat("mail/A~") }
  }

  @Test func `edits that could not be saved are there again`() throws {
    let shell = Shell(try Self.vault())
    try shell.redirect("mail/url", "new")
    let node = try lookUp(shell, "mail/url")
    shell.tree.lock(keepingEdits: true)
    #expect(throws: TreeError.locked) { try shell.cat("mail/url") }
    #expect(try shell.tree.lookup(Array("mail".utf8), in: .root).size == 0)
    #expect(shell.tree.pending.hasChanges)
    shell.tree.reopen()
    #expect(try shell.cat("mail/url") == "new")
    #expect(try lookUp(shell, "mail/url") == node)
  }

  @Test func `an undecided directory that a lock made a group still becomes an entry`() throws {
    let shell = Shell(try Self.vault())
    _ = try shell.mkdir("new")
    let node = try lookUp(shell, "new")
    let save = try #require(shell.tree.prepareSave(.lock))
    shell.tree.finishSave(save, succeeded: true)
    shell.tree.lock(keepingEdits: false)
    shell.tree.unlock(Vault(save.document))
    #expect(try lookUp(shell, "new") == node)
    try shell.redirect("new/username", "user")
    #expect(try shell.cat("new/username") == "user")
  }

  @Test func `an open writer counts as use for its time`() throws {
    let shell = Shell(try Self.vault())
    #expect(shell.tree.writersCountUntil(limit: 100) == nil)
    let node = try lookUp(shell, "mail/url")
    let reader = try shell.tree.open(node, .read)
    #expect(shell.tree.writersCountUntil(limit: 100) == nil)
    let opened = shell.clock.monotonic
    let writer = try shell.tree.open(node, .write)
    #expect(shell.tree.writersCountUntil(limit: 100) == opened + 100)
    shell.tree.release(writer)
    shell.tree.release(reader)
    let temporary = try shell.open("mail/url~", .write, create: true)
    #expect(shell.tree.writersCountUntil(limit: 100) == nil)
    shell.tree.release(temporary)
  }
}
