import ByteCoding
import KDBX
import Platform
import Secrets

/// A program that answers challenges for a hardware key: `--challenge-response`.
///
/// It reads the challenge as hex digits and a line end from its standard input and prints the answer as
/// hex digits. `ykchalresp` wants the challenge as an argument instead, and gets it there.
enum ChallengeProgram {
  /// How long a save waits for an answer, in milliseconds (`docs/command-line.md`).
  private static let patience = 10_000
  /// The most bytes that are read of an answer: one of HMAC-SHA1 has 40 digits.
  private static let longestAnswer = 1 << 12
  /// What a hardware key takes at a time, in bytes.
  private static let blockSize = 64

  /// What asks `program`; `nil` where there is none.
  static func responder(_ program: [[UInt8]]) throws(Complaint) -> ChallengeResponder? {
    guard !program.isEmpty else { return nil }
    let program = try HelperProgram.absolute(program)
    return ChallengeResponder { (challenge, purpose) throws(KDBXError) in
      try answer(challenge, from: program, milliseconds: purpose == .saving ? patience : nil)
    }
  }

  private static func answer(
    _ challenge: [UInt8], from program: [[UInt8]], milliseconds: Int?
  ) throws(KDBXError) -> SecretBytes {
    let (arguments, input) = call(program, with: challenge)
    let output: SecretBytes
    do throws(Program.Failure) {
      output = try Program.run(
        arguments, input: input.span, limit: longestAnswer, milliseconds: milliseconds)
    } catch {
      throw KDBXError(
        .noAnswer("'\(Path(program[0]))': \(error.reason)"), in: .keyDerivation)
    }
    guard let answer = output.withBytes({ decode($0) }), answer.count > 0 else {
      throw KDBXError(
        .noAnswer("'\(Path(program[0]))' printed something else than hex digits"),
        in: .keyDerivation)
    }
    return answer
  }

  /// The argument vector and the input that put the challenge to the program.
  static func call(
    _ program: [[UInt8]], with challenge: [UInt8]
  ) -> (arguments: [[UInt8]], input: [UInt8]) {
    guard Path(program[0]).lastComponent.elementsEqual("ykchalresp".utf8) else {
      return (program, Hex.encode(challenge.span) + [0x0A])
    }
    return (program + [Array("-x".utf8), Hex.encode(padded(challenge).span)], [])
  }

  /// A challenge as KeePassXC gives it to a key: filled up with the number of bytes that are missing, so
  /// that slots for a fixed and for any length get the same.
  private static func padded(_ challenge: [UInt8]) -> [UInt8] {
    let missing = max(0, blockSize - challenge.count)
    return challenge + [UInt8](repeating: UInt8(missing), count: missing)
  }

  /// The bytes that hex digits spell, white space around them left out; `nil` if something else is there.
  private static func decode(_ text: Span<UInt8>) -> SecretBytes? {
    var start = 0
    var end = text.count
    while start < end, isSpace(text[start]) { start += 1 }
    while end > start, isSpace(text[end - 1]) { end -= 1 }
    let digits = text.extracting(start..<end)
    guard digits.count.isMultiple(of: 2) else { return nil }
    return try? SecretBytes(count: digits.count / 2) { (output) throws(BadDigits) in
      guard Hex.decode(digits, into: &output) else { throw BadDigits() }
    }
  }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || (0x09...0x0D).contains(byte)
  }

  private struct BadDigits: Error {}
}
