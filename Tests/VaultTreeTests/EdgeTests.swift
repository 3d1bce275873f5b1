import KDBX
import Secrets
import Testing

@testable import VaultTree

/// Whatever a process sends: an error, never a crash.
@Suite struct EdgeTests {
  static let sizes = [
    Int.max, Int.max - 1, 1 << 62, 1 << 40, (256 << 20) + 1, (64 << 20) + 1, (16 << 20) + 2,
  ]

  @Test(arguments: sizes)
  func `a size that nothing can have is refused`(size: Int) throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url~", "a temporary file")
    try shell.redirect("mail/attachments/key.txt~", "another one")
    #expect(throws: TreeError.tooBig) { try shell.truncate("mail/url", to: size) }
    #expect(throws: TreeError.tooBig) { try shell.truncate("office/.notes", to: size) }
    if size > 64 << 20 {
      #expect(throws: TreeError.noSpace) { try shell.truncate("mail/url~", to: size) }
    }
    if size > 256 << 20 {
      #expect(throws: TreeError.tooBig) { try shell.truncate("mail/attachments/key.txt", to: size) }
      #expect(throws: TreeError.tooBig) {
        try shell.truncate("mail/attachments/key.txt~", to: size)
      }
    }
    #expect(try shell.cat("mail/url~") == "a temporary file")
    #expect(try shell.cat("mail/attachments/key.txt") == "attached")
  }

  @Test func `a negative size or offset is refused`() throws {
    let shell = Shell(try Samples.office())
    #expect(throws: TreeError.invalid) { try shell.truncate("mail/url", to: -1) }
    let handle = try shell.open("mail/url", [.read, .write])
    #expect(throws: TreeError.invalid) { try shell.write(handle, "x", at: -1) }
    var buffer = WipedBuffer()
    try shell.tree.read(handle, at: -1, count: 10, into: &buffer)
    try shell.tree.read(handle, at: Int.max, count: Int.max, into: &buffer)
    try shell.tree.read(handle, at: 0, count: -1, into: &buffer)
    let count = buffer.count
    #expect(count == 0)
    try shell.close(handle)
  }

  @Test(arguments: ["mail/url", "mail/url~", "mail/attachments/key.txt", "mail/tags"])
  func `a write at the end of all offsets is refused`(path: String) throws {
    let shell = Shell(try Samples.office())
    try shell.redirect("mail/url~", "x")
    for offset in [Int.max, Int.max - 1, 1 << 62] {
      let handle = try shell.open(path, [.read, .write])
      #expect(throws: TreeError.self) { try shell.write(handle, "xy", at: offset) }
      try? shell.tree.flush(handle)
      shell.tree.release(handle)
    }
  }

  @Test func `every byte in a name is a name, or refused by the rule`() throws {
    let shell = Shell(try Samples.office())
    for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "/") {
      for name in [[byte], [0x78, byte, 0x79]] {
        let isControl = byte < 0x20 || byte == 0x7F
        let expected: TreeError? = byte >= 0x80 ? .illegalSequence : isControl ? .invalid : nil
        for directory in ["", "mail", "mail/attachments"] {
          let parent = try shell.node(directory)
          var error: TreeError?
          do throws(TreeError) {
            if directory.isEmpty {
              _ = try shell.tree.makeDirectory(name, in: parent)
              try shell.tree.removeDirectory(name, in: parent)
            } else {
              let made = try shell.tree.create(name, in: parent, [.write])
              shell.tree.release(made.1)
              try shell.tree.remove(name, in: parent)
            }
          } catch let thrown {
            error = thrown
          }
          // `.` never comes: the kernel keeps it.
          if name == [UInt8(ascii: ".")] { continue }
          #expect(error == expected, "\(name) in \(directory)")
        }
      }
    }
    #expect(try shell.ls("mail/attachments") == ["key.txt"])
  }

  @Test func `groups lie in one another as deeply as a file can have them`() throws {
    let shell = Shell(try Fixture.empty())
    var path: [String] = []
    var deepest = 0
    while path.count < 1000 {
      do throws(TreeError) {
        try shell.mkdir((path + ["d"]).joined(separator: "/"))
      } catch {
        #expect(error == .invalid)
        break
      }
      path.append("d")
      deepest = path.count
    }
    // The root is one of them.
    #expect(deepest == Document.groupDepthLimit - 1)
    try shell.mkdir("e")
    try shell.mkdir("e/f")
    try shell.mkdir("e/f/entry")
    try shell.redirect("e/f/entry/url", "x")
    #expect(throws: TreeError.invalid) {
      try shell.rename("e", path.dropLast().joined(separator: "/") + "/e")
    }
    #expect(try shell.stat("e/f").kind == .directory)
    shell.save()
  }

  @Test func `the link to an entry whose path is too long says so`() throws {
    let shell = Shell(try Samples.office())
    let name = String(repeating: "n", count: 255)
    var path = ""
    for _ in 0..<17 {
      path += (path.isEmpty ? "" : "/") + name
      try shell.mkdir(path)
    }
    try shell.mkdir(path + "/x")
    try shell.redirect(path + "/x/url", "https://deep.example\n")
    #expect(try shell.ls(".kdbxfs/by-host/deep.example") == ["x"])
    #expect(throws: TreeError.nameTooLong) { try shell.stat(".kdbxfs/by-host/deep.example/x") }
  }

  @Test func `ten thousand temporary files come and go`() throws {
    let shell = Shell(try Samples.office())
    let names = (0..<10_000).map { ".url." + String($0 + 100_000) }
    for name in names { try shell.redirect("mail/" + name, "x") }
    #expect(shell.tree.pending.scratchCount == 10_000)
    #expect(try shell.ls("mail").filter { $0.hasPrefix(".url.") } == names)
    shell.save()
    #expect(!shell.keys(of: "mail").contains { $0.hasPrefix(".url.") })
    for name in names {
      let node = try shell.stat("mail/" + name).node
      try shell.unlink("mail/" + name)
      shell.tree.forget(node, count: .max)
    }
    #expect(shell.tree.pending.scratchCount == 0)
    #expect(shell.tree.pending.scratchBytes == 0)
  }

  @Test func `a full scratch takes nothing more, and room again when something goes`() throws {
    let shell = Shell(try Samples.office())
    let half = [UInt8](repeating: 1, count: 32 << 20)
    try shell.copy(half, to: "mail/.url.aaaaa1")
    try shell.copy(half, to: "mail/.url.aaaaa2")
    #expect(throws: TreeError.noSpace) { try shell.redirect("mail/.url.aaaaa3", "x") }
    #expect(shell.tree.statistics().free == 256 << 20)
    let node = try shell.stat("mail/.url.aaaaa1").node
    try shell.unlink("mail/.url.aaaaa1")
    shell.tree.forget(node, count: .max)
    try shell.redirect("mail/.url.aaaaa3", "x")
    #expect(try shell.cat("mail/.url.aaaaa3") == "x")
  }

  @Test func `names are exchanged only between what can take each other's place`() throws {
    let shell = Shell(try Samples.office())
    func refused(_ one: String, _ other: String, _ error: TreeError) {
      #expect(throws: error) { try shell.rename(one, other, .exchange) }
    }
    refused("mail/url", "office", .notPermitted)
    refused("office", "mail/url", .notPermitted)
    refused("mail/attachments", "mail/url", .notPermitted)
    refused("mail/url", "mail/attachments", .isDirectory)
    refused("mail/url", "mail/absent", .noEntry)
    refused("mail/absent", "mail/url", .noEntry)
    refused("office", "office/vpn", .invalid)
    refused("office/vpn", "office", .invalid)
    refused("mail/.history", "mail/url", .readOnlyFile)
    #expect(!shell.save())
    try shell.rename("mail/url", "mail/attachments/key.txt", .exchange)
    #expect(try shell.cat("mail/url") == "attached")
    #expect(try shell.cat("mail/attachments/key.txt") == "https://mail.example.org")
    try shell.rename("mail", "office", .exchange)
    #expect(try shell.cat("office/url") == "attached")
    #expect(try shell.ls("mail") == ["vpn"])
  }
}
