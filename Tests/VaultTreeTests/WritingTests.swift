import KDBX
import Secrets
import Testing
import Vault

@testable import VaultTree

@Suite struct WritingTests {
  // MARK: - What a value is

  @Test(arguments: [
    ("new\n", "new"), ("new", "new"), ("a\nb\n", "a\nb\n"), ("a\nb", "a\nb"),
    ("two\n\n", "two\n\n"),
    ("\n", ""), ("\n\n", "\n\n"), ("", ""), ("\r\n", "\r"), ("tab\there\n", "tab\there"),
    ("\u{FEFF}x\n", "\u{FEFF}x"), ("漢字\n", "漢字"),
  ])
  func `one final line feed is dropped if it is the only one`(
    written: String, value: String
  ) throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url", written)
    #expect(try shell.cat("mail/url") == value)
    #expect(try shell.stat("mail/url").size == value.utf8.count)
  }

  @Test func `with -o exact what is written is the value`() throws {
    let shell = Shell(try Samples.office()) { $0.isExact = true }
    try shell.redirect("mail/url", "x\n")
    #expect(try shell.cat("mail/url") == "x\n")
    try shell.redirect("mail/username", "sam@example.org\n")
    #expect(try shell.cat("mail/username") == "sam@example.org\n")
  }

  @Test func `writing the value that is there, or it and a line feed, is no change`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/notes", "first\nsecond\n")
    try shell.redirect("mail/notes", "first\nsecond\n\n")
    try shell.redirect("mail/password", "mail-pw-1\n")
    try shell.redirect("mail/tags", "one\ntwo\n")
    #expect(!shell.save())
    #expect(shell.entry("mail")?.tags == Array("one;two".utf8))
  }

  @Test func `a value changed and changed back is no change`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url", "other\n")
    try shell.redirect("mail/url", "https://mail.example.org\n")
    #expect(!shell.save())
    let times = try #require(shell.entry("mail")).times
    #expect(times.lastModification?.unixSeconds == Fixture.time)
    #expect(times.usageCount == 3)
  }

  // MARK: - Where bytes land

  /// Writes at places, and what the value is then.
  struct Assembly: Sendable, CustomTestStringConvertible {
    let name: String
    let writes: [(Int, String)]
    var size: Int?
    let value: String?
    var testDescription: String { name }
  }

  static let assemblies = [
    Assembly(name: "in order", writes: [(0, "ab"), (2, "cd")], value: "abcd"),
    Assembly(name: "backwards", writes: [(2, "cd"), (0, "ab")], value: "abcd"),
    Assembly(name: "overlapping", writes: [(0, "abcd"), (1, "XX")], value: "aXXd"),
    Assembly(name: "over the end", writes: [(0, "ab"), (1, "XYZ")], value: "aXYZ"),
    Assembly(name: "a hole that stays", writes: [(0, "ab"), (3, "d")], value: nil),
    Assembly(name: "a hole that is filled", writes: [(3, "d"), (0, "abc")], value: "abcd"),
    Assembly(name: "cut short", writes: [(0, "abcdef")], size: 3, value: "abc"),
    Assembly(name: "made longer", writes: [(0, "ab")], size: 4, value: nil),
    Assembly(name: "a character cut by the end", writes: [(0, "a漢")], size: 2, value: nil),
    Assembly(name: "nothing at a place", writes: [(0, "ab"), (9, "")], value: nil),
  ]

  @Test(arguments: assemblies)
  func `writes land where they are put`(assembly: Assembly) throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url", [.read, .write, .truncate])
    for (offset, text) in assembly.writes { try shell.write(handle, text, at: offset) }
    if let size = assembly.size {
      _ = try shell.tree.setAttributes(
        of: try shell.node("mail/url"), handle: handle, AttributeChange(size: size))
    }
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
    if let value = assembly.value {
      #expect(try shell.read(handle) == value)
      try shell.close(handle)
      #expect(try shell.cat("mail/url") == value)
    } else {
      #expect(throws: TreeError.self) { try shell.close(handle) }
      #expect(try shell.cat("mail/url") == "https://mail.example.org")
      #expect(!shell.save())
    }
  }

  @Test func `a write into the middle changes the middle`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/username", [.read, .write])
    try shell.write(handle, "XYZ", at: 4)
    #expect(try shell.read(handle) == "sam@XYZmple.org")
    try shell.close(handle)
    #expect(try shell.cat("mail/username") == "sam@XYZmple.org")
  }

  @Test func `a character may come in two writes`() throws {
    let shell = Shell(try Samples.office())
    let bytes = Array("漢".utf8)
    let handle = try shell.open("mail/url", [.write, .truncate])
    _ = try shell.tree.write(handle, at: 0, bytes.span.extracting(0..<2), append: false)
    _ = try shell.tree.write(handle, at: 2, bytes.span.extracting(2..<3), append: false)
    try shell.close(handle)
    #expect(try shell.cat("mail/url") == "漢")
  }

  @Test func `truncate without a handle is an edit at once`() throws {
    let shell = Shell(try Samples.office())
    try shell.truncate("mail/username", to: 3)
    #expect(try shell.cat("mail/username") == "sam")
    #expect(throws: TreeError.invalid) { try shell.truncate("mail/username", to: 5) }
    try shell.redirect("mail/username", "漢\n")
    #expect(throws: TreeError.illegalSequence) { try shell.truncate("mail/username", to: 2) }
    #expect(throws: TreeError.tooBig) { try shell.truncate("mail/username", to: .max) }
    #expect(throws: TreeError.isDirectory) { try shell.truncate("mail", to: 0) }
    #expect(try shell.cat("mail/username") == "漢")
  }

  // MARK: - When a write settles

  @Test func `a flush with nothing written means nothing`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url", [.write, .truncate])
    try shell.tree.flush(handle)
    try shell.tree.flush(handle)
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
    #expect(try shell.stat("mail/url").unsettled)
    try shell.write(handle, "x\n")
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
    #expect(shell.tree.pending.hasOpenWriters)
    try shell.tree.flush(handle)
    #expect(try shell.cat("mail/url") == "x")
    #expect(try !shell.stat("mail/url").unsettled)
    shell.tree.release(handle)
    #expect(!shell.tree.pending.hasOpenWriters)
  }

  @Test func `emptying alone settles when the file is closed for good`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url", [.write, .truncate])
    try shell.tree.flush(handle)
    #expect(try shell.cat("mail/url") != "")
    shell.tree.release(handle)
    #expect(try shell.cat("mail/url") == "")
  }

  @Test func `two commands in one redirection settle twice`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/notes", [.write, .truncate])
    try shell.write(handle, "a\n")
    try shell.tree.flush(handle)
    #expect(try shell.cat("mail/notes") == "a")
    try shell.write(handle, "b\n", at: 2)
    try shell.close(handle)
    #expect(try shell.cat("mail/notes") == "a\nb\n")
    shell.save()
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `what no flush followed is not taken over`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url", [.write, .truncate])
    try shell.write(handle, "half a")
    shell.tree.release(handle)
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
  }

  @Test func `of two writers the one that settles last wins`() throws {
    let shell = Shell(try Samples.office())
    let first = try shell.open("mail/url", [.write, .truncate])
    let second = try shell.open("mail/url", [.write, .truncate])
    try shell.write(first, "first\n")
    try shell.write(second, "second\n")
    try shell.close(second)
    #expect(try shell.cat("mail/url") == "second")
    try shell.close(first)
    #expect(try shell.cat("mail/url") == "first")
  }

  // MARK: - Appending

  @Test func `an addition goes behind the value that stands`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/notes", "one\n")
    try shell.redirect("mail/notes", "two\n", append: true)
    #expect(try shell.cat("mail/notes") == "one\ntwo\n")
    try shell.redirect("mail/notes", "three", append: true)
    try shell.redirect("mail/notes", "four", append: true)
    #expect(try shell.cat("mail/notes") == "one\ntwo\nthreefour")
    try shell.redirect("plain/notes", "only\n", append: true)
    #expect(try shell.cat("plain/notes") == "only")
  }

  @Test func `two appenders both arrive`() throws {
    let shell = Shell(try Samples.office())
    let first = try shell.open("mail/notes", [.write, .append])
    let second = try shell.open("mail/notes", [.write, .append])
    try shell.write(first, "1\n", append: true)
    try shell.write(second, "2\n", append: true)
    try shell.close(second)
    try shell.write(first, "3\n", append: true)
    try shell.close(first)
    #expect(try shell.cat("mail/notes") == "first\nsecond\n2\n1\n3\n")
  }

  @Test func `the offset of an appending write is ignored`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/url", [.read, .write, .append])
    try shell.write(handle, "/a", at: 0, append: true)
    #expect(try shell.read(handle) == "https://mail.example.org/a")
    try shell.tree.flush(handle)
    try shell.write(handle, "/b", at: 5, append: true)
    try shell.close(handle)
    #expect(try shell.cat("mail/url") == "https://mail.example.org/a/b")
  }

  @Test func `nothing appended is nothing changed`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url", append: true)
    #expect(!shell.save())
  }

  // MARK: - Refusals

  @Test(arguments: [
    ([0x61, 0x02, 0x62], TreeError.invalid), ([0x78, 0x00, 0x79], .invalid), ([0x0C], .invalid),
    ([0x1B], .invalid), ([0xEF, 0xBF, 0xBE], .invalid), ([0xFF, 0x61], .illegalSequence),
    ([0xC0, 0xAF, 0x61], .illegalSequence), ([0xED, 0xA0, 0x80], .illegalSequence),
    ([0xF5, 0x80, 0x80, 0x80], .illegalSequence),
    ([0x89, 0x50, 0x4E, 0x47, 0xFF], .illegalSequence),
  ])
  func `what no later write can mend is refused at the write, and the old value stays`(
    bytes: [UInt8], error: TreeError
  ) throws {
    let shell = Shell(try Samples.office())
    for field in ["url", "password", "PIN"] {
      let old = try shell.cat("mail/\(field)")
      let handle = try shell.open("mail/\(field)", [.write, .truncate])
      #expect(throws: error) {
        try shell.tree.write(handle, at: 0, bytes.span, append: false)
      }
      #expect(throws: error) { try shell.write(handle, "good") }
      #expect(throws: error) { try shell.tree.flush(handle) }
      #expect(throws: error) { try shell.tree.synchronize(handle) }
      shell.tree.release(handle)
      #expect(try shell.cat("mail/\(field)") == old)
    }
    #expect(!shell.save())
  }

  @Test func `characters cut at an edge are judged when it settles`() throws {
    let shell = Shell(try Samples.office())
    for bytes: [UInt8] in [[0x61, 0xC3], [0xA9, 0x61]] {
      let handle = try shell.open("mail/url", [.write, .truncate])
      _ = try shell.tree.write(handle, at: 0, bytes.span, append: false)
      #expect(throws: TreeError.illegalSequence) { try shell.tree.flush(handle) }
      #expect(throws: TreeError.illegalSequence) { try shell.tree.flush(handle) }
      shell.tree.release(handle)
    }
    #expect(try shell.cat("mail/url") == "https://mail.example.org")
  }

  @Test func `a value over its limit is refused`() throws {
    let shell = Shell(try Samples.office())
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 20)
    let handle = try shell.open("mail/notes", [.write, .truncate])
    for i in 0..<16 {
      _ = try shell.tree.write(handle, at: i << 20, piece.span, append: false)
    }
    #expect(throws: TreeError.tooBig) { try shell.write(handle, "xy", at: 16 << 20) }
    #expect(throws: TreeError.tooBig) { try shell.tree.flush(handle) }
    shell.tree.release(handle)
    #expect(try shell.stat("mail/notes").size == 13)
    let other = try shell.open("mail/notes", [.write, .truncate])
    #expect(throws: TreeError.tooBig) { try shell.write(other, "x", at: .max) }
    shell.tree.release(other)
  }

  @Test func `a large note is whole`() throws {
    let shell = Shell(try Samples.office())
    let text = [UInt8](repeating: UInt8(ascii: "n"), count: 1 << 20)
    try shell.copy(text, to: "mail/notes")
    #expect(try shell.bytes("mail/notes") == text)
    #expect(try shell.stat("mail/notes").size == 1 << 20)
    let handle = try shell.open("mail/notes", .read)
    var pieces = WipedBuffer()
    for offset in stride(from: 0, to: 1 << 20, by: 100_000) {
      try shell.tree.read(handle, at: offset, count: 100_000, into: &pieces)
    }
    let count = pieces.count
    #expect(count == 1 << 20)
  }

  // MARK: - New names

  @Test func `a new name is stored by itself once it has been closed for five seconds`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/API key", "k-1\n")
    #expect(try shell.cat("mail/API key") == "k-1")
    #expect(try shell.ls("mail").contains("API key"))
    #expect(!shell.save(.autosave))
    #expect(shell.tree.pending.hasChanges)
    #expect(shell.tree.pending.nextNewNameDue == shell.clock.monotonic + 5_000_000_000)
    shell.clock.advance(seconds: 4.9)
    #expect(!shell.save(.autosave))
    shell.clock.advance(seconds: 0.2)
    #expect(shell.save(.autosave))
    #expect(shell.field("API key", of: "mail") == "k-1")
    #expect(shell.entry("mail")?.string(Array("API key".utf8))?.isProtected == true)
    #expect(shell.entry("mail")?.historyCount == 1)
    #expect(!shell.save())
    #expect(try shell.cat("mail/API key") == "k-1")
  }

  @Test(arguments: [SaveReason.save, .lock, .unmount])
  func `save, lock and unmount store a new name at once`(reason: SaveReason) throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/new", "n\n")
    #expect(shell.save(reason))
    #expect(shell.field("new", of: "mail") == "n")
  }

  /// `install` and `mv` remove a file and make it anew; a save may come in between.
  @Test(arguments: ["mail/PIN", "mail/attachments/key.txt"])
  func `what was removed and is made again is no new name`(path: String) throws {
    let shell = Shell(try Samples.office())
    try shell.unlink(path)
    #expect(shell.save(.autosave))
    try shell.redirect(path, "again\n")
    #expect(shell.save(.autosave))
    #expect(!shell.save(.unmount))
    #expect(try shell.cat(path).hasPrefix("again"))
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `an fsync of a new file stores it`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/new", "n\n")
    let handle = try shell.open("mail/new", .read)
    try shell.fsync(handle)
    try shell.close(handle)
    #expect(shell.field("new", of: "mail") == "n")
  }

  @Test func `an fsync while it is being written doesn't`() throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/tmpabcdefgh", [.read, .write, .exclusive], create: true)
    try shell.write(handle, "n\n")
    try shell.fsync(handle)
    try shell.close(handle)
    try shell.rename("mail/tmpabcdefgh", "mail/url")
    #expect(shell.entry("mail")?.historyCount == 0)
    shell.save()
    #expect(shell.entry("mail")?.historyCount == 1)
    #expect(shell.keys(of: "mail").count == 7)
  }

  @Test func `a new name that is gone before it was stored leaves nothing`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/new.tmp", "n\n")
    try shell.rename("mail/new.tmp", "mail/url")
    #expect(try shell.cat("mail/url") == "n")
    try shell.redirect("mail/other", "o\n")
    try shell.unlink("mail/other")
    shell.save()
    #expect(shell.keys(of: "mail").count == 7)
    #expect(shell.entry("mail")?.historyCount == 1)
  }

  @Test func `names that are the user's are never dropped`() throws {
    let shell = Shell(try Samples.office())
    for name in [".npmrc", "tmppassword", "backup~", ".env.local", "#1", "sedative", "XX"] {
      try shell.redirect("mail/\(name)", "value of \(name)\n")
    }
    shell.save()
    for name in [".npmrc", "tmppassword", "backup~", ".env.local", "#1", "sedative", "XX"] {
      #expect(shell.field(name, of: "mail") == "value of \(name)")
    }
  }

  @Test func `a name that is a field in the vault is never temporary`() throws {
    let shell = Shell(
      try Fixture.vault([.entry("e", [.init("URL", "u"), .init("url~", "mine")])]))
    #expect(try shell.cat("e/url~") == "mine")
    try shell.redirect("e/url~", "still mine\n")
    try shell.rename("e/url", "e/url~")
    #expect(try shell.cat("e/url~") == "u")
    #expect(throws: TreeError.noEntry) { try shell.stat("e/url") }
    shell.save()
    #expect(shell.field("url~", of: "e") == "u")
    #expect(shell.field("URL", of: "e") == "")
  }

  @Test func `a binary copied into an entry fails aloud and leaves no name`() throws {
    let shell = Shell(try Samples.office())
    let photo: [UInt8] = [0xFF, 0xD8, 0xFF, 0xE0, 0x00, 0x10, 0x4A, 0x46]
    #expect(throws: TreeError.illegalSequence) { try shell.copy(photo, to: "mail/photo.png") }
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/photo.png") }
    #expect(
      shell.invalidations.take().contains(
        .name(in: try shell.node("mail"), Array("photo.png".utf8))))
    #expect(!shell.save())
  }

  @Test(arguments: [
    ("", TreeError.invalid), ("a%2fb", .invalid), ("per%cent", .invalid), ("Title", .invalid),
    ("Password", .invalid), ("URL", .invalid), ("%00", .invalid), ("%01", .invalid),
    ("a%FFb", .invalid), ("a\u{FFFE}", .invalid), (".json", .readOnlyFile), (".env", .readOnlyFile),
  ])
  func `a name that a vault can't hold, or that would be shown otherwise, is refused`(
    name: String, error: TreeError
  ) throws {
    let shell = Shell(try Samples.office())
    #expect(throws: error) {
      try shell.tree.create(Array(name.utf8), in: try shell.node("mail"), .write)
    }
    #expect(throws: error) {
      try shell.tree.rename(
        Array("PIN".utf8), in: try shell.node("mail"), to: Array(name.utf8),
        in: try shell.node("mail"))
    }
    #expect(!shell.save())
  }

  @Test func `a name that is no text is refused as such`() throws {
    let shell = Shell(try Samples.office())
    let name: [UInt8] = [0x61, 0xFF]
    #expect(throws: TreeError.illegalSequence) {
      try shell.tree.create(name, in: try shell.node("mail"), .write)
    }
    #expect(throws: TreeError.illegalSequence) { try shell.tree.makeDirectory(name, in: .root) }
  }

  @Test func `names over 255 bytes are too long, of 255 are not`() throws {
    let shell = Shell(try Samples.office())
    let long = String(repeating: "n", count: 255)
    try shell.redirect("mail/\(long)", "fits\n")
    shell.save()
    #expect(shell.field(long, of: "mail") == "fits")
    #expect(throws: TreeError.nameTooLong) { try shell.redirect("mail/\(long)n", "x") }
    #expect(throws: TreeError.nameTooLong) { try shell.mkdir("\(long)n") }
    #expect(throws: TreeError.nameTooLong) { try shell.stat("\(long)n") }
    #expect(throws: TreeError.nameTooLong) { try shell.unlink("mail/\(long)n") }
    #expect(throws: TreeError.nameTooLong) { try shell.rename("mail/url", "mail/\(long)n") }
  }

  // MARK: - Files of a form

  @Test func `tags are one a line`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/tags", "b\na\n")
    #expect(try shell.cat("mail/tags") == "b\na")
    #expect(throws: TreeError.invalid) { try shell.redirect("mail/tags", "a;b\n") }
    #expect(throws: TreeError.invalid) { try shell.redirect("mail/tags", "a,b\n") }
    try shell.redirect("plain/tags", "new\n")
    #expect(try shell.ls("plain").contains("tags"))
    shell.save()
    #expect(shell.entry("mail")?.tags == Array("b;a".utf8))
    #expect(shell.entry("plain")?.tags == Array("new".utf8))
    try shell.unlink("mail/tags")
    #expect(try !shell.ls("mail").contains("tags"))
    shell.save()
    #expect(shell.entry("mail")?.tags == [])
    #expect(shell.keys(of: "plain").contains("tags") == false)
  }

  /// Shells say nothing of a `close` that fails.
  @Test(arguments: [
    ("expires", "tomorrow\n"), ("tags", "a,b;c\n"), ("totp", "not base32 !\n"),
  ])
  func `a whole line that a file can't hold is refused at once`(name: String, line: String) throws {
    let shell = Shell(try Samples.office())
    let handle = try shell.open("mail/" + name, [.write, .truncate], create: true)
    #expect(throws: TreeError.invalid) { try shell.write(handle, line, at: 0) }
    // A part of a line may become a good one.
    let parts = try shell.open("mail/expires", [.write, .truncate], create: true)
    try shell.write(parts, "2026-01", at: 0)
    try shell.write(parts, "-31\n", at: 7)
    try shell.close(parts)
    #expect(try shell.cat("mail/expires") == "2026-01-31T00:00:00Z")
  }

  @Test func `expires takes a time or a date, and nothing means never`() throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/expires", "2026-01-31\n")
    #expect(try shell.cat("mail/expires") == "2026-01-31T00:00:00Z")
    #expect(throws: TreeError.invalid) { try shell.redirect("mail/expires", "tomorrow\n") }
    #expect(throws: TreeError.invalid) { try shell.redirect("mail/expires", "2026-02-30\n") }
    shell.save()
    #expect(shell.entry("mail")?.times.expires == true)
    try shell.unlink("mail/expires")
    #expect(throws: TreeError.noEntry) { try shell.stat("mail/expires") }
    shell.save()
    #expect(shell.entry("mail")?.times.expires == false)
    #expect(shell.entry("mail")?.times.expiry?.unixSeconds == 1_769_817_600)
  }

  @Test func `a group's own notes can be read and written, and are not listed`() throws {
    let shell = Shell(try Samples.office())
    #expect(try shell.cat("office/.notes") == "")
    try shell.redirect("office/.notes", "about the office\n")
    #expect(try shell.cat("office/.notes") == "about the office")
    #expect(try shell.stat("office/.notes").size == 16)
    #expect(try shell.ls("office") == ["vpn"])
    #expect(shell.save())
    #expect(try shell.remounted().cat("office/.notes") == "about the office")
  }

  // MARK: - Attachments

  @Test func `attachments are made, changed, renamed and removed`() throws {
    let shell = Shell(try Samples.office())
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try shell.copy(bytes, to: "mail/attachments/data.bin")
    try shell.redirect("mail/attachments/key.txt", "more\n", append: true)
    #expect(try shell.bytes("mail/attachments/data.bin") == bytes)
    #expect(try shell.cat("mail/attachments/key.txt") == "attachedmore\n")
    try shell.rename("mail/attachments/key.txt", "mail/attachments/key (old).txt")
    shell.save()
    let again = shell.remounted()
    #expect(try again.ls("mail/attachments") == ["key (old).txt", "data.bin"])
    #expect(try again.bytes("mail/attachments/data.bin") == bytes)
    #expect(again.entry("mail")?.historyCount == 1)
    try again.unlink("mail/attachments/data.bin")
    try again.unlink("mail/attachments/key (old).txt")
    #expect(try !again.ls("mail").contains("attachments"))
    try again.rmdir("mail/attachments")
    again.save()
    #expect(again.entry("mail")?.attachments.isEmpty == true)
    #expect(again.entry("mail")?.historyCount == 2)
  }

  @Test func `a new attachment that is written once more as it is stays as it is`() throws {
    let shell = Shell(try Samples.office())
    for _ in 1...2 { try shell.copy(Array("twice".utf8), to: "mail/attachments/new") }
    #expect(try shell.cat("mail/attachments/new") == "twice")
    try shell.copy([], to: "mail/attachments/empty")
    try shell.copy([], to: "mail/attachments/empty")
    shell.save()
    #expect(try shell.cat("mail/attachments/new") == "twice")
    #expect(try shell.ls("mail/attachments") == ["key.txt", "new", "empty"])
  }

  @Test func `the first attachment needs its directory`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.noEntry) { try shell.redirect("plain/attachments/a", "x") }
    try shell.mkdir("plain/attachments")
    #expect(throws: TreeError.exists) { try shell.mkdir("plain/attachments") }
    #expect(throws: TreeError.notPermitted) { try shell.mkdir("plain/attachments/sub") }
    try shell.redirect("plain/attachments/a", "not a field\u{0}\n")
    shell.save()
    #expect(try shell.remounted().cat("plain/attachments/a") == "not a field\u{0}\n")
  }

  @Test func `an only attachment can be replaced by removing it first`() throws {
    let shell = Shell(try Samples.office())
    try shell.unlink("mail/attachments/key.txt")
    try shell.redirect("mail/attachments/key.txt", "replaced")
    #expect(try shell.ls("mail").contains("attachments"))
    shell.save()
    #expect(try shell.remounted().cat("mail/attachments/key.txt") == "replaced")
  }

  // MARK: - What the kernel is told

  @Test func `settling tells what has changed before it answers`() throws {
    let shell = Shell(try Samples.office())
    let node = try shell.stat("mail/url").node
    let directory = try shell.stat("mail").node
    let handle = try shell.open("mail/url", [.write, .truncate])
    try shell.write(handle, "x\n")
    _ = shell.invalidations.take()
    _ = shell.wishes.take()
    try shell.tree.flush(handle)
    let told = shell.invalidations.take()
    #expect(told.contains(.attributes(node)))
    #expect(told.contains(.attributes(directory)))
    #expect(shell.wishes.take() > 0)
  }
}
