import TestSupport
import Testing
import Vault

@Suite struct TextCheckTests {
  static let good: [[UInt8]] = [
    [], Array("plain".utf8), Array("täg\tline\r\nzwei".utf8), [0x7F], [0xC2, 0x80], [0xC2, 0x9F],
    Array("\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}".utf8), Array("a\u{0301}".utf8),
  ]

  @Test(arguments: good)
  func `text that a vault can hold has no problem`(bytes: [UInt8]) {
    #expect(TextCheck.firstProblem(in: bytes.span) == nil)
  }

  static let bad: [([UInt8], TextProblem)] = [
    ([0x00], .forbiddenCharacter(at: 0)),
    (Array("a\u{02}b".utf8), .forbiddenCharacter(at: 1)),
    (Array("p\u{1B}q".utf8), .forbiddenCharacter(at: 1)),
    ([0x0C], .forbiddenCharacter(at: 0)),
    (Array("ab\u{FFFE}".utf8), .forbiddenCharacter(at: 2)),
    (Array("\u{FFFF}".utf8), .forbiddenCharacter(at: 0)),
    ([0x80], .notUTF8(at: 0)),
    ([0x61, 0xC0, 0x80], .notUTF8(at: 1)),
    ([0xC3], .notUTF8(at: 0)),
    ([0xC3, 0x28], .notUTF8(at: 0)),
    ([0xE0, 0x9F, 0xBF], .notUTF8(at: 0)),
    ([0xED, 0xA0, 0x80], .notUTF8(at: 0)),
    ([0xE2, 0x82], .notUTF8(at: 0)),
    ([0xF0, 0x8F, 0xBF, 0xBF], .notUTF8(at: 0)),
    ([0xF4, 0x90, 0x80, 0x80], .notUTF8(at: 0)),
    ([0xF5, 0x80, 0x80, 0x80], .notUTF8(at: 0)),
    ([0xFF], .notUTF8(at: 0)),
  ]

  @Test(arguments: bad)
  func `what it can't hold is named with its place`(bytes: [UInt8], problem: TextProblem) {
    #expect(TextCheck.firstProblem(in: bytes.span) == problem)
  }

  /// The judge is Swift's own decoder.
  @Test(arguments: 0..<200)
  func `it agrees with the standard library on what is UTF-8`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var bytes = Array("aé€𐍈\u{FFFD}".utf8)
    for _ in 0..<3 {
      bytes[Int.random(in: bytes.indices, using: &random)] = .random(
        in: 0x20 ... .max, using: &random)
    }
    let isUTF8 = String(validating: bytes, as: UTF8.self) != nil
    switch TextCheck.firstProblem(in: bytes.span) {
    case nil: #expect(isUTF8)
    case .notUTF8: #expect(!isUTF8)
    case .forbiddenCharacter(let at): #expect(bytes[at] == 0xEF)
    }
  }

  @Test func `every cut of a text is forgiven at the cut, and only there`() {
    let bytes = Array("x€𐍈y".utf8)
    for cut in 0...bytes.count {
      let head = Array(bytes[..<cut])
      let tail = Array(bytes[cut...])
      #expect(TextCheck.firstProblem(in: head.span, cutAtEnd: true) == nil)
      #expect(TextCheck.firstProblem(in: tail.span, cutAtStart: true) == nil)
    }
    #expect(TextCheck.firstProblem(in: [0x82, 0x82, 0x82, 0x82].span, cutAtStart: true) != nil)
    #expect(TextCheck.firstProblem(in: [0xE2, 0x28].span, cutAtEnd: true) == .notUTF8(at: 0))
  }
}
