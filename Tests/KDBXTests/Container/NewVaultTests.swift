import Ciphers
import Secrets
import Testing

@testable import KDBX

/// What is made rather than read: key files, headers, documents.
@Suite struct NewVaultTests {
  static let now = VaultTime(unixSeconds: 1_700_000_000)

  @Test func `a new key file reads back, with its checksum, and no two are the same`() throws {
    let one = KeyFile.new()
    let other = KeyFile.new()
    let key = revealed(try KeyFile.key(from: one.bytes))
    #expect(key.count == 32)
    #expect(revealed(try KeyFile.key(from: other.bytes)) != key)
    // The key that its checksum vouches for, not the hash of any file.
    var damaged = WipedBuffer(copying: one.bytes)
    // The key's last digit stands before a line of its own for the end tag.
    let lines = [UInt8](copying: one.bytes).split(separator: UInt8(ascii: "\n"))
    let digit = lines.prefix(9).reduce(0) { $0 + $1.count + 1 } - 2
    var bytes = damaged.mutableBytes
    bytes[digit] = bytes[digit] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
    let result = Result { () throws(KDBXError) in
      revealed(try KeyFile.key(from: damaged.bytes))
    }
    guard case .failure(let error) = result else {
      Issue.record("a damaged key was taken")
      return
    }
    #expect(error.kind == .badKeyFile(.badChecksum))
  }

  @Test func `a new key file is set out as KeePass does it`() throws {
    let file = KeyFile.new()
    let text = String(decoding: [UInt8](copying: file.bytes), as: UTF8.self)
    let layout = text.map { $0.isHexDigit && !$0.isLowercase ? "X" : String($0) }.joined()
    let line = "\n\t\t\tXXXXXXXX XXXXXXXX XXXXXXXX XXXXXXXX"
    #expect(layout.contains("<Version>X.X</Version>"))
    #expect(text.contains("<Version>2.0</Version>"))
    #expect(layout.contains(" Hash=\"XXXXXXXX\">\(line)\(line)\n\t\t</"))
  }

  @Test func `new parameters have the types that KeePass asks for`() throws {
    let argon2 = KDFParameters.argon2(.id, memoryKiB: 64, iterations: 3, lanes: 2)
    let dictionary = try #require(argon2.dictionary)
    #expect(dictionary.item("I")?.type == .uint64)
    #expect(dictionary.item("M")?.type == .uint64)
    #expect(dictionary.item("P")?.type == .uint32)
    #expect(dictionary.item("V")?.type == .uint32)
    #expect(dictionary.unsigned("M") == 65536)
    #expect(argon2.salt.count == 32)
    #expect(argon2.salt != KDFParameters.argon2(.id, memoryKiB: 64, iterations: 3, lanes: 2).salt)
    let aes = KDFParameters.aes(rounds: 5)
    #expect(aes.dictionary?.item("R")?.type == .uint64)
    #expect(aes.algorithm == .aes(rounds: 5))
  }

  @Test(arguments: [
    KDFParameters.argon2(.id, memoryKiB: 64, iterations: 1, lanes: 1),
    .argon2(.d, memoryKiB: 64, iterations: 2, lanes: 2), .aes(rounds: 10),
  ])
  func `a new vault opens with its key, and is 4.1`(parameters: KDFParameters) throws {
    let key = CompositeKey(password: "new")
    let document = Document.new(name: [UInt8]("a & b".utf8), at: Self.now)
    var output = WipedBuffer()
    _ = try KDBXFile.write(
      document, as: .new(.aes256CBC, parameters), newKey: key, parameters, into: &output)
    let opened = try KDBXFile.open(output.bytes, with: key)
    #expect(opened.header.version == .kdbx41)
    #expect(opened.header.kdf.algorithm == parameters.algorithm)
    #expect(opened.header.compression == .gzip)
    let meta = opened.document.meta
    #expect(meta.databaseName == [UInt8]("a & b".utf8))
    #expect(meta.recycleBinEnabled && meta.recycleBinUUID.isZero)
    #expect(meta.memoryProtection == MemoryProtection())
    let root = opened.document.group(opened.document.root)
    #expect(root.name == [UInt8]("a & b".utf8))
    #expect(!root.uuid.isZero)
    #expect(root.times.creation == Self.now)
    #expect(throws: KDBXError.self) {
      try KDBXFile.open(output.bytes, with: CompositeKey(password: "other"))
    }
  }

  @Test func `a name that XML can't hold is left out`() {
    #expect(Document.new(name: [0x61, 0x01], at: Self.now).meta.databaseName.isEmpty)
    #expect(Document.new(name: [0xFF], at: Self.now).meta.databaseName.isEmpty)
  }

  @Test func `a new key is noted, and who asked for one once is satisfied`() throws {
    var document = try Make.document(
      """
      <KeePassFile><Meta><MasterKeyChanged/><MasterKeyChangeForceOnce>True\
      </MasterKeyChangeForceOnce></Meta><Root><Group/></Root></KeePassFile>
      """)
    document.meta.noteNewKey(at: Self.now)
    let text = String(decoding: try Make.written(document, headerHash: nil), as: UTF8.self)
    #expect(text.contains("<MasterKeyChangeForceOnce>False</MasterKeyChangeForceOnce>"))
    let time = String(decoding: Self.now.text(for: .newest), as: UTF8.self)
    #expect(text.contains("<MasterKeyChanged>\(time)</MasterKeyChanged>"))
  }
}
