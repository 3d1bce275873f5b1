import Platform
import Testing

@Suite struct PathTests {
  static let vectors: [(path: Path, parent: Path, last: String)] = [
    ("/a/b.kdbx", "/a", "b.kdbx"),
    ("/b", "/", "b"),
    ("b", ".", "b"),
    ("a/b", "a", "b"),
    ("/a/", "/a", ""),
    ("", ".", ""),
    ("/", "/", ""),
  ]

  @Test(arguments: vectors)
  func `a path is a folder and a name`(path: Path, parent: Path, last: String) {
    #expect(path.parent == parent)
    #expect(path.lastComponent == Array(last.utf8))
  }

  @Test func `names are put behind folders`() {
    #expect(Path("/a").appending("b") == "/a/b")
    #expect(Path("/a/").appending("b") == "/a/b")
    #expect(Path("/").appending("b") == "/b")
    #expect(Path("").appending("b") == "b")
  }

  @Test func `two names that look alike are two`() {
    #expect(Path("é") != Path("e\u{301}"))
    #expect(Path([0xFF]) != Path([0xFE]))
  }

  @Test func `a path ends where the kernel would see it end`() {
    #expect(Path([0x61, 0, 0x62]) == "a")
  }

  @Test func `what a person is shown can't move their cursor`() {
    #expect(Path("a\u{1B}[2Jb\n").description == "a\u{FFFD}[2Jb\u{FFFD}")
    #expect(Path([0x61, 0xFF]).description == "a\u{FFFD}")
  }

  @Test func `an errno says what the C library says`() {
    #expect(Errno.noEntry.description == "No such file or directory")
    #expect(Errno(rawValue: 99999).description.contains("99999"))
  }
}
