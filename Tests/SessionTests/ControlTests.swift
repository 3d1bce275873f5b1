import Platform
import Secrets
import Testing

@testable import Session

@Suite struct ControlMessageTests {
  @Test(arguments: [
    ControlRequest.unmount(lazily: true), .unmount(lazily: false), .save, .status, .lock,
    .unlockAgain,
    .unlock(passwordCount: nil, keyCount: nil), .unlock(passwordCount: 0, keyCount: 32),
  ])
  func `a request is read as it was sent`(request: ControlRequest) {
    let line = request.object.bytes
    #expect(JSONObject(reading: line.span).flatMap { ControlRequest($0) } == request)
  }

  @Test(
    arguments: [
      [:], ["command": .string("format")], ["command": .integer(1)],
      ["command": .string("unlock"), "password": .integer(-1)],
      ["command": .string("unlock"), "password": .integer(1 << 40)],
      ["command": .string("unlock"), "key": .string("secret")],
    ] as [JSONObject])
  func `another request is none`(object: JSONObject) {
    #expect(ControlRequest(object) == nil)
  }

  @Test(arguments: SessionError.Kind.allCases)
  func `an error is read as it was sent`(kind: SessionError.Kind) {
    let error = SessionError(kind, "what \"it\" was", hints: ["a", "b"], errnoValue: 28)
    let line = error.answer.bytes
    #expect(JSONObject(reading: line.span).flatMap { SessionError($0) } == error)
  }

  @Test func `good news is no error, nonsense is one`() {
    #expect(SessionError(["ok": .boolean(true)]) == nil)
    #expect(SessionError(JSONObject())?.kind == .refused)
  }
}

@Suite(.timeLimit(.minutes(2))) struct ControlSocketTests {
  @Test func `commands are answered`() throws {
    let rig = try Rig()
    let server = try ControlServer(for: rig.session)
    let place = rig.session.mountPoint
    try rig.edit("https://new.example")
    let status = try ControlClient.ask(.status, of: place)
    #expect(status["unsaved"] == .boolean(true))
    #expect(try ControlClient.ask(.save, of: place) == ["ok": .boolean(true)])
    #expect(try rig.saved() == "https://new.example")
    let after = try ControlClient.ask(.status, of: place)
    #expect(after["unsaved"] == .boolean(false))
    #expect(rig.session.finish() == nil)
    server.stop()
    #expect(throws: ControlClient.Failure.nobody) { try ControlClient.ask(.status, of: place) }
  }

  @Test func `umount is answered when the session has ended and the server lets go`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session)
    let server = try ControlServer(for: rig.session)
    let place = rig.session.mountPoint
    let session = rig.session
    let serving = try Thread.start(name: "main") {
      while !mount.calls.contains("stop") { _ = try? poll([], milliseconds: 1) }
      _ = session.finish()
      server.stop()
    }
    #expect(try ControlClient.ask(.unmount(lazily: false), of: place) == ["ok": .boolean(true)])
    #expect(mount.calls == ["detach", "stop"])
    serving.join()
  }

  @Test func `what is no request is refused, and the next is answered`() throws {
    let rig = try Rig()
    let server = try ControlServer(for: rig.session)
    let path = ControlPlace.socket(
      for: rig.session.mountPoint, in: try RuntimeDirectory.locate())
    let socket = try UnixSocket.connect(to: path)
    let lines = Array("nonsense\n{\"command\":\"save\"}\n".utf8)
    try socket.writeAll(lines.span)
    var reader = LineReader(socket.number, waitingAtMost: 10_000)
    let first = reader.next(from: socket) ?? []
    let second = reader.next(from: socket) ?? []
    #expect(JSONObject(reading: first.span)?["kind"] == .string("refused"))
    #expect(JSONObject(reading: second.span) == ["ok": .boolean(true)])
    let endless = [UInt8](repeating: 0x61, count: ControlRequest.longestLine + 4096)
    try? socket.writeAll(endless.span)
    let third = reader.next(from: socket)
    #expect(third == nil)
    #expect(rig.session.finish() == nil)
    server.stop()
  }
}
