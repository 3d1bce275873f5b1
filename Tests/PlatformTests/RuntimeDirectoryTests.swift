import Testing

@testable import Platform

@Suite struct RuntimeDirectoryTests {
  @Test func `the session's folder comes first, if it is ours`() throws {
    let folder = try Folder()
    let runtime = folder.path.bytes
    #expect(
      RuntimeDirectory.choose(runtime: runtime, temporary: nil) == folder.path.appending("kdbxfs"))
    let own = "kdbxfs-\(Process.user)"
    let session = Path("/run/user/\(Process.user)")
    let fallback =
      (try? Files.status(of: session))?.owner == Process.user
      ? session.appending("kdbxfs") : Path("/tmp").appending(own)
    for bad in [nil, Array("relative".utf8), Array("/nowhere".utf8), Array("".utf8)] {
      #expect(RuntimeDirectory.choose(runtime: bad, temporary: nil) == fallback)
    }
    if fallback.parent == "/tmp" {
      let temporary = folder.path.appending("t")
      #expect(
        RuntimeDirectory.choose(runtime: nil, temporary: temporary.bytes)
          == temporary.appending(own))
    }
  }

  @Test func `it is made for us alone, once`() throws {
    let folder = try Folder()
    try RuntimeDirectory.prepare(folder["kdbxfs"])
    try RuntimeDirectory.prepare(folder["kdbxfs"])
    #expect(try Files.status(of: folder["kdbxfs"]).permissions == 0o700)
  }

  @Test func `what isn't ours alone is refused`() throws {
    let folder = try Folder()
    try Files.makeDirectory(folder["open"])
    try run("chmod", "750", folder["open"].description)
    try run("ln", "-s", "open", folder["link"].description)
    try folder.write("", to: "file")
    for name in ["open", "link", "file"] {
      #expect(throws: RuntimeDirectory.Failure.notOurs(folder[name])) {
        try RuntimeDirectory.prepare(folder[name])
      }
    }
    #expect(throws: RuntimeDirectory.Failure.system(folder["none/kdbxfs"], .noEntry)) {
      try RuntimeDirectory.prepare(folder["none/kdbxfs"])
    }
  }

  @Test(.enabled(if: Process.user == 0))
  func `another user's folder is refused`() throws {
    let folder = try Folder()
    try Files.makeDirectory(folder["theirs"])
    try run("chown", "1234", folder["theirs"].description)
    #expect(throws: RuntimeDirectory.Failure.notOurs(folder["theirs"])) {
      try RuntimeDirectory.prepare(folder["theirs"])
    }
    #expect(
      RuntimeDirectory.choose(runtime: folder["theirs"].bytes, temporary: nil)
        != folder["theirs/kdbxfs"])
  }
}
