import ByteCoding
import Testing

@testable import KDBX

@Suite struct VariantDictionaryTests {
  /// One item of each type, and one that nobody knows by name.
  static let everything = HandMadeDictionary(items: [
    (0x04, "four", [1, 2, 3, 4]),
    (0x05, "eight", [1, 2, 3, 4, 5, 6, 7, 8]),
    (0x08, "bool", [1]),
    (0x0C, "signed four", [0xFF, 0xFF, 0xFF, 0xFF]),
    (0x0D, "signed eight", [0, 0, 0, 0, 0, 0, 0, 0x80]),
    (0x18, "text", [UInt8]("Grüße".utf8)),
    (0x42, "bytes", []),
    (0x42, "", [9]),
  ])

  @Test func `what is read is written back byte for byte`() throws {
    let bytes = Self.everything.bytes
    let dictionary = try VariantDictionary(reading: bytes.span)
    #expect(dictionary.items.count == 8)
    #expect(dictionary.bytes == bytes)
  }

  @Test func `a later minor version is read and kept`() throws {
    var hand = Self.everything
    hand.version = [0x07, 0x01]
    let bytes = hand.bytes
    #expect(try VariantDictionary(reading: bytes.span).bytes == bytes)
  }

  @Test func `numbers of both widths are read, and nothing else as a number`() throws {
    let bytes = Self.everything.bytes
    let dictionary = try VariantDictionary(reading: bytes.span)
    #expect(dictionary.unsigned("four") == 0x0403_0201)
    #expect(dictionary.unsigned("eight") == 0x0807_0605_0403_0201)
    #expect(dictionary.unsigned("signed four") == nil)
    #expect(dictionary.unsigned("text") == nil)
    #expect(dictionary.bytes("bytes") == [])
    #expect(dictionary.bytes("text") == nil)
    #expect(dictionary.bytes("absent") == nil)
  }

  @Test func `no cut of it is taken`() {
    let bytes = Self.everything.bytes
    for length in 0..<bytes.count {
      let cut = Array(bytes.prefix(length))
      let error = #expect(throws: ByteError.self) {
        _ = try VariantDictionary(reading: cut.span)
      }
      if case .truncated = error?.problem { continue }
      Issue.record("cut to \(length) bytes: \(String(describing: error))")
    }
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var error: ByteError
  }

  static let bad = [
    Bad(
      testDescription: "a critical version", bytes: [0, 2, 0],
      error: ByteError(.unexpected(0x0200), at: 0)),
    Bad(
      testDescription: "a type that nobody knows", bytes: [0, 1, 0x77, 0],
      error: ByteError(.unexpected(0x77), at: 2)),
    Bad(
      testDescription: "a negative length", bytes: [0, 1, 0x42, 0xFF, 0xFF, 0xFF, 0xFF],
      error: ByteError(.negativeLength(-1), at: 3)),
    Bad(
      testDescription: "a number of the wrong size",
      bytes: HandMadeDictionary(items: [(0x05, "R", [1, 2, 3, 4])]).bytes,
      error: ByteError(.unexpected(4), at: 8)),
  ]

  @Test(arguments: bad)
  func `what can't be right is refused where it stands`(bad: Bad) {
    let error = #expect(throws: ByteError.self) {
      _ = try VariantDictionary(reading: bad.bytes.span)
    }
    #expect(error == bad.error)
  }
}
