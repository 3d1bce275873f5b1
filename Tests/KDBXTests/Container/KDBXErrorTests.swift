import ByteCoding
import Testing

@testable import KDBX

@Suite struct KDBXErrorTests {
  struct Sample: Sendable {
    var error: KDBXError
    var explanation: String?
    var keyIsRight: Bool

    init(_ error: KDBXError, _ explanation: String?, keyIsRight: Bool) {
      self.error = error
      self.explanation = explanation
      self.keyIsRight = keyIsRight
    }
  }

  static let samples = [
    Sample(KDBXError(.damaged, in: .headerHash), nil, keyIsRight: false),
    Sample(
      KDBXError(.damaged, in: .blocks, at: 1_048_612), "at its byte 1048612", keyIsRight: true),
    Sample(
      KDBXError(
        .truncated, in: .header, at: 20,
        cause: .bytes(ByteError(.truncated(needed: 32, left: 7), at: 20))),
      "32 bytes should follow at byte 20, and 7 do", keyIsRight: false),
    Sample(KDBXError(.truncated, in: .closingBlock, at: 3), "at its byte 3", keyIsRight: false),
    Sample(KDBXError(.truncated, in: .compressedData), nil, keyIsRight: true),
    Sample(
      KDBXError(DocumentError(.malformed(.forbiddenCharacter(2)), at: 77)),
      "there is a character that XML can't hold (0x02) at byte 77 of the XML", keyIsRight: true),
    Sample(
      KDBXError(DocumentError(.notADocument(.rootGroup))),
      "it has no group that holds all others", keyIsRight: true),
    Sample(KDBXError(.wrongKey, in: .blocks), nil, keyIsRight: false),
  ]

  @Test(arguments: samples)
  func `an error says what is wrong, and whether the key was right`(sample: Sample) {
    #expect(sample.error.explanation == sample.explanation)
    #expect(sample.error.keyIsRight == sample.keyIsRight)
  }

  /// What was read is a person's; a byte of it may be a letter of a password.
  @Test func `an error tells no byte of the document`() {
    let error = KDBXError(DocumentError(.malformed(.unexpected(UInt8(ascii: "Q"))), at: 5))
    #expect(error.explanation?.contains("Q") == false)
  }
}
