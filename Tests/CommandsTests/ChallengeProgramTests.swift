import KDBX
import Platform
import Secrets
import Testing

@testable import Commands

@Suite struct ChallengeProgramTests {
  static let challenge: [UInt8] = [0x0A, 0xFF, 0x00]

  static func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

  /// What a program answers; `nil` where it answers nothing.
  static func answer(_ program: [[UInt8]]) throws(Complaint) -> [UInt8]? {
    guard let responder = try ChallengeProgram.responder(program) else { return nil }
    guard let answer = try? responder.answer(challenge, .opening) else { return nil }
    return answer.withBytes { span in span.indices.map { span[$0] } }
  }

  @Test func `the challenge goes in as hex, the answer comes as hex`() throws {
    #expect(try Self.answer(Self.words("cat")) == Self.challenge)
    #expect(
      try Self.answer(Self.words("sh", "-c", "read line; echo \" AB$line \"")) == [
        0xAB, 0x0A, 0xFF, 0x00,
      ])
  }

  @Test(arguments: [
    words("true"), words("false"), words("echo", "xyz"), words("echo", "abc"),
    words("echo", "ab cd"), words("/no/such/program"), words("sh", "-c", "cat; exit 3"),
    words("cat", "/dev/zero"),
  ])
  func `what is no answer is told`(program: [[UInt8]]) throws {
    let responder = try #require(try ChallengeProgram.responder(program))
    let error = #expect(throws: KDBXError.self) {
      _ = try responder.answer(Self.challenge, .opening)
    }
    guard case .noAnswer(let reason)? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(reason.contains(Path(program[0]).description))
    #expect(!reason.contains("0aff00"))
  }

  @Test func `ykchalresp gets a challenge of 64 bytes as its last argument`() {
    let (arguments, input) = ChallengeProgram.call(
      Self.words("/usr/bin/ykchalresp", "-2"), with: [UInt8](0..<32))
    #expect(input.isEmpty)
    let digits =
      "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
      + String(repeating: "20", count: 32)
    #expect(arguments == Self.words("/usr/bin/ykchalresp", "-2", "-x", digits))
  }

  @Test func `without a program there is nobody to ask`() throws {
    let nobody = try ChallengeProgram.responder([])
    #expect(nobody.map { _ in true } == nil)
  }
}
