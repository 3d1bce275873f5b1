import Glibc
import Testing

@testable import Platform

@Suite struct AbandonedFilesTests {
  private static let vault = Path("/vaults/v.kdbx")

  @Test(arguments: [
    (".v.kdbx.kdbxfs-12-ab", true), (".probe.kdbxfs-12-ab", true), (".v.kdbx.kdbxfs-12", false),
    (".v.kdbx.kdbxfs-x-ab", false), ("v.kdbx.kdbxfs-12-ab", false), (".w.kdbx.kdbxfs-12-ab", false),
    (".v.kdbx.kdbxfs-12-", false), (".kdbxfs-12-ab", false), ("v.kdbx", false),
    (".v.kdbx.kdbxfs-1-2-3", false),
  ])
  func `only names of a save of this file count`(name: String, counts: Bool) {
    #expect(AbandonedFiles.isTemporary(Array(name.utf8), for: Self.vault) == counts)
  }

  @Test(arguments: [1, 200, 255])
  func `the names that are made count`(length: Int) {
    let target = Path("/vaults").appending([UInt8](repeating: 0x61, count: length))
    let name = Files.temporaryName(for: target.lastComponent)
    #expect(AbandonedFiles.isTemporary(name, for: target))
  }

  @Test func `what nobody holds goes, the rest stays`() throws {
    let folder = try Folder()
    let vault = folder.path.appending("v.kdbx")
    for name in ["v.kdbx", ".v.kdbx.kdbxfs-1-a", ".v.kdbx.kdbxfs-1-b", ".other.kdbxfs-1-a"] {
      _ = try Descriptor.open(folder.path.appending(name), [.write, .create])
    }
    let held = try Descriptor.open(folder.path.appending(".v.kdbx.kdbxfs-1-b"), .readWrite)
    try #require(flock(held.number, LOCK_EX | LOCK_NB) == 0)
    #expect(try AbandonedFiles.remove(beside: vault) == 1)
    let left = try Files.names(in: folder.path).map { String(decoding: $0, as: UTF8.self) }
    #expect(Set(left) == ["v.kdbx", ".v.kdbx.kdbxfs-1-b", ".other.kdbxfs-1-a"])
    withExtendedLifetime(held) {}
  }

  @Test func `a save that is running holds its file`() throws {
    let folder = try Folder()
    let vault = folder.path.appending("v.kdbx")
    let bytes: [UInt8] = [1, 2, 3]
    _ = try AtomicReplacement.replace(
      vault, with: bytes.span, verify: { _ in true },
      probe: { (step) throws(Errno) in
        if step == .rename { _ = try AbandonedFiles.remove(beside: vault) }
      })
    #expect(try Files.names(in: folder.path) == [Array("v.kdbx".utf8)])
  }
}
