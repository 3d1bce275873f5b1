import ByteCoding
import Ciphers
import Secrets
import Testing

@testable import KDBX

/// Whole vaults, opened and written.
@Suite struct KDBXFileTests {
  /// A small vault: two entries with a password each, one of them with an old version.
  struct SmallVault {
    var isVersion4 = true
    var minor: UInt16 = 0
    var stream = InnerStream.Kind.chaCha20
    /// What goes into Meta.
    var meta = ""
    var innerFields: [UInt8] = []
    var header: HandMadeHeader

    static let passwords = ["first password", "old password", "second password"]

    static func version4() -> SmallVault {
      SmallVault(header: .version4())
    }

    static func version3(minor: UInt16 = 1) -> SmallVault {
      SmallVault(
        isVersion4: false, minor: minor, stream: .salsa20, header: .version3(minor: minor))
    }

    private var streamKey: [UInt8] {
      isVersion4 ? [UInt8](repeating: 0xB8, count: 64) : [UInt8](repeating: 0xA8, count: 32)
    }

    private func uuid(_ number: UInt8) -> String {
      let bytes = [UInt8](repeating: number, count: 16)
      return "<UUID>\(String(decoding: Base64.encode(bytes.span), as: UTF8.self))</UUID>"
    }

    private func string(_ key: String, _ value: String, from offset: UInt64? = nil) -> String {
      guard let offset else {
        return "<String><Key>\(key)</Key><Value>\(value)</Value></String>"
      }
      let plain = [UInt8](value.utf8)
      var buffer = WipedBuffer(copying: plain.span)
      var bytes = buffer.mutableBytes
      let key0 = streamKey
      InnerStream(stream, key: key0.span).apply(at: offset, to: &bytes)
      let text = String(decoding: Base64.encode(bytes.span), as: UTF8.self)
      return "<String><Key>\(key)</Key><Value Protected=\"True\">\(text)</Value></String>"
    }

    var xml: String {
      let passwords = Self.passwords
      let first = UInt64(passwords[0].utf8.count)
      let second = first + UInt64(passwords[1].utf8.count)
      return """
        <?xml version="1.0" encoding="utf-8" standalone="yes"?>
        <KeePassFile><Meta><Generator>hand</Generator>\(meta)</Meta><Root>
        <Group>\(uuid(1))<Name>Root</Name>
        <Entry>\(uuid(2))\(string("Title", "One &amp; only"))\(string("Password", passwords[0], from: 0))
        <History><Entry>\(uuid(2))\(string("Password", passwords[1], from: first))</Entry></History></Entry>
        <Entry>\(uuid(3))\(string("Password", passwords[2], from: second))<Strange a='1'/></Entry>
        </Group></Root></KeePassFile>
        """
    }

    var file: HandMadeFile {
      var content: [UInt8] = []
      if isVersion4 {
        content += InnerHeaderTests.field(1, littleEndian(stream.rawValue))
        content += InnerHeaderTests.field(2, streamKey)
        content += innerFields + InnerHeaderTests.field(0, [])
      }
      content += [UInt8](xml.utf8)
      return HandMadeFile(header: header, content: content)
    }
  }

  static let key = CompositeKey(password: "test")

  static func open(_ file: [UInt8]) throws(KDBXError) -> OpenedFile {
    try KDBXFile.open(file.span, with: key)
  }

  static func write(_ opened: OpenedFile, renewing: Bool = false) throws -> [UInt8] {
    var output = WipedBuffer()
    let saved = try KDBXFile.write(
      opened.document, as: opened.header, key: opened.key,
      renewingSaltWith: renewing ? key : nil, into: &output)
    try KDBXFile.verify(output.bytes, key: saved.key, against: opened.document)
    return [UInt8](copying: output.bytes)
  }

  static func passwords(of document: Document) -> [String] {
    document.allEntries.flatMap { id -> [Entry] in
      let entry = document.entry(id)
      return [entry] + entry.history
    }.compactMap { entry in
      guard let field = entry.string([UInt8]("Password")) else { return nil }
      var value = WipedBuffer()
      document.values.open(field.value, into: &value)
      return String(decoding: [UInt8](copying: value.bytes), as: UTF8.self)
    }
  }

  /// What a file holds behind its encryption.
  static func content(of file: [UInt8]) throws -> String {
    String(decoding: try bytes(of: file), as: UTF8.self)
  }

  static func bytes(of file: [UInt8]) throws -> [UInt8] {
    let sealed = try SealedVault(file.span)
    let key = try DerivedKey(from: Self.key, with: sealed.header.kdf)
    let content = try sealed.open(with: key, limit: 1 << 20)
    return [UInt8](copying: content.bytes)
  }

  @Test(arguments: [true, false])
  func `a vault opens, is written and opens again`(isVersion4: Bool) throws {
    let vault: SmallVault = isVersion4 ? .version4() : .version3()
    let opened = try Self.open(vault.file.bytes)
    #expect(Self.passwords(of: opened.document) == SmallVault.passwords)
    for renewing in [false, true] {
      let written = try Self.write(opened, renewing: renewing)
      let again = try Self.open(written)
      #expect(Self.passwords(of: again.document) == SmallVault.passwords)
      #expect((again.header.kdf.salt == opened.header.kdf.salt) == !renewing)
      #expect(again.header.kdf.salt.count == opened.header.kdf.salt.count)
      #expect(again.header.kdf.algorithm == opened.header.kdf.algorithm)
    }
  }

  @Test(arguments: [true, false])
  func `no two saves share a seed, an IV or a key`(isVersion4: Bool) throws {
    let vault: SmallVault = isVersion4 ? .version4() : .version3()
    let opened = try Self.open(vault.file.bytes)
    let headers = try [
      OuterHeaderTests.read(vault.file.bytes).get(),
      OuterHeaderTests.read(Self.write(opened)).get(),
      OuterHeaderTests.read(Self.write(opened)).get(),
    ]
    let ids: [OuterHeader.FieldID] =
      [.masterSeed, .encryptionIV] + (isVersion4 ? [] : [.innerStreamKey, .streamStart])
    for id in ids {
      #expect(Set(headers.map { $0.field(id) }).count == 3, "\(id)")
      #expect(Set(headers.map { $0.field(id).count }).count == 1, "\(id)")
    }
    guard isVersion4 else { return }
    // Behind the number of the inner stream, in 9 bytes, comes its key, in 64 behind 5.
    var keys: Set<[UInt8]> = []
    for _ in 0..<3 {
      let key = try Array(Self.bytes(of: Self.write(opened))[9..<78])
      #expect(key.starts(with: [2, 64, 0, 0, 0]))
      keys.insert(key)
    }
    #expect(keys.count == 3)
  }

  @Test func `strange fields of both headers are kept`() throws {
    var vault = SmallVault.version4()
    vault.header.fields.insert((0x66, [6, 6]), at: 2)
    vault.header.fields.append((1, [UInt8]("comment".utf8)))
    vault.innerFields = InnerHeaderTests.field(0x55, [5]) + InnerHeaderTests.field(0x56, [])
    let opened = try Self.open(vault.file.bytes)
    let written = try Self.write(opened)
    let again = try Self.open(written)
    #expect(again.header.fields.map(\.id) == [2, 3, 0x66, 4, 11, 7, 1])
    #expect(again.header.fields[2].bytes == [6, 6])
    #expect(
      again.header.unknownInnerFields == [
        HeaderField(id: 0x55, bytes: [5]), HeaderField(id: 0x56, bytes: []),
      ])
  }

  @Test func `fields that KDBX 3 doesn't know are kept in it`() throws {
    var vault = SmallVault.version3()
    let data = HandMadeDictionary(items: [(0x18, "name", [0x41])]).bytes
    vault.header.fields += [(12, data), (0x66, [6])]
    let again = try Self.open(try Self.write(try Self.open(vault.file.bytes)))
    #expect(again.header.field(.publicCustomData) == data)
    #expect(again.header.fields.last == HeaderField(id: 0x66, bytes: [6]))
  }

  @Test func `fields of KDBX 3 don't stay in KDBX 4, where others refuse them`() throws {
    var vault = SmallVault.version4()
    vault.header.fields += [(5, [1]), (6, [2]), (8, [3]), (9, [4]), (10, [5])]
    let written = try Self.write(try Self.open(vault.file.bytes))
    #expect(try Self.open(written).header.fields.map(\.id) == [2, 3, 4, 11, 7])
  }

  @Test func `the key of KDBX 3's inner stream doesn't stay in memory`() throws {
    let opened = try Self.open(SmallVault.version3().file.bytes)
    #expect(opened.header.field(.innerStreamKey) == [UInt8](repeating: 0, count: 32))
    var output = WipedBuffer()
    let saved = try KDBXFile.write(
      opened.document, as: opened.header, key: opened.key, renewingSaltWith: nil, into: &output)
    #expect(saved.header.field(.innerStreamKey) == [UInt8](repeating: 0, count: 32))
    let written = try KDBXFile.header(of: output.bytes)
    #expect(written.field(.innerStreamKey) != [UInt8](repeating: 0, count: 32))
  }

  @Test func `KDBX 3 is written with the one inner stream that all read`() throws {
    var vault = SmallVault.version3()
    vault.stream = .arcFourVariant
    vault.header.set(10, to: [1, 0, 0, 0])
    let opened = try Self.open(vault.file.bytes)
    #expect(Self.passwords(of: opened.document) == SmallVault.passwords)
    let again = try Self.open(try Self.write(opened))
    #expect(again.header.field(.innerStream) == [2, 0, 0, 0])
    #expect(Self.passwords(of: again.document) == SmallVault.passwords)
  }

  @Test(arguments: [true, false])
  func `values that are not enciphered are read, and enciphered by the next save`(
    isVersion4: Bool
  ) throws {
    var vault: SmallVault = isVersion4 ? .version4() : .version3()
    vault.stream = .none
    vault.header.set(10, to: [0, 0, 0, 0])
    let opened = try Self.open(vault.file.bytes)
    #expect(Self.passwords(of: opened.document) == SmallVault.passwords)
    let found = opened.document.examine(headerHash: []).findings.map(\.fault)
    #expect(found.contains(.noInnerStream))
    let again = try Self.open(try Self.write(opened))
    #expect(Self.passwords(of: again.document) == SmallVault.passwords)
    #expect(again.document.values.source.innerStream.kind == (isVersion4 ? .chaCha20 : .salsa20))
  }

  // MARK: - The header's hash in the document

  static func hashElement(_ header: HandMadeHeader) -> String {
    let hash = SHA256.hash(header.bytes.span)
    return "<HeaderHash>\(String(decoding: Base64.encode(hash.span), as: UTF8.self))</HeaderHash>"
  }

  @Test func `in KDBX 3 a wrong hash is found, a right one is renewed`() throws {
    var vault = SmallVault.version3()
    vault.meta = Self.hashElement(vault.header)
    let opened = try Self.open(vault.file.bytes)
    let written = try Self.write(opened)
    let header = try OuterHeaderTests.read(written).get()
    let text = String(decoding: Base64.encode(SHA256.hash(header.bytes.span).span), as: UTF8.self)
    #expect(try Self.content(of: written).contains("<HeaderHash>\(text)</HeaderHash>"))

    vault.header.end = [0, 0, 0, 0]
    let error = #expect(throws: KDBXError.self) { try Self.open(vault.file.bytes) }
    #expect(error == KDBXError(.damaged, in: .headerHash))
  }

  @Test(arguments: [0, 1])
  func `of KDBX 3 the later version gets a hash where it has none`(minor: UInt16) throws {
    let opened = try Self.open(SmallVault.version3(minor: minor).file.bytes)
    let content = try Self.content(of: Self.write(opened))
    #expect(content.contains("<HeaderHash>") == (minor == 1))
  }

  @Test func `in KDBX 4 a stale hash is no matter, and goes at the next save`() throws {
    var vault = SmallVault.version4()
    vault.meta = Self.hashElement(.version3())
    let opened = try Self.open(vault.file.bytes)
    let written = try Self.write(opened)
    #expect(try !Self.content(of: written).contains("HeaderHash"))
  }

  // MARK: - Damage

  @Test(arguments: [true, false])
  func `no cut of a vault is opened`(isVersion4: Bool) throws {
    let vault: SmallVault = isVersion4 ? .version4() : .version3()
    let file = try vault.file.bytes
    for length in 1..<file.count {
      do throws(KDBXError) {
        let opened = try Self.open(Array(file.prefix(length)))
        // Padding that is missing altogether does no harm.
        #expect(!isVersion4 && length == file.count - 16)
        #expect(Self.passwords(of: opened.document) == SmallVault.passwords)
      } catch {
        #expect(error.kind == .truncated, "cut to \(length) bytes: \(error)")
      }
    }
  }

  @Test func `a document that isn't one is called damaged, the key being right`() throws {
    var file = SmallVault.version4().file
    file.content = Array(file.content.dropLast(3))
    let error = #expect(throws: KDBXError.self) { try Self.open(file.bytes) }
    #expect(error?.kind == .damaged)
    #expect(error?.part == .document)
  }

  @Test func `what was written differently is found`() throws {
    let vault = SmallVault.version4()
    let opened = try Self.open(vault.file.bytes)
    var other = opened.document
    let id = try #require(other.allEntries.first)
    var entry = other.entry(id)
    entry.set([UInt8]("Title"), to: .plain([UInt8]("Another".utf8)), isProtected: false)
    other.replace(id, with: entry)
    let written = try Self.write(opened)
    let error = #expect(throws: KDBXError.self) {
      try KDBXFile.verify(written.span, key: opened.key, against: other)
    }
    #expect(error == KDBXError(.writtenDifferently, in: .document))
    // And damage to the file, in each of its bytes.
    for position in stride(from: 0, to: written.count, by: 7) {
      var changed = written
      changed[position] ^= 1
      #expect(throws: KDBXError.self, "byte \(position)") {
        try KDBXFile.verify(changed.span, key: opened.key, against: opened.document)
      }
    }
  }
}
