import Testing
import Vault

@testable import VaultTree

/// The log of reads and writes.
@Suite struct AccessLogTests {
  static func vault() throws -> Vault {
    try Fixture.vault(
      [
        .entry(
          "mail",
          [.init("Password", "pw", protected: true), .init("PIN", "4711"), .init("URL", "u")],
          uuid: 0x50, attachments: [("key", 0)]),
        .group("office", [.entry("vpn", [.init("Password", "x")], uuid: 0x52)], uuid: 0x51),
      ], binaries: [[1, 2, 3]])
  }

  /// A shell whose calls come from a thread with this number; its process has the same, and is called `pN`.
  static func shell(_ number: Int32 = 7) throws -> Shell {
    let shell = Shell(try vault()) { options in
      options.identify = { origin in
        Accessor(
          .init(number: origin.thread, name: "p\(origin.thread)"),
          parents: [.init(number: 1, name: "init")], user: origin.user)
      }
    }
    shell.origin = RequestOrigin(thread: number, user: 1000)
    return shell
  }

  /// The lines as `action path`, with a count from two on.
  private func lines(_ shell: Shell) throws -> [String] {
    try shell.tree.accessRows().rows.map { row in
      let path = row.path.map { String(decoding: $0, as: UTF8.self) } ?? "(gone)"
      return "\(row.action) \(path)" + (row.count > 1 ? " \(row.count)" : "")
    }
  }

  @Test func `a read is an open file that is read, whatever the number of pieces`() throws {
    let shell = try Self.shell()
    let handle = try shell.open("mail/password", .read)
    #expect(try lines(shell) == [])
    _ = try shell.read(handle)
    _ = try shell.read(handle)
    shell.tree.release(handle)
    #expect(try lines(shell) == ["read mail/password"])
    _ = try shell.cat("mail/PIN")
    _ = try shell.cat("mail/attachments/key")
    _ = try shell.cat("mail/.json")
    _ = try shell.stat("mail/url")
    _ = try shell.ls("mail")
    #expect(
      try lines(shell).dropFirst() == [
        "read mail/PIN", "read mail/attachments/key", "read mail/.json",
      ])
    let row = try #require(try shell.tree.accessRows().rows.first)
    #expect(row.accessor.process.title == "p7 (7)")
    #expect(row.accessor.parents.map(\.name) == ["init"] && row.accessor.user == 1000)
  }

  @Test func `another reader of the same handle has a line of its own`() throws {
    let shell = try Self.shell()
    let handle = try shell.open("mail/password", .read)
    _ = try shell.read(handle)
    shell.origin = RequestOrigin(thread: 8, user: 1000)
    _ = try shell.read(handle)
    #expect(try shell.tree.accessRows().rows.map(\.accessor.process.number) == [7, 8])
  }

  @Test func `a write is a change that came to be`() throws {
    let shell = try Self.shell()
    try shell.redirect("mail/password", "new")
    try shell.redirect("mail/password", "new")
    #expect(try lines(shell) == ["write mail/password"])
    try shell.truncate("mail/PIN", to: 2)
    try shell.redirect("mail/fresh", "a")
    #expect(try lines(shell).dropFirst() == ["write mail/PIN", "write mail/fresh"])
    #expect(throws: TreeError.illegalSequence) {
      let handle = try shell.open("mail/url", [.write, .truncate])
      defer { shell.tree.release(handle) }
      _ = try shell.tree.write(
        handle, at: 0, [0xFF, 0xFE].span, append: false, by: shell.origin)
      try shell.tree.flush(handle)
    }
    #expect(try lines(shell).count == 3)
  }

  @Test func `an editor that writes beside and renames has written`() throws {
    let shell = try Self.shell()
    let handle = try shell.open("mail/sedAb3_xY", [.write, .exclusive], create: true)
    try shell.write(handle, "new")
    try shell.close(handle)
    try shell.rename("mail/sedAb3_xY", "mail/password")
    #expect(try lines(shell) == ["write mail/password"])
    // What is moved aside can be read there unseen: the move is told.
    try shell.rename("mail/PIN", "mail/PIN~")
    #expect(try lines(shell).last == "move mail/PIN")
  }

  @Test func `removals and moves are told with the path that leads there now`() throws {
    let shell = try Self.shell()
    try shell.unlink("mail/PIN")
    _ = try shell.cat("mail/url")
    try shell.rename("mail", "office/post")
    for name in try shell.ls("office/vpn") { try shell.unlink("office/vpn/" + name) }
    try shell.rmdir("office/vpn")
    #expect(
      try lines(shell).prefix(3) == [
        "remove office/post/PIN", "read office/post/url", "move office/post",
      ])
    // Without a recycle bin it is gone for good.
    #expect(try lines(shell).last == "remove (gone)")
  }

  @Test func `the same soon again is counted, and only the newest lines are kept`() throws {
    let shell = try Self.shell()
    let one = Accessor(.init(number: 1, name: "a"), parents: [], user: 0)
    shell.tree.locked { state in
      for _ in 0..<3 {
        for key in ["PIN", "other"] {
          let subject = AccessSubject(owner: 1, part: .item(.field(Array(key.utf8))))
          state.note(.read, subject, by: one)
        }
      }
      #expect(state.log.records.map(\.count) == [3, 3])
      for number in 0..<AccessLog.limit + 5 {
        state.note(.read, AccessSubject(owner: UInt64(number), part: .whole), by: one)
      }
      #expect(state.log.records.count == AccessLog.limit && state.log.dropped == 7)
      #expect(state.log.records.first?.subject.owner == 5)
      #expect(state.log.records.last?.subject.owner == UInt64(AccessLog.limit + 4))
    }
  }

  @Test func `a lock keeps the lines and no name in them, an unlock finds the names again`() throws
  {
    let shell = try Self.shell()
    _ = try shell.cat("mail/PIN")
    _ = try shell.cat("mail/password")
    _ = try shell.cat("mail/attachments/key")
    let before = try lines(shell)
    shell.tree.lock(keepingEdits: false)
    #expect(throws: TreeError.locked) { try shell.tree.accessRows() }
    shell.tree.locked { state in
      for record in state.log.records {
        guard case .item(let key) = record.subject.part else { continue }
        #expect(key == .field(FieldKey.password))
      }
      #expect(state.log.records.count == 3 && state.logText == nil)
    }
    shell.tree.unlock(try Self.vault())
    #expect(try lines(shell) == before)
    #expect(before == ["read mail/PIN", "read mail/password", "read mail/attachments/key"])
  }

  @Test func `the file has the size that was told, and is no line of itself`() throws {
    let shell = try Self.shell()
    #expect(try shell.cat(".kdbxfs/log") == "")
    _ = try shell.cat("mail/password")
    let told = try shell.stat(".kdbxfs/log")
    #expect(told.permissions == 0o400 && told.unsettled)
    let text = try shell.cat(".kdbxfs/log")
    #expect(text.utf8.count == told.size)
    #expect(text.hasSuffix("Z\tread\t1\tmail/password\tp7 (7) < init (1)\t1000\n"))
    #expect(try shell.cat(".kdbxfs/log") == text)
    #expect(throws: TreeError.readOnlyFile) { try shell.open(".kdbxfs/log", .write) }
    #expect(throws: TreeError.readOnlyFile) { try shell.unlink(".kdbxfs/log") }
    #expect(!VaultTree.countsAsUse(told.node))
    #expect(VaultTree.countsAsUse(try shell.node("mail/password")))
  }
}
