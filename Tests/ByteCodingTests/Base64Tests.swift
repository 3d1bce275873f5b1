import ByteCoding
import TestSupport
import Testing

@Suite struct Base64Tests {
  /// RFC 4648, section 10, and times from `docs/kdbx.md`.
  static let vectors: [(bytes: [UInt8], text: String)] = [
    ([], ""),
    (Array("f".utf8), "Zg=="),
    (Array("fo".utf8), "Zm8="),
    (Array("foo".utf8), "Zm9v"),
    (Array("foob".utf8), "Zm9vYg=="),
    (Array("fooba".utf8), "Zm9vYmE="),
    (Array("foobar".utf8), "Zm9vYmFy"),
    ([0xFB, 0xFF, 0xBE], "+/++"),
    ([0x00, 0xF7, 0x91, 0x77, 0x0E, 0, 0, 0], "APeRdw4AAAA="),
  ]

  @Test(arguments: vectors)
  func `the vectors of the standard hold in both directions`(bytes: [UInt8], text: String) throws {
    let text = Array(text.utf8)
    #expect(Base64.encode(bytes.span) == text)
    #expect(try Base64.decode(text.span) == bytes)
    #expect(try Base64.decodedCount(of: text.span) == bytes.count)
    #expect(Base64.encodedCount(of: bytes.count) == text.count)
  }

  @Test(arguments: 0..<200)
  func `what is written reads back, white space or not`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let count = Int.random(in: 0...300, using: &random)
    let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    var text = Base64.encode(bytes.span)
    #expect(try Base64.decode(text.span) == bytes)
    for _ in 0..<Int.random(in: 0...20, using: &random) {
      let blank = Array(" \t\r\n".utf8).randomElement(using: &random) ?? 32
      text.insert(blank, at: Int.random(in: 0...text.count, using: &random))
    }
    #expect(try Base64.decodedCount(of: text.span) == count)
    #expect(try Base64.decode(text.span) == bytes)
  }

  static let damaged: [(text: String, error: Base64Error)] = [
    ("A", .badPadding(at: 1)),
    ("AA", .badPadding(at: 2)),
    ("AAA", .badPadding(at: 3)),
    ("AA=", .badPadding(at: 3)),
    ("=AAA", .badPadding(at: 0)),
    ("A=AA", .badPadding(at: 1)),
    ("AA=A", .badPadding(at: 3)),
    ("A===", .badPadding(at: 1)),
    ("====", .badPadding(at: 0)),
    ("AAAA====", .badPadding(at: 4)),
    ("AA==AA==", .badPadding(at: 4)),
    ("AA==A", .badPadding(at: 4)),
    ("AA==*", .badCharacter(at: 4)),
    ("AA==\n=", .badPadding(at: 5)),
    ("AAAAA", .badPadding(at: 5)),
    ("AAA-", .badCharacter(at: 3)),
    ("A_AA", .badCharacter(at: 1)),
    ("AAAA\u{0}", .badCharacter(at: 4)),
    ("AA\u{A0}AA", .badCharacter(at: 2)),
  ]

  @Test(arguments: damaged)
  func `damage is found where it is`(text: String, error: Base64Error) {
    let text = Array(text.utf8)
    #expect(throws: error) { try Base64.decode(text.span) }
    #expect(throws: error) { try Base64.decodedCount(of: text.span) }
  }

  /// The count is what callers make room by: it must never promise less than what comes.
  @Test(arguments: 0..<500)
  func `the count and the decoder agree on any bytes`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let alphabet = Array("ABab09+/= \n=\u{7F}".utf8)
    let text = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      alphabet.randomElement(using: &random) ?? 0
    }
    let counted = Result { () throws(Base64Error) in try Base64.decodedCount(of: text.span) }
    let decoded = Result { () throws(Base64Error) in try Base64.decode(text.span).count }
    #expect(counted == decoded)
  }
}
