import Glibc
import Testing

@testable import Platform

@Suite struct MountTableTests {
  static func parse(_ text: String) -> [MountTable.Entry] {
    let bytes = Array(text.utf8)
    return MountTable.parse(bytes.span)
  }

  @Test func `proc(5)'s example is read`() throws {
    let entries = Self.parse(
      "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue\n")
    let expected = MountTable.Entry(
      id: 36, parent: 35, device: 98 << 8, root: "/mnt1", mountPoint: "/mnt2",
      options: [Array("rw".utf8), Array("noatime".utf8)], type: Array("ext3".utf8),
      source: Array("/dev/root".utf8),
      superOptions: [Array("rw".utf8), Array("errors=continue".utf8)])
    #expect(entries == [expected])
  }

  @Test(arguments: ["", "shared:1 ", "shared:1 master:2 propagate_from:3 unbindable "])
  func `any number of optional fields may stand there`(optional: String) {
    let entries = Self.parse("36 35 0:40 / /mnt rw \(optional)- fuse.kdbxfs /a rw\n")
    #expect(entries.map(\.mountPoint) == ["/mnt"])
    #expect(entries.map(\.type) == [Array("fuse.kdbxfs".utf8)])
  }

  @Test func `escaped bytes are turned back`() {
    let entries = Self.parse(
      "1 2 0:1 / /a\\040b\\011c\\012d\\134040\\303\\251 rw - fuse /x\\040y\\ rw\n")
    #expect(entries.map(\.mountPoint) == [Path("/a b\tc\nd\\040é")])
    #expect(entries.map(\.source) == [Array("/x y\\".utf8)])
  }

  @Test func `lines that can't be understood are left out`() {
    let good = "36 35 0:40 / /mnt rw - tmpfs none rw\n"
    let text = """
      \(good)
      36 35
      x 35 0:40 / /no rw - tmpfs none rw
      36 35 040 / /no rw - tmpfs none rw
      36 35 0:40 / /no rw tmpfs none rw
      36 35 0:40 / /no rw - tmpfs none
      36 35 0:40 / /no rw -
      \(good)unfinished
      """
    #expect(Self.parse(text).map(\.mountPoint) == ["/mnt", "/mnt"])
  }

  @Test func `the table of this process is read`() throws {
    let entry = try #require(try MountTable.entry(at: "/proc"))
    #expect(entry.type == Array("proc".utf8))
    #expect(try Files.status(of: "/proc").device == entry.device)
    #expect(try MountTable.entry(at: "/proc/self") == nil)
  }

  @Test(.enabled(if: mayMount))
  func `a watcher tells of mounts that come and go`() throws {
    let folder = try Folder()
    let watcher = try MountTable.watcher()
    let request = [PollRequest(watcher.number, .priority)]
    // Mounts of other tests may come between: what is asked is that ours is told of.
    while try poll(request, milliseconds: 0)[0].contains(.priority) {}
    try run("mount", "-t", "tmpfs", "none", folder.path.description)
    #expect(try poll(request, milliseconds: 60_000)[0].contains(.priority))
    let entry = try #require(try MountTable.entry(at: folder.path))
    #expect(try Files.status(of: folder.path).device == entry.device)
    try run("umount", folder.path.description)
    #expect(try poll(request, milliseconds: 60_000)[0].contains(.priority))
    #expect(try MountTable.entry(at: folder.path) == nil)
    withExtendedLifetime(watcher) {}
  }
}
