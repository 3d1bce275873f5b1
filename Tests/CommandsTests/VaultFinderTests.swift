import Testing

@testable import Commands
@testable import Platform

@Suite struct VaultFinderTests {
  /// Mounts as the table has them: mount point, source, user.
  static func mounts(_ lines: (Path, String, UInt32)...) -> [MountTable.Entry] {
    lines.enumerated().map { number, line in
      MountTable.Entry(
        id: number, parent: 1, device: 1, root: "/", mountPoint: line.0, options: [],
        type: MountPoint.type, source: Array(line.1.utf8),
        superOptions: [Array("rw".utf8), Array("user_id=\(line.2)".utf8)])
    }
  }

  static func result<R>(_ body: () throws(Complaint) -> R) -> Result<R, Complaint> {
    Result { () throws(Complaint) in try body() }
  }

  @Test func `the only mount of a user is found`() throws {
    let table = Self.mounts(("/a", "/x.kdbx", 1), ("/b", "/y.kdbx", 2), ("/c", "/y.kdbx", 2))
    #expect(try VaultFinder.only(among: table, of: 1) == "/a")
    let none = Self.result { () throws(Complaint) in try VaultFinder.only(among: table, of: 3) }
    #expect(throws: Complaint.self) { try none.get() }
    guard
      case .failure(let two) = Self.result({ () throws(Complaint) in
        try VaultFinder.only(among: table, of: 2)
      })
    else {
      Issue.record("one was chosen")
      return
    }
    #expect(two.message == "2 vaults are mounted")
    #expect(two.hints == ["say which: -m /b, -m /c"])
  }

  @Test(arguments: [("a", "/mnt/a"), ("y", "/mnt/b"), ("y.kdbx", "/mnt/b"), ("b", "/mnt/b")])
  func `a mount is found by its name`(name: String, place: String) throws {
    let table = Self.mounts(("/mnt/a", "/v/x.kdbx", 1), ("/mnt/b", "/v/y.kdbx", 1))
    let found = try VaultFinder.mount(named: Array(name.utf8), among: table)
    #expect(found == Path(place))
  }

  @Test func `a name of several mounts or of none is refused`() {
    let table = Self.mounts(("/mnt/a", "/v/x.kdbx", 1), ("/mnt/b", "/v/a.kdbx", 1))
    #expect(throws: Complaint.self) { try VaultFinder.mount(named: Array("a".utf8), among: table) }
    #expect(throws: Complaint.self) { try VaultFinder.mount(named: Array("z".utf8), among: table) }
  }

  @Test(arguments: [
    ("a/b", "a/b"), ("/a//b/", "a/b"), ("./a/./b", "a/b"), ("a/../b", "b"), ("", ""), ("a/..", ""),
    ("a/.../b", "a/.../b"),
  ])
  func `a path in the vault is made plain`(path: String, plain: String) throws {
    let found = try VaultFinder.normalized(Array(path.utf8))
    #expect(found == Path(plain))
  }

  @Test(arguments: ["..", "a/../..", "../a"])
  func `a path that leads out is refused`(path: String) {
    #expect(throws: Complaint.self) { try VaultFinder.normalized(Array(path.utf8)) }
  }

  @Test func `a path leads into a mount through whatever is there`() throws {
    let place = try MountPointTests.Place()
    let table = Self.mounts((place.path.appending("full"), "/v.kdbx", 1))
    let inside = VaultFinder.inside(place.path.appending("./empty/../full//not/there"), table)
    #expect(inside?.mount == place.path.appending("full"))
    #expect(inside?.rest == Array("not/there".utf8))
    #expect(VaultFinder.inside(place.path.appending("empty/full"), table) == nil)
    #expect(VaultFinder.inside(place.path.appending("full"), [])?.mount == nil)
  }
}
