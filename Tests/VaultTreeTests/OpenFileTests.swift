import KDBX
import Secrets
import Testing
import Vault

@testable import VaultTree

/// Files that are open while their names go.
@Suite struct OpenFileTests {
  @Test(arguments: ["mail/username", "mail/PIN", "mail/attachments/key.txt"])
  func `an open file outlives its name`(path: String) throws {
    let shell = Shell(try Samples.office())
    let (node, value) = (try shell.node(path), try shell.cat(path))
    let handle = try shell.open(path, .read)
    try shell.unlink(path)
    shell.save()
    #expect(try shell.tree.attributes(of: node).size == value.utf8.count)
    #expect(try shell.tree.attributes(of: node).linkCount == 0)
    #expect(try shell.read(handle) == value)
    try shell.close(handle)
    #expect(throws: TreeError.noEntry) { try shell.tree.attributes(of: node) }
  }

  @Test func `the kernel is told of the size by a handle of a file that was replaced`() throws {
    let shell = Shell(try Samples.office())
    let old = try shell.node("mail/username")
    let handle = try shell.open("mail/username", .read)
    try shell.redirect("mail/username~", "another name, and longer")
    try shell.rename("mail/username~", "mail/username")
    #expect(try shell.tree.attributes(of: old).size == 15)
    #expect(try shell.stat("mail/username").size == 24)
    try shell.close(handle)
  }

  /// The kernel gives its reference back in its own time.
  @Test func `the room of a temporary file is there again once its last name has gone`() throws {
    let shell = Shell(try Samples.office())
    for name in ["mail/.url.swp", "mail/url~", "mail/url.bak"] {
      try shell.close(try shell.open(name, [.write], create: true))
      let (node, size) = (try shell.node(name), 40 << 20)
      shell.tree.reference([node])
      try shell.truncate(name, to: size)
      try shell.unlink(name)
      #expect(shell.tree.statistics().free == shell.tree.statistics().capacity)
      shell.tree.forget(node, count: 1)
    }
  }

  @Test func `a temporary file that is open keeps its room until it is closed`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/.url.swp", [.read, .write], create: true)
    try shell.write(handle, "still here")
    try shell.unlink("mail/.url.swp")
    #expect(try shell.read(handle) == "still here")
    #expect(shell.tree.statistics().free < shell.tree.statistics().capacity)
    try shell.close(handle)
    #expect(shell.tree.statistics().free == shell.tree.statistics().capacity)
  }
}
