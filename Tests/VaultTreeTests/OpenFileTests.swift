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
}
