import Ciphers
import Secrets
import Testing

@testable import KDBX

@Suite struct InnerHeaderTests {
  static let streamKey = [UInt8](0..<64)
  static let attachment = [UInt8]("an attachment that is not to lie around".utf8)

  static func field(_ id: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [id] + littleEndian(Int32(bytes.count)) + bytes
  }

  /// With two attachments, one of them empty, and a field that nobody knows.
  static let whole =
    field(1, [3, 0, 0, 0]) + field(2, streamKey) + field(0x55, [5, 5]) + field(3, [1] + attachment)
    + field(3, [0x80]) + field(0, [])

  /// What becomes of `content`, and the header that was taken off it.
  static func take(_ content: [UInt8]) -> Result<(InnerHeader, [UInt8]), KDBXError> {
    Result { () throws(KDBXError) in
      var buffer = WipedBuffer(copying: content.span)
      let header = try InnerHeader(takingSecretsFrom: &buffer)
      return (header, [UInt8](copying: buffer.bytes))
    }
  }

  @Test func `everything in it is found`() throws {
    let xml = [UInt8]("<KeePassFile/>".utf8)
    let (header, content) = try Self.take(Self.whole + xml).get()
    #expect(header.innerStream.kind == .chaCha20)
    #expect(header.unknownFields == [HeaderField(id: 0x55, bytes: [5, 5])])
    #expect(header.binaries.map(\.flags) == [1, 0x80])
    #expect(header.binaries.map(\.content.count) == [Self.attachment.count, 0])
    #expect(header.byteCount == Self.whole.count)
    #expect([UInt8](content[header.byteCount...]) == xml)
  }

  @Test func `the key of the stream is overwritten, and works`() throws {
    let (header, content) = try Self.take(Self.whole).get()
    #expect(content[14..<78].allSatisfy { $0 == 0 })
    var zeros = WipedBuffer()
    zeros.append(zeros: 16)
    var bytes = zeros.mutableBytes
    header.innerStream.apply(at: 0, to: &bytes)
    // The vector of docs/kdbx.md 12.
    #expect([UInt8](copying: bytes.span) == hex("8ce8bc610ac05ff2e3dd88b49a1404c2"))
  }

  @Test func `attachments are sealed where they lie`() throws {
    let (header, content) = try Self.take(Self.whole).get()
    let place = header.binaries[0].content
    #expect([UInt8](Self.whole[place]) == Self.attachment)
    #expect([UInt8](content[place]) != Self.attachment)
    var opened = WipedBuffer(copying: content.span.extracting(place))
    var bytes = opened.mutableBytes
    header.sealingKey.open(header.binaries[0].nonce, &bytes)
    #expect([UInt8](copying: bytes.span) == Self.attachment)
  }

  @Test func `no cut of it is taken`() {
    for length in 0..<Self.whole.count {
      let error = #expect(throws: KDBXError.self) {
        try Self.take(Array(Self.whole.prefix(length))).get()
      }
      #expect(error?.kind == .truncated, "cut to \(length) bytes")
      #expect(error?.part == .innerHeader)
    }
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var kind: KDBXError.Kind
  }

  static let bad = [
    Bad(
      testDescription: "no stream", bytes: field(2, streamKey) + field(0, []), kind: .damaged),
    Bad(
      testDescription: "no key", bytes: field(1, [3, 0, 0, 0]) + field(0, []), kind: .damaged),
    Bad(
      testDescription: "an empty key",
      bytes: field(1, [3, 0, 0, 0]) + field(2, []) + field(0, []), kind: .damaged),
    Bad(
      testDescription: "stream 4", bytes: field(1, [4, 0, 0, 0]), kind: .unsupported(.innerStream)),
    Bad(
      testDescription: "a stream of two bytes", bytes: field(1, [3, 0]),
      kind: .unsupported(.innerStream)),
    Bad(testDescription: "an attachment without flags", bytes: field(3, []), kind: .damaged),
    Bad(
      testDescription: "a negative size", bytes: [3, 0xFF, 0xFF, 0xFF, 0xFF, 0], kind: .damaged),
  ]

  @Test(arguments: [[], field(2, streamKey)])
  func `where nothing is enciphered no key is needed`(key: [UInt8]) throws {
    let (header, _) = try Self.take(Self.field(1, [0, 0, 0, 0]) + key + Self.field(0, [])).get()
    #expect(header.innerStream.kind == .none)
  }

  @Test(arguments: bad)
  func `what can't be right is refused`(bad: Bad) {
    let error = #expect(throws: KDBXError.self) { try Self.take(bad.bytes).get() }
    #expect(error?.kind == bad.kind)
  }
}
