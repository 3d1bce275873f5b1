import Ciphers
import Secrets
import TestSupport
import Testing

@testable import KDBX

/// KeePass 1 files and keys that don't fit, and keys in all their forms.
@Suite struct KDBRefusalTests {
  static func key(_ password: [UInt8]?, _ keyFile: [UInt8]? = nil) -> CompositeKey {
    var first: SecretBytes?
    var second: SecretBytes?
    if let password { first = SecretBytes(copying: password.span) }
    if let keyFile { second = SecretBytes(copying: keyFile.span) }
    return CompositeKey(Credentials(password: first, keyFileKey: second))
  }

  // MARK: - Keys

  struct Form: Sendable, CustomTestStringConvertible {
    var testDescription: String
    /// What the file was locked with.
    var bytes: [UInt8]
  }

  static let forms = [
    Form(testDescription: "Windows-1252", bytes: [0x84, 0x70, 0xE4, 0x94]),
    Form(testDescription: "UTF-8", bytes: Array("„pä”".utf8)),
  ]

  @Test(arguments: forms)
  func `a password opens in each form that programs wrote`(form: Form) throws {
    var file = KDBFileTests.sample
    file.key = SHA256.hash(form.bytes.span)
    let opened = try KDBFileTests.open(file, with: CompositeKey(password: "„pä”"))
    #expect(opened.document.entryCount == 3)
  }

  @Test func `a password of control characters opens in Latin-1`() throws {
    var file = KDBFileTests.sample
    file.key = SHA256.hash([0x80].span)
    _ = try KDBFileTests.open(file, with: CompositeKey(password: "\u{80}"))
  }

  @Test func `a password of ASCII is tried once`() {
    #expect(CompositeKey(password: "test").keePass1Keys.count == 1)
    #expect(CompositeKey(password: "ä").keePass1Keys.count == 2)
  }

  @Test func `a key file alone is the key, with a password both are hashed`() throws {
    let keyFile = [UInt8](0..<32)
    var file = KDBFileTests.sample
    file.key = keyFile
    _ = try KDBFileTests.open(file, with: Self.key(nil, keyFile))
    file.key = SHA256.hash((SHA256.hash([UInt8]("test".utf8).span) + keyFile).span)
    _ = try KDBFileTests.open(file, with: Self.key(Array("test".utf8), keyFile))
  }

  @Test(arguments: forms)
  func `a key that was kept aside opens, whatever form the password has`(form: Form) throws {
    var file = KDBFileTests.sample
    let keyFile = [UInt8](32..<64)
    file.key = SHA256.hash((SHA256.hash(form.bytes.span) + keyFile).span)
    let key = Self.key(Array("„pä”".utf8), keyFile)
    var kept: CompositeKey?
    key.withParts(ofKeePass1: true) {
      kept = CompositeKey(restoring: $0.copy(), responder: nil)
    }
    let opened = try KDBFileTests.open(file, with: try #require(kept))
    #expect(opened.document.entryCount == 3)
  }

  @Test func `a key that was kept aside is the same key in KDBX`() throws {
    let key = Self.key(Array("„pä”".utf8), [UInt8](32..<64))
    var kept: CompositeKey?
    key.withParts(ofKeePass1: false) {
      kept = CompositeKey(restoring: $0.copy(), responder: nil)
    }
    let isSame = try #require(kept).bytes.matches(key.bytes)
    #expect(isSame)
  }

  @Test func `an XML key file is none, but bytes like any other`() {
    let xml = [UInt8]("<KeyFile><Meta><Version>1.0</Version></Meta></KeyFile>".utf8)
    #expect(revealed(KeyFile.keePass1Key(from: xml.span)) == SHA256.hash(xml.span))
    #expect(revealed(KeyFile.keePass1Key(from: [UInt8](0..<32).span)) == [UInt8](0..<32))
  }

  // MARK: - Refusals

  @Test func `a wrong password is called that`() throws {
    let bytes = try KDBFileTests.sample.bytes
    #expect(KDBFileTests.failure(bytes, with: CompositeKey(password: "no"))?.kind == .wrongKey)
    #expect(KDBFileTests.failure(bytes, with: Self.key(nil))?.kind == .wrongKey)
  }

  @Test func `damage behind the first block is told from a wrong password`() throws {
    var bytes = try KDBFileTests.sample.bytes
    bytes[bytes.count / 2] ^= 1
    #expect(KDBFileTests.failure(bytes)?.kind == .damaged)
    bytes = Array(try KDBFileTests.sample.bytes.dropLast(32))
    #expect(KDBFileTests.failure(bytes)?.kind == .damaged)
  }

  @Test func `a checksum that does not fit is damage`() throws {
    var file = KDBFileTests.sample
    file.hasWrongHash = true
    #expect(KDBFileTests.failure(try file.bytes)?.kind == .damaged)
  }

  @Test func `a cut inside a block is told without a key`() throws {
    let bytes = Array(try KDBFileTests.sample.bytes.dropLast(3))
    let error = KDBFileTests.failure(bytes, with: CompositeKey(password: "no"))
    #expect(error?.kind == .truncated)
  }

  @Test(arguments: [8, 20, 60, 123])
  func `no cut of the header is taken`(length: Int) throws {
    let bytes = Array(try KDBFileTests.sample.bytes.prefix(length))
    #expect(KDBFileTests.failure(bytes)?.kind == .truncated)
    #expect(throws: KDBXError.self) { _ = try KDBXFile.header(of: bytes.span) }
  }

  @Test func `counts that the file has no room for are refused without a key`() throws {
    var file = KDBFileTests.sample
    file.groupCount = 0xFFFF_FFFF
    let bytes = try file.bytes
    let error = #expect(throws: KDBXError.self) { _ = try KDBXFile.header(of: bytes.span) }
    #expect(error?.kind == .damaged)
  }

  @Test func `counts that do not fit the records are damage`() throws {
    for count: UInt32 in [3, 5] {
      var file = KDBFileTests.sample
      file.groupCount = count
      #expect(KDBFileTests.failure(try file.bytes) != nil)
    }
    var file = KDBFileTests.sample
    file.trailer = [1]
    #expect(KDBFileTests.failure(try file.bytes)?.kind == .damaged)
  }

  @Test func `another version and another cipher are named`() throws {
    var file = KDBFileTests.sample
    file.version = 0x0002_0001
    #expect(
      KDBFileTests.failure(try file.bytes)?.kind
        == .unsupportedVersion(FormatVersion(major: 2, minor: 1)))
    file = KDBFileTests.sample
    file.flags = 5
    #expect(KDBFileTests.failure(try file.bytes)?.kind == .unsupported(.cipher))
  }

  @Test func `more rounds than may be are refused before any work`() throws {
    let bytes = try KDBFileTests.sample.bytes
    var limits = Limits.standard
    limits.aesRounds = 1
    let error = #expect(throws: KDBXError.self) {
      _ = try KDBXFile.open(bytes.span, with: CompositeKey(password: "test"), limits: limits)
    }
    #expect(error?.kind == .tooExpensive(.rounds(2, limit: 1)))
  }

  /// One changed bit anywhere never opens as something else.
  @Test(arguments: 0..<64)
  func `no flipped bit passes`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var bytes = try KDBFileTests.sample.bytes
    let original = try KDBFileTests.open(KDBFileTests.sample).document
    // Not the rounds, which may become billions.
    let place = Int.random(in: 0..<(bytes.count - 4), using: &random)
    let index = place < 120 ? place : place + 4
    bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
    if let opened = try? KDBXFile.open(bytes.span, with: CompositeKey(password: "test")) {
      // Bits of the flags and of the version mean nothing to us.
      #expect((8..<16).contains(index))
      #expect(KDBFileTests.paths(opened.document) == KDBFileTests.paths(original))
    }
  }
}
