import KDBX
import Testing

@testable import VaultTree

@Suite struct SoughtNamesTests {
  static func swap(_ shell: Shell, _ path: String) throws -> HandleID {
    let swap = try shell.open(path, [.read, .write, .exclusive], create: true)
    try shell.write(swap, "b0VIM 9.0\0\u{1}")
    try shell.fsync(swap)
    return swap
  }

  @Test(arguments: ["mail/", "mail/attachments/", "made/"])
  func `vim edits a file that isn't there yet`(directory: String) throws {
    let shell = Shell(try Samples.office())
    try shell.mkdir("made")
    #expect(throws: TreeError.noEntry) { try shell.stat(directory + "new") }
    let swap = try Self.swap(shell, directory + ".new.swp")
    shell.save()
    try shell.redirect(directory + "new", "text\n")
    try shell.close(swap)
    shell.save()
    try shell.unlink(directory + ".new.swp")
    #expect(try shell.cat(directory + "new").hasPrefix("text"))
    let after = shell.remounted()
    #expect(!(try after.ls(String(directory.dropLast())).contains { $0.hasSuffix(".swp") }))
    #expect(try after.cat(directory + "new").hasPrefix("text"))
    let title = directory.prefix { $0 != "/" }
    #expect(after.entry(String(title))?.historyCount == (title == "made" ? 0 : 1))
  }

  @Test func `emacs saves by itself a file that isn't there yet`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/new") }
    try shell.symlink("me@host.1", "mail/.#new")
    try shell.redirect("mail/#new#", "half of it\n")
    shell.save()
    #expect(shell.keys(of: "mail").filter { $0.contains("new") } == [])
  }

  @Test func `nobody asked for it, or long ago: it is the user's`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/#mine#", "text\n")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/old") }
    #expect(throws: TreeError.noEntry) { try shell.stat("plain/other") }
    shell.clock.advance(seconds: 601)
    try shell.redirect("mail/#old#", "text\n")
    try shell.redirect("mail/#other#", "text\n")
    shell.save()
    #expect(
      shell.keys(of: "mail").filter { $0.hasPrefix("#") } == ["#mine#", "#old#", "#other#"])
  }

  @Test func `only a few names are kept in mind`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/first") }
    for number in 1...8 {
      #expect(throws: TreeError.noEntry) { try shell.stat("mail/other\(number)") }
    }
    try shell.redirect("mail/#first#", "text\n")
    try shell.redirect("mail/#other8#", "text\n")
    shell.save()
    #expect(shell.keys(of: "mail").filter { $0.hasPrefix("#") } == ["#first#"])
  }
}
