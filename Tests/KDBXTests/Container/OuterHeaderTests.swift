import Ciphers
import Testing

@testable import KDBX

@Suite struct OuterHeaderTests {
  static func read(_ file: [UInt8]) -> Result<OuterHeader, KDBXError> {
    Result { () throws(KDBXError) in
      var reader = FileReader(file.span, in: .signature)
      return try OuterHeader(reading: &reader, of: file.span)
    }
  }

  /// A file that begins with `header`, as its version wants it.
  static func file(_ header: HandMadeHeader) -> [UInt8] {
    header.major >= 4 ? header.bytesWithChecksum : header.bytes
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var header: HandMadeHeader
  }

  static let samples: [Sample] = {
    var samples = [
      Sample(testDescription: "4.0 AES", header: .version4()),
      Sample(
        testDescription: "4.1 ChaCha20",
        header: .version4(minor: 1, cipher: HandMadeHeader.chaCha20)),
      Sample(
        testDescription: "4.0 Twofish, uncompressed",
        header: .version4(cipher: HandMadeHeader.twofish, compression: 0)),
      Sample(testDescription: "4.9, which is to come", header: .version4(minor: 9)),
      Sample(
        testDescription: "4.0 Argon2id",
        header: .version4(
          kdf: HandMadeDictionary.argon2(
            memory: 1 << 20, identifier: "9E298B1956DB4773B23DFC3EC6F0A1E6"
          ).bytes)),
      Sample(testDescription: "3.1", header: .version3()),
      Sample(
        testDescription: "3.0 ChaCha20",
        header: .version3(minor: 0, cipher: HandMadeHeader.chaCha20)),
    ]
    var odd = HandMadeHeader.version4()
    odd.fields.reverse()
    odd.fields.insert((0x77, [1, 2, 3]), at: 1)
    odd.fields.append((1, [UInt8]("a comment".utf8)))
    odd.fields.append((12, HandMadeDictionary(items: [(0x18, "name", [0x41])]).bytes))
    odd.fields.append((0x77, []))
    odd.end = []
    samples.append(Sample(testDescription: "4.0 in another order, with strangers", header: odd))
    var old = HandMadeHeader.version3(minor: 0)
    old.major = 1
    old.signature[4] = 0x66
    old.fields.removeLast()
    old.end = [0, 0xD0, 0xAD, 0x0A]
    samples.append(Sample(testDescription: "1.0, before the release", header: old))
    return samples
  }()

  @Test(arguments: samples)
  func `what is read is written back byte for byte`(sample: Sample) throws {
    let header = try Self.read(Self.file(sample.header)).get()
    #expect(header.bytes == sample.header.bytes)
  }

  @Test(arguments: samples)
  func `no cut of it is taken, and each is called a cut`(sample: Sample) {
    let file = Self.file(sample.header)
    for length in 1..<file.count {
      let error = #expect(throws: KDBXError.self) {
        try Self.read(Array(file.prefix(length))).get()
      }
      #expect(error?.kind == .truncated, "cut to \(length) bytes")
    }
  }

  /// The checksum finds whatever else a change of one byte may pass for.
  @Test func `no change of a byte of a 4.x header is taken`() {
    let file = Self.file(.version4())
    for position in file.indices {
      var changed = file
      changed[position] ^= 0x10
      #expect(throws: KDBXError.self, "byte \(position)") { try Self.read(changed).get() }
    }
  }

  @Test func `nothing at all is called empty`() {
    #expect(Self.read([]) == .failure(KDBXError(.empty, in: .signature)))
  }

  struct Stranger: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var bytes: [UInt8]
    var kind: KDBXError.Kind
  }

  static let strangers = [
    Stranger(testDescription: "text", bytes: [UInt8]("Hello, world".utf8), kind: .notAVault),
    Stranger(testDescription: "one zero", bytes: [0], kind: .notAVault),
    Stranger(
      testDescription: "an unknown second signature", bytes: hex("03D9A29A 68FB4BB5"),
      kind: .notAVault),
    Stranger(
      testDescription: "KeePass 1", bytes: hex("03D9A29A 65FB4BB5 03000000"), kind: .notAVault),
    Stranger(
      testDescription: "only a signature", bytes: hex("03D9A29A 67FB4BB5"), kind: .truncated),
    Stranger(testDescription: "a signature cut off", bytes: hex("03D9A29A 67"), kind: .truncated),
    Stranger(
      testDescription: "version 5.0", bytes: hex("03D9A29A 67FB4BB5 00000500"),
      kind: .unsupportedVersion(FormatVersion(major: 5, minor: 0))),
    Stranger(
      testDescription: "version 0.1", bytes: hex("03D9A29A 67FB4BB5 01000000"),
      kind: .unsupportedVersion(FormatVersion(major: 0, minor: 1))),
  ]

  @Test(arguments: strangers)
  func `what isn't for us is named`(stranger: Stranger) {
    let error = #expect(throws: KDBXError.self) { try Self.read(stranger.bytes).get() }
    #expect(error?.kind == stranger.kind)
  }

  struct Change: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var major: UInt16
    var id: UInt8
    /// nil: the field is left out.
    var bytes: [UInt8]?
    var kind: KDBXError.Kind
  }

  static let changes: [Change] = {
    func resized(_ major: UInt16, _ id: UInt8, _ name: String, _ sizes: [Int]) -> [Change] {
      sizes.map {
        Change(
          testDescription: "\(major): \(name) of \($0) bytes", major: major, id: id,
          bytes: [UInt8](repeating: 1, count: $0), kind: .damaged)
      }
    }
    func missing(_ major: UInt16, _ ids: [UInt8]) -> [Change] {
      ids.map {
        Change(
          testDescription: "\(major): no field \($0)", major: major, id: $0, bytes: nil,
          kind: .damaged)
      }
    }
    func unknown(
      _ major: UInt16, _ id: UInt8, _ name: String, _ bytes: [UInt8], _ feature: KDBXError.Feature
    ) -> Change {
      Change(
        testDescription: "\(major): unknown \(name)", major: major, id: id, bytes: bytes,
        kind: .unsupported(feature))
    }
    var changes: [Change] = []
    for major: UInt16 in [3, 4] {
      changes += resized(major, 2, "cipher", [0, 15, 17])
      changes += resized(major, 3, "compression", [0, 3, 8])
      changes += resized(major, 4, "master seed", [0, 31, 33])
      changes += resized(major, 7, "IV", [0, 12, 17])
      let stranger = [UInt8](repeating: 7, count: 16)
      changes.append(unknown(major, 2, "cipher", stranger, .cipher))
      changes.append(unknown(major, 3, "compression", [2, 0, 0, 0], .compression))
    }
    changes += missing(3, [2, 4, 5, 6, 7, 8, 9]) + missing(4, [2, 4, 7, 11])
    changes += resized(3, 6, "rounds", [0, 4, 9])
    changes += resized(3, 8, "stream key", [0])
    changes += resized(3, 9, "start bytes", [0, 31])
    changes += resized(4, 11, "key derivation", [0, 1, 9])
    let strange = HandMadeDictionary.aesKDF(
      rounds: 1, identifier: "ABABABABABABABABABABABABABABABAB")
    changes.append(unknown(4, 11, "key derivation", strange.bytes, .keyDerivation))
    return changes
  }()

  @Test(arguments: changes)
  func `a field that can't be right is refused`(change: Change) {
    var header: HandMadeHeader = change.major == 3 ? .version3() : .version4()
    if let bytes = change.bytes {
      header.set(change.id, to: bytes)
    } else {
      header.fields.removeAll { $0.id == change.id }
    }
    let error = #expect(throws: KDBXError.self) { try Self.read(Self.file(header)).get() }
    #expect(error?.kind == change.kind)
    #expect(error?.part == .header)
  }

  @Test func `a fault in a field is told in words`() {
    func cause(_ change: (inout HandMadeHeader) -> Void) -> String? {
      var header = HandMadeHeader.version3()
      change(&header)
      let error = #expect(throws: KDBXError.self) { try Self.read(Self.file(header)).get() }
      return error?.explanation
    }
    #expect(cause { $0.fields.removeAll { $0.id == 5 } } == "it has no field 'transform seed'")
    #expect(
      cause { $0.set(4, to: [1, 2]) } == "its field 'master seed' has 2 bytes, not 32")
  }

  @Test(arguments: [3, 4])
  func `content is compressed where the header doesn't say, and a save says so`(
    major: Int
  ) throws {
    var hand: HandMadeHeader = major == 3 ? .version3() : .version4()
    hand.fields.removeAll { $0.id == 3 }
    var header = try Self.read(Self.file(hand)).get()
    #expect(header.compression == .gzip)
    _ = header.renewForSave()
    #expect(header.field(.compression) == [1, 0, 0, 0])
  }

  @Test func `a field that says its size is negative is refused`() {
    var file = Self.file(.version4())
    file[16] = 0xFF
    let error = #expect(throws: KDBXError.self) { try Self.read(file).get() }
    #expect(error?.kind == .damaged)
  }

  @Test func `of a field that comes twice the last counts, and a save leaves one`() throws {
    var hand = HandMadeHeader.version4()
    hand.fields.insert((4, [UInt8](repeating: 1, count: 32)), at: 0)
    var header = try Self.read(Self.file(hand)).get()
    #expect(header.masterSeed == [UInt8](repeating: 0xA4, count: 32))
    header.set(.masterSeed, to: [UInt8](repeating: 2, count: 32))
    #expect(header.fields.map(\.id) == [2, 3, 4, 11, 7])
  }

  @Test func `the data that other programs keep in plain is read`() throws {
    var hand = HandMadeHeader.version4()
    hand.fields.append((12, HandMadeDictionary(items: [(0x18, "name", [0x41])]).bytes))
    let header = try Self.read(Self.file(hand)).get()
    #expect(header.publicCustomData?.items.first?.value == [0x41])
  }
}
