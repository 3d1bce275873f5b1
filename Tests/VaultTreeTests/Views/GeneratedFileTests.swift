import Testing
import Vault

@testable import VaultTree

@Suite struct GeneratedFileTests {
  static func shell() throws -> Shell {
    Shell(try Fixture.vault([.entry("mail", [.init("Password", "old")], uuid: 0xA)]))
  }

  static let folder = ".kdbxfs/generate/"

  @Test func `each open shows another password, of the size that was told`() throws {
    let shell = try Self.shell()
    let attributes = try shell.stat(Self.folder + "24")
    #expect(attributes.kind == .file)
    #expect(attributes.permissions == 0o400)
    #expect(attributes.size == 24)
    #expect(attributes.isView && attributes.unsettled)
    let first = try shell.open(Self.folder + "24", .read)
    let second = try shell.open(Self.folder + "24", .read)
    let shown = try shell.read(first)
    #expect(shown.utf8.count == 24)
    #expect(try shell.read(first) == shown)
    #expect(try shell.read(second) != shown)
    shell.tree.release(first)
    shell.tree.release(second)
  }

  /// `stat`, `open`, `fstat`, `read`, as `rsync` does it, which gives up where they differ.
  @Test func `words have the size that was told before and after the open`() throws {
    let shell = try Self.shell()
    var seen: Set<String> = []
    for _ in 0..<20 {
      let told = try shell.stat(Self.folder + "words").size
      let handle = try shell.open(Self.folder + "words", .read)
      let words = try shell.read(handle)
      #expect(words.utf8.count == told)
      #expect(try shell.stat(Self.folder + "words").size == told)
      #expect(words.split(separator: "-").count >= 6)
      #expect(seen.insert(words).inserted)
      shell.tree.release(handle)
    }
    let (one, other) = (
      try shell.open(Self.folder + "words", .read), try shell.open(Self.folder + "words", .read)
    )
    #expect(try shell.read(one) != (try shell.read(other)))
    shell.tree.release(one)
    shell.tree.release(other)
  }

  @Test(arguments: ["0", "01", "1025", "99999999999999999999", "-1", "+1", "1x", "", "word"])
  func `other names are no files`(name: String) throws {
    let shell = try Self.shell()
    #expect(throws: TreeError.noEntry) { try shell.stat(Self.folder + "x" + name) }
    if !name.isEmpty {
      #expect(throws: TreeError.noEntry) { try shell.stat(Self.folder + name) }
    }
  }

  @Test func `they are listed, and can't be changed`() throws {
    let shell = try Self.shell()
    #expect(try shell.ls(".kdbxfs/generate") == ["16", "24", "32", "words"])
    #expect(try shell.stat(Self.folder + "1").size == 1)
    #expect(try shell.stat(Self.folder + "1024").size == 1024)
    #expect(throws: TreeError.readOnlyFile) { try shell.open(Self.folder + "24", .write) }
    #expect(throws: TreeError.readOnlyFile) {
      try shell.open(Self.folder + "new", .write, create: true)
    }
    #expect(throws: TreeError.readOnlyFile) { try shell.unlink(Self.folder + "24") }
    #expect(throws: TreeError.readOnlyFile) { try shell.mkdir(Self.folder + "new") }
    #expect(throws: TreeError.readOnlyFile) {
      try shell.rename(Self.folder + "24", "mail/password")
    }
  }

  @Test func `a locked tree makes none`() throws {
    let shell = try Self.shell()
    let node = try shell.stat(Self.folder + "words").node
    shell.tree.lock(keepingEdits: false)
    #expect(throws: TreeError.locked) { try shell.tree.open(node, .read) }
  }
}
