import KDBX
import Testing
import Vault

@testable import VaultTree

/// The save methods of `docs/editing.md`, as the calls that each program makes.
@Suite struct EditorTests {
  typealias Method = @Sendable (Shell, String, String) throws -> Void

  struct Program: Sendable, CustomTestStringConvertible {
    let name: String
    let save: Method
    var testDescription: String { name }
  }

  /// Writes a new file whole and syncs it.
  static func write(
    _ shell: Shell, _ path: String, _ text: String, _ flags: OpenFlags = [.write, .truncate],
    sync: Bool = true
  ) throws {
    let handle = try shell.open(path, flags, create: true)
    try shell.write(handle, text)
    if sync { try shell.fsync(handle) }
    try shell.close(handle)
    try shell.chmod(path)
  }

  static func directory(_ path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/") + "/"
  }

  static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }

  /// vim's swap file, kept open while `body` runs.
  static func withSwap(_ shell: Shell, _ path: String, _ body: () throws -> Void) throws {
    let swap = directory(path) + "." + name(path) + ".swp"
    for probe in [swap, swap + "x"] {
      let handle = try shell.open(probe, [.read, .write, .exclusive], create: true)
      try shell.close(handle)
      try shell.unlink(probe)
    }
    let handle = try shell.open(swap, [.read, .write, .exclusive], create: true)
    for page in 0..<3 {
      try shell.write(
        handle, "b0VIM\0" + String(repeating: "secret", count: 600), at: page * 4096)
      try shell.fsync(handle)
    }
    let probe = try shell.open(directory(path) + "4913", [.write, .exclusive], create: true)
    try shell.close(probe)
    try shell.chmod(directory(path) + "4913")
    try shell.unlink(directory(path) + "4913")
    try body()
    try shell.close(handle)
    try shell.unlink(swap)
  }

  static let programs = [
    Program(name: "echo >") { shell, path, text in try shell.redirect(path, text) },
    Program(name: "two commands in one redirection") { shell, path, text in
      let handle = try shell.open(path, [.write, .truncate], create: true)
      try shell.tree.flush(handle)
      let middle = text.index(text.startIndex, offsetBy: 3)
      let count = try shell.write(handle, String(text[..<middle]))
      try shell.tree.flush(handle)
      try shell.write(handle, String(text[middle...]), at: count)
      try shell.close(handle)
    },
    Program(name: "tee, dd, ed") { shell, path, text in try write(shell, path, text, sync: false) },
    Program(name: "nano") { shell, path, text in
      let lock = directory(path) + "." + name(path) + ".swp"
      try shell.close(try shell.open(lock, [.write, .exclusive], create: true))
      try shell.unlink(lock)
      try write(shell, path, text)
    },
    Program(name: "nano -B") { shell, path, text in
      let old = try shell.cat(path)
      try write(shell, path + "~", old, [.write, .truncate])
      try write(shell, path, text)
    },
    Program(name: "vim, backup by renaming") { shell, path, text in
      try withSwap(shell, path) {
        try shell.rename(path, path + "~")
        #expect(throws: TreeError.noEntry) { try shell.stat(path) }
        try write(shell, path, text, [.write, .truncate])
        try shell.unlink(path + "~")
      }
    },
    Program(name: "vim, in place") { shell, path, text in
      try withSwap(shell, path) {
        let handle = try shell.open(path, [.write], create: true)
        _ = try shell.tree.setAttributes(
          of: try shell.node(path), handle: handle, AttributeChange(size: 0))
        try shell.write(handle, text)
        try shell.fsync(handle)
        try shell.close(handle)
      }
    },
    Program(name: "neovim, backup") { shell, path, text in
      let probe = directory(path) + "4913"
      try shell.close(try shell.open(probe, [.write, .exclusive], create: true))
      try shell.unlink(probe)
      try shell.rename(path, path + "~")
      try write(shell, path, text, [.write, .truncate], sync: false)
      try shell.unlink(path + "~")
    },
    Program(name: "emacs, backup kept") { shell, path, text in
      let lock = directory(path) + ".#" + name(path)
      try shell.symlink("sam@host.1234:1", lock)
      try write(shell, directory(path) + "#" + name(path) + "#", text, sync: false)
      try shell.rename(path, path + "~")
      let handle = try shell.open(path, [.write, .truncate], create: true)
      try shell.write(handle, String(text.prefix(1)))
      try shell.write(handle, String(text.dropFirst()), at: 1)
      try shell.fsync(handle)
      try shell.close(handle)
      try shell.close(try shell.open(path, .write))
      try shell.chmod(path)
      try shell.unlink(directory(path) + "#" + name(path) + "#")
      try shell.unlink(lock)
    },
    Program(name: "emacs, twice") { shell, path, text in
      for value in ["between\n", text] {
        try shell.rename(path, path + "~")
        try write(shell, path, value)
      }
    },
    Program(name: "joe") { shell, path, text in
      try write(shell, path + "~", try shell.cat(path), sync: false)
      let handle = try shell.open(path, [.write, .truncate], create: true)
      try shell.write(handle, String(text.prefix(2)))
      try shell.write(handle, String(text.dropFirst(2)), at: 2)
      try shell.close(handle)
    },
    Program(name: "sed -i") { shell, path, text in
      let temporary = directory(path) + "sedAb3dEf"
      let handle = try shell.open(temporary, [.read, .write, .exclusive], create: true)
      try shell.write(handle, text)
      try shell.close(handle)
      try shell.rename(temporary, path)
    },
    Program(name: "sed -i.bak") { shell, path, text in
      let temporary = directory(path) + "sed9b3dEf"
      let handle = try shell.open(temporary, [.read, .write, .exclusive], create: true)
      try shell.write(handle, text)
      try shell.close(handle)
      try shell.rename(path, path + ".bak")
      try shell.rename(temporary, path)
    },
    Program(name: "perl -i") { shell, path, text in
      let temporary = directory(path) + "XXabc1ef"
      let handle = try shell.open(temporary, [.read, .write, .exclusive], create: true)
      try shell.write(handle, text)
      try shell.rename(temporary, path)
      try shell.close(handle)
    },
    Program(name: "Python, atomic replace") { shell, path, text in
      let temporary = directory(path) + "tmpq3_x7abc"
      let handle = try shell.open(temporary, [.read, .write, .exclusive], create: true)
      try shell.write(handle, text)
      try shell.fsync(handle)
      try shell.close(handle)
      try shell.rename(temporary, path)
    },
    Program(name: "patch") { shell, path, text in
      let temporary = path + ".oQ1w2E3"
      try write(shell, temporary, text, [.write, .exclusive], sync: false)
      try shell.rename(temporary, path)
    },
    Program(name: "rsync") { shell, path, text in
      let temporary = directory(path) + "." + name(path) + ".kX2f9Q"
      try write(shell, temporary, text, [.write, .exclusive], sync: false)
      try shell.rename(temporary, path)
      try shell.chmod(path)
    },
    Program(name: "rsync --inplace") { shell, path, text in
      let handle = try shell.open(path, [.write], create: true)
      try shell.write(handle, text)
      _ = try shell.tree.setAttributes(
        of: try shell.node(path), handle: handle, AttributeChange(size: text.utf8.count))
      try shell.close(handle)
    },
    Program(name: "GIO") { shell, path, text in
      let temporary = directory(path) + ".goutputstream-A1B2C3"
      try write(shell, temporary, text, [.write, .exclusive])
      #expect(throws: TreeError.notPermitted) { try shell.link(path, path + "~") }
      try shell.rename(temporary, path)
    },
    Program(name: "cp") { shell, path, text in try shell.copy(Array(text.utf8), to: path) },
    Program(name: "mv from elsewhere, install") { shell, path, text in
      try shell.unlink(path)
      try write(shell, path, text, [.write, .exclusive], sync: false)
    },
    Program(name: "mv from inside") { shell, path, text in
      let other = directory(path) + "draft"
      try shell.redirect(other, text)
      #expect(throws: TreeError.exists) { try shell.rename(other, path, .noReplace) }
      try shell.rename(other, path)
    },
    Program(name: "truncate, then append") { shell, path, text in
      try shell.truncate(path, to: 0)
      try shell.redirect(path, text, append: true)
    },
    Program(name: "rm, then create") { shell, path, text in
      try shell.unlink(path)
      try shell.redirect(path, text)
    },
  ]

  static let fields = ["url", "password", "notes", "PIN", "Realm"]

  private static func key(of field: String) -> String {
    ["url": "URL", "password": "Password", "notes": "Notes"][field] ?? field
  }

  @Test(arguments: programs, fields)
  func `a save leaves the new text, one old version, and nothing else`(
    program: Program, field: String
  ) throws {
    let shell = Shell(try Samples.office())
    let before = try #require(shell.entry("mail"))
    let keys = shell.keys(of: "mail")
    let old = shell.field(Self.key(of: field), of: "mail")
    try program.save(shell, "mail/\(field)", "new value\n")
    #expect(try shell.cat("mail/\(field)") == "new value")
    shell.save(.unmount)
    let after = try #require(shell.entry("mail"))
    #expect(shell.field(Self.key(of: field), of: "mail") == "new value")
    #expect(after.historyCount == 1)
    #expect(shell.field(Self.key(of: field), of: after.history.last) == old)
    #expect(shell.keys(of: "mail") == keys)
    #expect(after.strings.map(\.isProtected) == before.strings.map(\.isProtected))
    for key in keys where key != Self.key(of: field) {
      #expect(shell.field(key, of: after) == shell.field(key, of: before))
    }
    #expect(after.attachments == before.attachments)
    #expect(after.tags == before.tags)
  }

  @Test(arguments: programs)
  func `the same with an attachment`(program: Program) throws {
    let shell = Shell(try Samples.office())
    let path = "mail/attachments/key.txt"
    try program.save(shell, path, "new value\n")
    let isRetained = program.name != "truncate, then append"
    #expect(isRetained ? try shell.cat(path) == "new value\n" : true)
    shell.save(.unmount)
    let entry = try #require(shell.entry("mail"))
    #expect(entry.attachments.map(\.name) == [Array("key.txt".utf8)])
    #expect(entry.historyCount == 1)
    #expect(try shell.remounted().cat(path) == "new value\n")
  }

  @Test(arguments: programs)
  func `saving what is there already is no change`(program: Program) throws {
    guard !["emacs, twice", "truncate, then append"].contains(program.name) else { return }
    let shell = Shell(try Samples.office())
    try program.save(shell, "mail/url", "https://mail.example.org\n")
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
    let entry = shell.entry("mail")
    shell.save(.unmount)
    #expect(shell.entry("mail")?.historyCount == 0)
    #expect(shell.field("URL", of: entry) == "https://mail.example.org")
    #expect(shell.entry("mail")?.times.lastModification?.unixSeconds == Fixture.time)
  }

  @Test func `an editor killed between its renames loses nothing`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/password", "mail/password~")
    #expect(shell.tree.pending.hasVacatedFields)
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/password") }
    #expect(try !shell.ls("mail").contains("password"))
    #expect(!shell.save(.unmount))
    #expect(try shell.remounted().cat("mail/password") == "mail-pw-1")
  }

  @Test(arguments: ["mail/new", "mail/attachments/new"])
  func `one killed with a file that was never saved loses nothing either`(path: String) throws {
    let shell = Shell(try Samples.office())
    try shell.redirect(path, "first text\n")
    try shell.rename(path, path + "~")
    #expect(throws: TreeError.noEntry) { try shell.cat(path) }
    let after = shell.remounted()
    #expect(try after.cat(path).hasPrefix("first text"))
    #expect(after.entry("mail")?.historyCount == 1)
  }

  @Test func `one killed after it made the new file loses nothing either`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/PIN", "mail/PIN~")
    _ = try shell.open("mail/PIN", [.write, .exclusive], create: true)
    #expect(try shell.cat("mail/PIN") == "")
    #expect(try shell.cat("mail/PIN~") == "4711")
    shell.save(.unmount)
    #expect(shell.field("PIN", of: "mail") == "4711")
  }

  @Test func `an editor that takes its backup back has changed nothing`() throws {
    let shell = Shell(try Samples.office())
    let node = try shell.stat("mail/PIN").node
    try shell.rename("mail/PIN", "mail/PIN~")
    try shell.rename("mail/PIN~", "mail/PIN")
    #expect(try shell.cat("mail/PIN") == "4711")
    #expect(try shell.stat("mail/PIN").node == node)
    #expect(!shell.tree.pending.hasVacatedFields)
    #expect(!shell.save(.unmount))
  }

  @Test func `a field whose backup is removed is removed`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/PIN", "mail/PIN~")
    try shell.unlink("mail/PIN~")
    shell.save()
    #expect(!shell.keys(of: "mail").contains("PIN"))
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `saves between the steps make one old version`() throws {
    let shell = Shell(try Samples.office())
    try shell.rename("mail/notes", "mail/notes~")
    #expect(!shell.save(.autosave))
    let handle = try shell.open("mail/notes", [.write, .exclusive], create: true)
    #expect(!shell.save(.autosave))
    try shell.write(handle, "edited\n")
    #expect(!shell.save(.autosave))
    try shell.fsync(handle)
    try shell.close(handle)
    #expect(!shell.save(.autosave))
    try shell.unlink("mail/notes~")
    #expect(!shell.save(.unmount))
    #expect(shell.field("Notes", of: "mail") == "edited")
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `temporary files are gone at the next mount`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url~", "old secret\n")
    try shell.symlink("me@here", "mail/.#url")
    #expect(try shell.ls("mail").suffix(2) == ["url~", ".#url"])
    #expect(shell.tree.pending.scratchCount == 2)
    #expect(!shell.save(.unmount))
    #expect(try shell.remounted().ls("mail").count == 8)
  }
}
