import KDBX
import Platform
import Synchronization
import Testing
import VaultTree

@testable import Session

/// What other programs do to the vault's file while a session has it open.
@Suite(.timeLimit(.minutes(2))) struct OutsideChangesTests {
  static let old = VaultSessionTests.old
  static let new = VaultSessionTests.new
  static let notes = "Internet/GitHub/notes"

  /// What another program makes of the vault, by a session of its own.
  static func bytes(
    _ vault: Path, _ fields: [String: String]
  ) throws -> [UInt8] {
    let other = try Rig(of: vault)
    for path in fields.keys.sorted() { try other.edit(path, fields[path] ?? "") }
    let failure = other.session.finish()
    #expect(failure == nil)
    return try contents(other.vault)
  }

  /// Puts bytes in the vault's place, as most programs do.
  static func replace(_ rig: Rig, with bytes: [UInt8]) throws {
    let aside = rig.folder.path.appending("aside")
    try rig.folder.write(bytes.span, to: aside)
    try Files.rename(aside, to: rig.vault)
  }

  static func saved(_ path: String, _ rig: Rig) throws -> String {
    try VaultTree(openVault(rig.vault), options: SessionOptions(), isReadOnly: true).text(path)
  }

  @Test func `a save takes in what another program wrote`() throws {
    let rig = try Rig()
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    try rig.edit(Self.new)
    try Self.replace(rig, with: theirs)
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == Self.new)
    #expect(try Self.saved(Self.notes, rig) == "theirs")
    #expect(try rig.session.tree.text(Self.notes) == "theirs")
    #expect(rig.log.warnings.isEmpty)
    #expect(try rig.folder.names == ["vault.kdbx"])
    // Saved once, and the next save has nothing to do.
    let after = try contents(rig.vault)
    try rig.session.saveAndWait(.save)
    #expect(rig.session.finish() == nil)
    #expect(try contents(rig.vault) == after)
  }

  @Test func `the watcher takes it in when nothing waits, and writes nothing`() throws {
    let rig = try Rig()
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    try Self.replace(rig, with: theirs)
    #expect(try eventually { try rig.session.tree.text(Self.notes) == "theirs" })
    #expect(rig.session.finish() == nil)
    #expect(try contents(rig.vault) == theirs)
  }

  @Test func `a mount that only reads follows, too`() throws {
    let rig = try Rig(readOnly: true)
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    try Self.replace(rig, with: theirs)
    #expect(try eventually { try rig.session.tree.text(Self.notes) == "theirs" })
    #expect(rig.session.finish() == nil)
    #expect(try contents(rig.vault) == theirs)
  }

  @Test func `a file that is written in pieces is read when it is whole`() throws {
    let rig = try Rig()
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    do {
      let file = try Descriptor.open(rig.vault, [.write, .truncate])
      for start in stride(from: 0, to: theirs.count, by: 1000) {
        let piece = Array(theirs[start..<min(start + 1000, theirs.count)])
        try file.writeAll(piece.span)
        if start == 1000 {
          // Half there: neither taken for the vault nor for a stranger's.
          _ = try? poll([], milliseconds: 700)
          #expect(try rig.session.tree.text(Self.notes) != "theirs")
          #expect(rig.log.warnings.isEmpty)
        }
      }
    }
    #expect(try eventually { try rig.session.tree.text(Self.notes) == "theirs" })
    #expect(rig.log.warnings.isEmpty)
  }

  @Test func `a save waits for the rest of a file that is half there`() throws {
    let rig = try Rig()
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    try rig.edit(Self.new)
    let half = Array(theirs.prefix(2000))
    try rig.folder.write(half.span, to: rig.vault)
    let answer = Mutex<SessionError??>(nil)
    rig.session.save(.save) { failure in answer.withLock { $0 = .some(failure) } }
    _ = try? poll([], milliseconds: 700)
    #expect(answer.withLock { $0 == nil })
    try rig.folder.write(theirs.span, to: rig.vault)
    #expect(try eventually { answer.withLock { $0 != nil } })
    #expect(answer.withLock { $0 } == .some(nil))
    #expect(try rig.saved() == Self.new)
    #expect(try Self.saved(Self.notes, rig) == "theirs")
    #expect(try rig.folder.names == ["vault.kdbx"])
  }

  @Test func `a file that is removed and made anew is merged`() throws {
    let rig = try Rig()
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    try rig.edit(Self.new)
    try Files.remove(rig.vault)
    let answer = Mutex<SessionError??>(nil)
    rig.session.save(.save) { failure in answer.withLock { $0 = .some(failure) } }
    _ = try? poll([], milliseconds: 100)
    try rig.folder.write(theirs.span, to: rig.vault)
    #expect(try eventually { answer.withLock { $0 != nil } })
    #expect(answer.withLock { $0 } == .some(nil))
    #expect(try rig.saved() == Self.new)
    #expect(try Self.saved(Self.notes, rig) == "theirs")
    #expect(rig.log.warnings.isEmpty)
  }

  @Test func `a vault behind a link is watched where it lies`() throws {
    let rig = try Rig(behindLink: true)
    let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs"])
    try Self.replace(rig, with: theirs)
    #expect(try eventually { try rig.session.tree.text(Self.notes) == "theirs" })
    try rig.edit(Self.new)
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == Self.new)
    #expect(try Self.saved(Self.notes, rig) == "theirs")
  }

  @Test func `both sides changed one field: the later stands, the other is an old version`() throws
  {
    let rig = try Rig()
    let theirs = try Self.bytes(rig.vault, ["Internet/GitHub/url": "theirs"])
    // The times of edits are whole seconds.
    _ = try? poll([], milliseconds: 1100)
    try rig.edit(Self.new)
    try Self.replace(rig, with: theirs)
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == Self.new)
    let said = try #require(rig.log.warnings.first)
    #expect(said.contains("URL") && said.contains("ours stands"))
    #expect(!said.contains("GitHub") && !said.contains("example"))
    let opened = try openVault(rig.vault).document
    let history = opened.allEntries.map { opened.entry($0) }.flatMap(\.history)
    let urls = history.compactMap { $0.string(Array("URL".utf8)) }
      .map { String(decoding: opened.values.bytes(of: $0.value), as: UTF8.self) }
    #expect(urls.filter { $0 == "theirs" }.count == 1)
    #expect(urls.contains(Self.old))
  }

  @Test func `edits go on while a merge is made, and none is lost`() throws {
    let rig = try Rig { $0.autosaveAfter = 1_000_000 }
    let answers = Mutex(0)
    for round in 0..<4 {
      let theirs = try Self.bytes(rig.vault, [Self.notes: "theirs \(round)"])
      try Self.replace(rig, with: theirs)
      for count in 0..<20 {
        try rig.edit("https://\(round)-\(count)")
        rig.session.save(.fsync) { _ in answers.withLock { $0 += 1 } }
      }
      #expect(try eventually { answers.withLock { $0 } == (round + 1) * 20 })
      #expect(try rig.saved() == "https://\(round)-19")
      #expect(try Self.saved(Self.notes, rig) == "theirs \(round)")
    }
    #expect(rig.session.finish() == nil)
  }
}

/// A symbolic link.
func makeLink(_ target: Path, _ link: Path) throws {
  let command = ["ln", "-s", "--"].map { Array($0.utf8) } + [target.bytes, link.bytes]
  let nothing: [UInt8] = []
  _ = try Program.run(command, input: nothing.span, limit: 1)
}
