import Platform
import Secrets
import Testing

@Suite struct FilesTests {
  @Test(arguments: [0, 1, 4095, 4096, 4097, 1_000_000])
  func `a file reads back as it was written`(count: Int) throws {
    let folder = try Folder()
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    let file = try Descriptor.open(folder["file"], [.readWrite, .create, .exclusive])
    try file.writeAll(bytes.span)
    try file.synchronize()
    #expect(try file.status().size == Int64(count))
    #expect(try Files.readWhole(folder["file"]).array == bytes)
    #expect(try Files.readWhole(folder["file"], limit: count).array == bytes)
    if count > 0 {
      #expect(throws: Errno.fileTooBig) {
        _ = try Files.readWhole(folder["file"], limit: count - 1).count
      }
    }
    var part = WipedBuffer()
    let taken = try file.read(at: Int64(count / 2), atMost: 10, into: &part)
    #expect(part.array == Array(bytes[(count / 2)...].prefix(10)))
    #expect(taken == part.count)
  }

  @Test func `files whose size isn't known beforehand are read too`() throws {
    #expect(try text(of: "/proc/self/status").hasPrefix("Name:"))
    var pipe = try Pipe()
    let writer = pipe.takeWriter()
    try writer.writeAll(Array("through a pipe".utf8).span)
    try writer.close()
    let bytes = try Files.readWhole(pipe.takeReader())
    #expect(bytes.array == Array("through a pipe".utf8))
  }

  @Test func `what isn't a file is an error`() throws {
    let folder = try Folder()
    #expect(throws: Errno.noEntry) { _ = try Files.readWhole(folder["none"]).count }
    #expect(throws: Errno.isDirectory) { _ = try Files.readWhole(folder.path).count }
    #expect(throws: Errno.notDirectory) {
      _ = try Descriptor.open("/proc/self/status", [.read, .directory]).number
    }
    try folder.write("", to: "file")
    #expect(throws: Errno.exists) {
      _ = try Descriptor.open(folder["file"], [.write, .create, .exclusive]).number
    }
  }

  @Test func `a whole path is made at once, twice in a row`() throws {
    let folder = try Folder()
    try Files.makeDirectories(folder["a/b/c"])
    try Files.makeDirectories(folder["a/b/c"])
    #expect(try Files.status(of: folder["a/b/c"]).kind == .directory)
    #expect(try Files.status(of: folder["a"]).permissions == 0o700)
    try folder.write("", to: "file")
    #expect(throws: Errno.exists) { try Files.makeDirectories(folder["file"]) }
    #expect(throws: Errno.notDirectory) { try Files.makeDirectories(folder["file/below"]) }
  }

  @Test func `names are bytes`() throws {
    let folder = try Folder()
    let odd: [UInt8] = [0xFF, 0x0A, 0x20]
    _ = try Descriptor.open(folder.path.appending(odd), [.write, .create])
    try folder.write("", to: "b")
    #expect(Set(try Files.names(in: folder.path)) == [odd, Array("b".utf8)])
  }

  @Test func `links are followed to a file that needn't be there`() throws {
    let folder = try Folder()
    try Files.makeDirectory(folder["real"])
    try run("ln", "-s", "real/vault", folder["one"].description)
    try run("ln", "-s", folder["one"].description, folder["two"].description)
    try run("ln", "-s", "loop", folder["loop"].description)
    #expect(try Files.resolveTarget(folder["two"]) == folder["real/vault"])
    #expect(throws: Errno.noEntry) { try Files.resolve(folder["two"]) }
    try folder.write("", to: "real/vault")
    #expect(try Files.resolve(folder["two"]) == folder["real/vault"])
    #expect(try Files.resolveTarget(folder["two"]) == folder["real/vault"])
    #expect(try Files.resolveTarget(folder["real/../real/new"]) == folder["real/new"])
    #expect(try Files.readLink(folder["one"]) == "real/vault")
    #expect(throws: Errno.tooManySymbolicLinks) { try Files.resolveTarget(folder["loop"]) }
    #expect(throws: Errno.noEntry) { try Files.resolveTarget(folder["none/new"]) }
  }

  @Test func `a folder that can be written to is as it was after the trial`() throws {
    let folder = try Folder()
    try Files.probeWriting(in: folder.path)
    #expect(try folder.names == [])
    #expect(throws: Errno.noEntry) { try Files.probeWriting(in: folder["none"]) }
  }

  @Test func `temporary names fit, however long the name is`() throws {
    let folder = try Folder()
    let name = [UInt8](repeating: 0x61, count: 255)
    let path = folder.path.appending(name)
    _ = try AtomicReplacement.replace(path, with: [1, 2, 3].span, verify: { _ in true })
    #expect(try Files.names(in: folder.path) == [name])
  }

  @Test func `the two ends of a copied descriptor are one file`() throws {
    let folder = try Folder()
    let file = try Descriptor.open(folder["file"], [.readWrite, .create])
    let copy = try file.duplicate()
    try file.writeAll(Array("one".utf8).span)
    try copy.writeAll(Array("two".utf8).span)
    try file.close()
    #expect(try folder.read("file") == "onetwo")
  }
}
