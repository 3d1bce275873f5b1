import Secrets
import Testing

@testable import Platform

@Suite struct UnixSocketTests {
  /// Sends `text` from one end to the other, and an answer back.
  static func talk(at path: Path) throws -> (received: String, answered: String) {
    let listener = try UnixSocket.listen(at: path)
    let client = try UnixSocket.connect(to: path)
    let server = try UnixSocket.accept(from: listener)
    try client.writeAll(Array("question".utf8).span)
    try UnixSocket.shutDownWriting(client)
    let received = try Files.readWhole(server)
    try server.writeAll(Array("answer".utf8).span)
    try server.close()
    let answered = try Files.readWhole(client)
    return (
      String(decoding: received.array, as: UTF8.self),
      String(decoding: answered.array, as: UTF8.self)
    )
  }

  @Test func `two ends talk`() throws {
    let folder = try Folder()
    #expect(try Self.talk(at: folder["socket"]) == ("question", "answer"))
  }

  @Test func `the name is for us alone, and the kernel knows who calls`() throws {
    let folder = try Folder()
    let listener = try UnixSocket.listen(at: folder["socket"])
    let status = try Files.status(of: folder["socket"])
    #expect(status.kind == .socket)
    #expect(status.permissions == 0o600)
    let client = try UnixSocket.connect(to: folder["socket"])
    let server = try UnixSocket.accept(from: listener)
    let us = UnixSocket.Peer(process: Process.id, user: Process.user, group: Process.group)
    #expect(try UnixSocket.peer(of: server) == us)
    #expect(try UnixSocket.peer(of: client) == us)
  }

  @Test func `a name that nobody listens on is taken over`() throws {
    let folder = try Folder()
    let path = folder["socket"]
    try UnixSocket.listen(at: path).close()
    #expect(throws: Errno.connectionRefused) { _ = try UnixSocket.connect(to: path).number }
    #expect(try Self.talk(at: path) == ("question", "answer"))
  }

  @Test func `a name that is used is left alone`() throws {
    let folder = try Folder()
    let first = try UnixSocket.listen(at: folder["socket"])
    #expect(throws: Errno.addressInUse) { _ = try UnixSocket.listen(at: folder["socket"]).number }
    try folder.write("text", to: "file")
    #expect(throws: Errno.addressInUse) { _ = try UnixSocket.listen(at: folder["file"]).number }
    #expect(try folder.read("file") == "text")
    withExtendedLifetime(first) {}
  }

  /// An address has room for 107 bytes.
  @Test func `paths that are too long for an address do as well`() throws {
    let folder = try Folder()
    let long = String(repeating: "long", count: 50)
    try Files.makeDirectory(folder[long])
    #expect(try Self.talk(at: folder["\(long)/socket"]) == ("question", "answer"))
    #expect(throws: Errno.nameTooLong) {
      _ = try UnixSocket.listen(at: folder[String(repeating: "n", count: 150)]).number
    }
  }

  @Test func `nobody there is an error`() throws {
    let folder = try Folder()
    #expect(throws: Errno.noEntry) { _ = try UnixSocket.connect(to: folder["none"]).number }
  }
}
