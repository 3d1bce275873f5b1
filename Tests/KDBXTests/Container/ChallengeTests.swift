import Ciphers
import Secrets
import Synchronization
import Testing

@testable import KDBX

/// Vaults that a hardware key has a part in (`docs/kdbx.md` 3.3).
@Suite struct ChallengeTests {
  /// A hardware key, and what it was asked.
  final class HardwareKey: Sendable {
    let secret: [UInt8]
    /// Whether it answers when a vault is saved.
    let answersSaves: Bool
    private let asked = Mutex<[[UInt8]]>([])

    init(secret: [UInt8] = [1, 2, 3], answersSaves: Bool = true) {
      self.secret = secret
      self.answersSaves = answersSaves
    }

    var challenges: [[UInt8]] { asked.withLock { $0 } }

    func answer(to challenge: [UInt8]) -> [UInt8] {
      let secret = secret
      var hmac = HMAC(.sha1, key: secret.span)
      hmac.update(challenge.span)
      return hmac.finalize()
    }

    var responder: ChallengeResponder {
      ChallengeResponder { (challenge, purpose) throws(KDBXError) in
        self.asked.withLock { $0.append(challenge) }
        guard purpose == .opening || self.answersSaves else {
          throw KDBXError(.noAnswer("nobody touched it"), in: .keyDerivation)
        }
        let answer = self.answer(to: challenge)
        return SecretBytes(copying: answer.span)
      }
    }

    func composite(password: String = "test") -> CompositeKey {
      let bytes = [UInt8](password.utf8)
      return CompositeKey(
        Credentials(
          password: SecretBytes(copying: bytes.span), keyFileKey: nil, responder: responder))
    }
  }

  /// A vault of KDBX 3 or 4 that wants the answers of `key`.
  static func vault(_ major: Int, _ key: HardwareKey) throws -> [UInt8] {
    let small: KDBXFileTests.SmallVault = major >= 4 ? .version4() : .version3()
    var file = small.file
    file.answer = { key.answer(to: $0) }
    return try file.bytes
  }

  static func challenge(_ header: OuterHeader) -> [UInt8] {
    header.version.major >= 4 ? header.kdf.salt : header.masterSeed
  }

  static func write(
    _ opened: OpenedFile, _ composite: CompositeKey?, _ responder: ChallengeResponder?
  ) throws -> (bytes: [UInt8], header: OuterHeader, key: DerivedKey) {
    var output = WipedBuffer()
    let written = try KDBXFile.write(
      opened.document, as: opened.header, key: opened.key, renewingSaltWith: composite,
      askingForNewSeed: responder, into: &output)
    try KDBXFile.verify(output.bytes, key: written.key, against: opened.document)
    return ([UInt8](copying: output.bytes), written.header, written.key)
  }

  @Test(arguments: [3, 4])
  func `the answer opens it, and is asked for once`(major: Int) throws {
    let key = HardwareKey()
    let bytes = try Self.vault(major, key)
    let opened = try KDBXFile.open(bytes.span, with: key.composite())
    #expect(opened.document.entryCount == 2)
    #expect(key.challenges == [Self.challenge(opened.header)])
  }

  @Test(arguments: [3, 4])
  func `without it, with another answer and with another password it stays shut`(
    major: Int
  ) throws {
    let key = HardwareKey()
    let bytes = try Self.vault(major, key)
    let other = HardwareKey(secret: [9])
    for wrong in [
      CompositeKey(password: "test"), other.composite(), key.composite(password: "no"),
    ] {
      let error = #expect(throws: KDBXError.self) {
        _ = try KDBXFile.open(bytes.span, with: wrong)
      }
      #expect(error?.kind == .wrongKey)
    }
  }

  @Test(arguments: [3, 4])
  func `a program that gives no answer is named`(major: Int) throws {
    let key = HardwareKey()
    let bytes = try Self.vault(major, key)
    let mute = ChallengeResponder { (_, _) throws(KDBXError) in
      throw KDBXError(.noAnswer("it broke"), in: .keyDerivation)
    }
    let password = [UInt8]("test".utf8)
    let composite = CompositeKey(
      Credentials(
        password: SecretBytes(copying: password.span), keyFileKey: nil, responder: mute))
    let error = #expect(throws: KDBXError.self) {
      _ = try KDBXFile.open(bytes.span, with: composite)
    }
    #expect(error?.kind == .noAnswer("it broke"))
  }

  @Test(arguments: [3, 4])
  func `a save by itself asks nothing and keeps what was asked`(major: Int) throws {
    let key = HardwareKey()
    let bytes = try Self.vault(major, key)
    let opened = try KDBXFile.open(bytes.span, with: key.composite())
    let saved = try Self.write(opened, nil, nil)
    #expect(key.challenges.count == 1)
    #expect(Self.challenge(saved.header) == Self.challenge(opened.header))
    #expect(saved.header.iv != opened.header.iv)
    let again = try KDBXFile.open(saved.bytes.span, with: key.composite())
    #expect(again.document.hasSameContent(as: opened.document))
  }

  @Test func `KDBX 4 keeps the salt, and so the answer, also at the end`() throws {
    let key = HardwareKey()
    let bytes = try Self.vault(4, key)
    let composite = key.composite()
    let opened = try KDBXFile.open(bytes.span, with: composite)
    let saved = try Self.write(opened, composite, composite.responder)
    #expect(key.challenges.count == 1)
    #expect(saved.header.kdf.salt == opened.header.kdf.salt)
    #expect(saved.header.masterSeed != opened.header.masterSeed)
    _ = try KDBXFile.open(saved.bytes.span, with: key.composite())
  }

  @Test func `KDBX 3 gets the answer to a new seed, and a new salt`() throws {
    let key = HardwareKey()
    let bytes = try Self.vault(3, key)
    let composite = key.composite()
    let opened = try KDBXFile.open(bytes.span, with: composite)
    let saved = try Self.write(opened, composite, composite.responder)
    #expect(saved.header.masterSeed != opened.header.masterSeed)
    #expect(saved.header.kdf.salt != opened.header.kdf.salt)
    #expect(key.challenges == [opened.header.masterSeed, saved.header.masterSeed])
    _ = try KDBXFile.open(saved.bytes.span, with: key.composite())
    // The key of before is that of another seed.
    #expect(throws: KDBXError.self) { _ = try KDBXFile.open(saved.bytes.span, with: opened.key) }
  }

  @Test func `KDBX 3 keeps the seed where no answer comes`() throws {
    let key = HardwareKey(answersSaves: false)
    let bytes = try Self.vault(3, key)
    let composite = key.composite()
    let opened = try KDBXFile.open(bytes.span, with: composite)
    let saved = try Self.write(opened, composite, composite.responder)
    #expect(key.challenges.count == 2)
    #expect(saved.header.masterSeed == opened.header.masterSeed)
    _ = try KDBXFile.open(saved.bytes.span, with: key.composite())
  }

  @Test func `a vault without a hardware key gets a new seed each time`() throws {
    let small: KDBXFileTests.SmallVault = .version3()
    let bytes = try small.file.bytes
    let opened = try KDBXFile.open(bytes.span, with: CompositeKey(password: "test"))
    let saved = try Self.write(opened, nil, nil)
    #expect(saved.header.masterSeed != opened.header.masterSeed)
  }
}
