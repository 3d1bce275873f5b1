import Platform
import Testing

@testable import Commands

@Suite struct MountPointTests {
  /// A folder of a test's own with a file, a full and an empty folder in it; goes with the object.
  final class Place: Sendable {
    let path: Path

    init() throws {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let base = Path(Process.environment("TMPDIR") ?? Array("/tmp".utf8))
      path = try Files.resolve(base).appending("kdbxfs-place-\(random)")
      for name in ["", "empty", "full", "full/folder"] {
        try Files.makeDirectory(path.appending(name))
      }
      _ = try Descriptor.open(path.appending("file"), [.write, .create])
    }

    deinit {
      try? Files.remove(path.appending("file"))
      for name in ["full/folder", "full", "empty", ""] {
        try? Files.removeDirectory(path.appending(name))
      }
    }
  }

  static func refusal(_ path: Path, vault: Path = "/none", nonEmpty: Bool = false) -> String? {
    do throws(Complaint) {
      _ = try MountPoint.prepare(path, for: vault, takesNonEmpty: nonEmpty)
      return nil
    } catch {
      return error.exitCode == .mountPoint ? error.message : "another exit code"
    }
  }

  @Test func `an empty folder is taken, by its path without links`() throws {
    let place = try Place()
    let empty = place.path.appending("empty")
    let winding = place.path.appending("full/../empty/")
    #expect(try MountPoint.prepare(winding, for: "/none", takesNonEmpty: false) == empty)
  }

  @Test func `what is no empty folder is refused`() throws {
    let place = try Place()
    let missing = place.path.appending("none")
    #expect(Self.refusal(missing)?.contains("can't be used: No such file") == true)
    #expect(Self.refusal(place.path.appending("file"))?.contains("not a folder") == true)
    let full = place.path.appending("full")
    #expect(Self.refusal(full)?.contains("not empty") == true)
    #expect(Self.refusal(full, nonEmpty: true) == nil)
  }

  @Test func `a mount is refused`() {
    #expect(Self.refusal("/proc", nonEmpty: true)?.contains("already mounted") == true)
  }

  @Test func `a place with the vault below it is refused`() throws {
    let place = try Place()
    let vault = place.path.appending("file")
    #expect(Self.refusal(place.path, vault: vault, nonEmpty: true)?.contains("below") == true)
    #expect(Self.refusal(place.path.appending("empty"), vault: vault) == nil)
  }
}
