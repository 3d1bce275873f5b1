import Glibc
import Platform
import Secrets
import Synchronization
import Testing

@Suite struct AtomicReplacementTests {
  static func replace(
    _ path: Path, with text: String, verify: (Span<UInt8>) -> Bool = { _ in true },
    probe: @escaping AtomicReplacement.Probe = { _ in }
  ) throws(ReplacementError) -> AtomicReplacement.Outcome {
    let bytes = Array(text.utf8)
    return try AtomicReplacement.replace(path, with: bytes.span, verify: verify, probe: probe)
  }

  @Test(arguments: [0, 1, 1_000_000])
  func `the new file stands, and nothing else`(count: Int) throws {
    let text = String(repeating: "new", count: count)
    let folder = try Folder()
    try folder.write("old", to: "vault", permissions: 0o640)
    let outcome = try Self.replace(folder["vault"], with: text)
    #expect(try folder.read("vault") == text)
    #expect(try folder.names == ["vault"])
    #expect(outcome.path == folder["vault"])
    #expect(try outcome.status == Files.status(of: folder["vault"]))
    #expect(outcome.status.permissions == 0o640)
    #expect(outcome.keptAttributes)
  }

  @Test func `the file's own check sees what is on the disk, before the old one goes`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault")
    _ = try Self.replace(
      folder["vault"], with: "new",
      verify: { bytes in
        let same = bytes.indices.map { bytes[$0] } == Array("new".utf8)
        return same && (try? folder.read("vault")) == "old"
      })
    #expect(throws: ReplacementError(.verify, .inputOutput)) {
      try Self.replace(folder["vault"], with: "newer", verify: { _ in false })
    }
    #expect(try folder.read("vault") == "new")
    #expect(try folder.names == ["vault"])
  }

  @Test func `links are followed each time, and stay`() throws {
    let folder = try Folder()
    for place in ["one", "two"] {
      try Files.makeDirectory(folder[place])
      try folder.write("old", to: "\(place)/vault", permissions: 0o604)
    }
    try run("ln", "-s", "one/vault", folder["link"].description)
    #expect(try Self.replace(folder["link"], with: "new").path == folder["one/vault"])
    #expect(try folder.read("one/vault") == "new")
    try run("ln", "-sfn", folder["two/vault"].description, folder["link"].description)
    #expect(try Self.replace(folder["link"], with: "newer").path == folder["two/vault"])
    #expect(try folder.read("two/vault") == "newer")
    #expect(try folder.read("one/vault") == "new")
    #expect(try Files.status(of: folder["link"], followingLinks: false).kind == .symbolicLink)
    #expect(try Files.status(of: folder["two/vault"]).permissions == 0o604)
  }

  @Test func `a file that is gone is made again`() throws {
    let folder = try Folder()
    let outcome = try Self.replace(folder["vault"], with: "new")
    #expect(try folder.read("vault") == "new")
    #expect(outcome.status.permissions == 0o600)
  }

  @Test func `another hard link keeps the old file`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault")
    try Files.link(folder["vault"], as: folder["other"])
    _ = try Self.replace(folder["vault"], with: "new")
    #expect(try folder.read("other") == "old")
    #expect(try folder.read("vault") == "new")
  }

  // MARK: - Attributes

  @Test func `extended attributes stay`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault")
    let path = folder["vault"].description
    try run("setfattr", "-n", "user.colour", "-v", "red", path)
    try run("setfattr", "-n", "user.empty", path)
    let before = try run("getfattr", "-d", "-m", "-", "--absolute-names", path)
    #expect(try Self.replace(folder["vault"], with: "new").keptAttributes)
    #expect(try run("getfattr", "-d", "-m", "-", "--absolute-names", path) == before)
    #expect(before.contains("user.colour=\"red\""))
  }

  @Test func `access control lists stay, and none is added`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault", permissions: 0o600)
    try folder.write("old", to: "listed", permissions: 0o640)
    try run("setfacl", "-m", "u:1234:rw", folder["listed"].description)
    // From now on the folder gives every new file a list.
    try run("setfacl", "-d", "-m", "u:4321:rwx", folder.path.description)
    for name in ["vault", "listed"] {
      let before = try run("getfacl", "-n", "--absolute-names", folder[name].description)
      #expect(try Self.replace(folder[name], with: "new").keptAttributes)
      #expect(try run("getfacl", "-n", "--absolute-names", folder[name].description) == before)
      #expect(before.contains("1234") == (name == "listed"))
    }
  }

  @Test(.enabled(if: Process.user == 0))
  func `owner and group stay`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault", permissions: 0o660)
    try run("chown", "1234:4321", folder["vault"].description)
    let outcome = try Self.replace(folder["vault"], with: "new")
    #expect(outcome.status.owner == 1234)
    #expect(outcome.status.group == 4321)
    #expect(outcome.status.permissions == 0o660)
    #expect(outcome.keptAttributes)
  }

  /// As another user, who may write to the folder but not give files away.
  @Test(.enabled(if: Process.user == 0))
  func `an owner that can't be kept is said, and opens the file to no one`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault", permissions: 0o664)
    try run("chown", "1234:4321", folder["vault"].description)
    try run("chmod", "777", folder.path.description)
    try run(
      "setpriv", "--reuid=5678", "--regid=8765", "--clear-groups", probe.description, "replace",
      folder["vault"].description, "new", "0")
    let status = try Files.status(of: folder["vault"])
    #expect(try folder.read("vault") == "new")
    #expect(status.owner == 5678)
    #expect(status.group == 8765)
    #expect(status.permissions == 0o604)
  }

  // MARK: - Faults

  /// Fails the first, the second, the third … system call of a save, until none fails.
  @Test(arguments: [Errno.noSpace, .inputOutput, .readOnly, .noEntry])
  func `whatever fails, the old file or the new one is there, whole`(errno: Errno) throws {
    let text = String(repeating: "new", count: 1_000_000)
    var seen: Set<ReplacementError.Step> = []
    for failing in 1... {
      let folder = try Folder()
      try folder.write("old", to: "vault", permissions: 0o640)
      let calls = Mutex(0)
      let result = Result { () throws(ReplacementError) in
        try Self.replace(
          folder["vault"], with: text,
          probe: { (_) throws(Errno) in
            let count = calls.withLock { calls in
              calls += 1
              return calls
            }
            if count == failing { throw errno }
          })
      }
      switch result {
      case .success:
        #expect(calls.withLock { $0 } < failing)
        #expect(try folder.read("vault") == text)
      case .failure(let error):
        #expect(error.errno == errno)
        seen.insert(error.step)
        // Only the last step comes after the new file has its name.
        let expected = error.step == .synchronizeFolder ? text : "old"
        #expect(try folder.read("vault") == expected)
        #expect(try Files.status(of: folder["vault"]).permissions == 0o640)
      }
      #expect(try folder.names == ["vault"])
      if case .success = result { break }
    }
    #expect(seen == Set(ReplacementError.Step.allCases))
  }

  /// Replaces a file that must hold `old`; the system calls of the renaming with these numbers fail.
  static func exchange(
    in folder: Folder, failing: Set<Int>
  ) -> Result<AtomicReplacement.Outcome, ReplacementError> {
    let bytes = Array("new".utf8)
    let calls = Mutex(0)
    return Result { () throws(ReplacementError) in
      try AtomicReplacement.replace(
        folder["vault"], with: bytes.span, verify: { _ in true },
        isExpected: { bytes in bytes.indices.map { bytes[$0] } == Array("old".utf8) },
        probe: { (step) throws(Errno) in
          guard step == .rename else { return }
          let count = calls.withLock { calls in
            calls += 1
            return calls
          }
          if failing.contains(count) { throw .inputOutput }
        })
    }
  }

  @Test func `a file that somebody replaced meanwhile is put back`() throws {
    let folder = try Folder()
    try folder.write("somebody's", to: "vault")
    guard case .failure(let error) = Self.exchange(in: folder, failing: []) else {
      Issue.record("it was replaced")
      return
    }
    #expect(error == ReplacementError(.rename, .stale))
    #expect(try folder.read("vault") == "somebody's")
    #expect(try folder.names == ["vault"])
  }

  /// The calls: the names change places, the old file is read, they change back.
  @Test func `the old file comes back if it can't be compared, and stays if it can't come back`()
    throws
  {
    for (failing, file) in [([1], "old"), ([2], "old"), ([2, 3], "new")] {
      let folder = try Folder()
      try folder.write("old", to: "vault")
      guard case .failure(let error) = Self.exchange(in: folder, failing: Set(failing)) else {
        Issue.record("it was replaced")
        continue
      }
      #expect(error == ReplacementError(.rename, .inputOutput))
      #expect(try folder.read("vault") == file)
      let others = try folder.names.filter { $0 != "vault" }
      #expect(try others.map(folder.read) == (file == "new" ? ["old"] : []))
    }
  }

  /// Kills a process at the first, the second, the third … system call of a save.
  @Test func `whenever we die, the old file or the new one is there, whole`() throws {
    let text = String(repeating: "new", count: 1000)
    let probe = try probe.description
    let nothing: [UInt8] = []
    var outcomes: Set<String> = []
    for call in 1... {
      let folder = try Folder()
      try folder.write("old", to: "vault")
      let hasDied: Bool
      do throws(Program.Failure) {
        let path = folder["vault"].description
        let arguments = [probe, "replace", path, text, String(call)]
        _ = try Program.run(
          arguments.map { Array($0.utf8) }, input: nothing.span, limit: 1000)
        hasDied = false
      } catch {
        #expect(error == .signal(.kill))
        hasDied = true
      }
      let left = try folder.read("vault")
      #expect(left == "old" || left == text)
      outcomes.insert(left)
      // The temporary file is ours to see, and no one else's.
      for name in try folder.names where name != "vault" {
        #expect(name.hasPrefix(".vault.kdbxfs-"))
        #expect(try Files.status(of: folder[name]).permissions & 0o077 == 0)
      }
      if !hasDied { break }
    }
    #expect(outcomes == ["old", text])
  }

  @Test func `a folder that is gone is an error`() throws {
    let folder = try Folder()
    #expect(throws: ReplacementError(.resolve, .noEntry)) {
      try Self.replace(folder["none/vault"], with: "new")
    }
    try Files.makeDirectory(folder["place"])
    #expect(throws: ReplacementError(.create, .noEntry)) {
      try Self.replace(
        folder["place/vault"], with: "new",
        probe: { (step) throws(Errno) in
          if step == .create { try Files.removeDirectory(folder["place"]) }
        })
    }
  }

  @Test func `a folder that is renamed meanwhile still gets its file`() throws {
    let folder = try Folder()
    try Files.makeDirectory(folder["before"])
    try folder.write("old", to: "before/vault")
    _ = try Self.replace(
      folder["before/vault"], with: "new",
      probe: { (step) throws(Errno) in
        if step == .rename { try Files.rename(folder["before"], to: folder["after"]) }
      })
    #expect(try folder.read("after/vault") == "new")
    #expect(try folder.names == ["after"])
    #expect(try Files.names(in: folder["after"]).count == 1)
  }

  @Test func `a folder in the file's place is left alone`() throws {
    let folder = try Folder()
    try Files.makeDirectory(folder["vault"])
    #expect(throws: ReplacementError.self) { try Self.replace(folder["vault"], with: "new") }
    #expect(try folder.names == ["vault"])
    #expect(try Files.status(of: folder["vault"]).kind == .directory)
  }

  @Test(.enabled(if: mayMount))
  func `a full disk leaves the old file`() throws {
    let folder = try Folder()
    try run("mount", "-t", "tmpfs", "-o", "size=1m", "none", folder.path.description)
    defer { _ = try? run("umount", folder.path.description) }
    try folder.write("old", to: "vault")
    #expect(throws: ReplacementError(.write, .noSpace)) {
      try Self.replace(folder["vault"], with: String(repeating: "x", count: 2_000_000))
    }
    #expect(try folder.read("vault") == "old")
    #expect(try folder.names == ["vault"])
    _ = try Self.replace(folder["vault"], with: "it fits")
    #expect(try folder.read("vault") == "it fits")
  }

  @Test(.enabled(if: mayMount))
  func `a read-only folder is said to be one`() throws {
    let folder = try Folder()
    try run("mount", "-t", "tmpfs", "none", folder.path.description)
    defer { _ = try? run("umount", folder.path.description) }
    try folder.write("old", to: "vault")
    try run("mount", "-o", "remount,ro", folder.path.description)
    #expect(throws: ReplacementError(.create, .readOnly)) {
      try Self.replace(folder["vault"], with: "new")
    }
    #expect(throws: Errno.readOnly) { try Files.probeWriting(in: folder.path) }
    #expect(throws: Errno.readOnly) { try Files.checkWritable(folder["vault"]) }
    #expect(try folder.read("vault") == "old")
  }

  // MARK: - New files

  @Test func `a new file is there whole, and never takes another's place`() throws {
    let folder = try Folder()
    let bytes = Array("rescued".utf8)
    try AtomicReplacement.create(
      folder["new"], with: bytes.span, permissions: 0o640, verify: { _ in true })
    #expect(try folder.read("new") == "rescued")
    #expect(try Files.status(of: folder["new"]).permissions == 0o640)
    #expect(throws: ReplacementError(.rename, .exists)) {
      try AtomicReplacement.create(
        folder["new"], with: bytes.span, permissions: 0o600, verify: { _ in true })
    }
    #expect(throws: ReplacementError(.verify, .inputOutput)) {
      try AtomicReplacement.create(
        folder["other"], with: bytes.span, permissions: 0o600, verify: { _ in false })
    }
    #expect(try folder.names == ["new"])
  }
}
