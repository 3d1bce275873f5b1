import Ciphers
import Secrets
import TestSupport
import Testing

@testable import KDBX

/// Vaults that other programs wrote.
@Suite(.enabled(if: SharedFolder.isThere, "\(SharedFolder.hint)"))
struct SharedVaultTests {
  typealias Case = SharedVaults.Case

  /// Holds a character that XML can't: in KDBX 3, where that was a fault of KeePassX, it is passed
  /// over.
  static let withControl = "keepassxc.bug392.old.kdbx"

  static let opening = SharedVaults.cases.filter {
    $0.expect == "opens" && !$0.hasChallenge
  }
  static let refused = SharedVaults.cases.filter { $0.expect == "refused" }
  static let legacy = SharedVaults.cases.filter { $0.expect == "legacy" }
  static let either = SharedVaults.cases.filter { $0.expect == "either" }

  static func open(_ vault: Case) throws(KDBXError) -> OpenedFile {
    let bytes = vault.bytes
    return try KDBXFile.open(bytes.span, with: try vault.compositeKey())
  }

  /// What the strings of an entry are, as far as they are written out.
  static func strings(of entry: Entry, in document: Document) -> [[String]] {
    entry.strings.map { field in
      var value = WipedBuffer()
      document.values.open(field.value, into: &value)
      return [
        String(decoding: field.key, as: UTF8.self),
        String(decoding: [UInt8](copying: value.bytes), as: UTF8.self),
        "\(field.isProtected)",
      ]
    }
  }

  static func expectedStrings(of entry: JSON) -> [[String]]? {
    let strings = (entry["strings"]?.array ?? []).map { string -> [String]? in
      guard let key = string["key"]?.string, let value = string["value"]?.string,
        case .bool(let isProtected) = string["protected"] ?? .bool(false)
      else { return nil }
      return [key, value, "\(isProtected)"]
    }
    return strings.contains { $0 == nil } ? nil : strings.compactMap(\.self)
  }

  /// One test for both, so that a key is derived once: some of these take a second.
  @Test(arguments: opening)
  func `opens, holds what it is known to hold, and is written as it was`(vault: Case) throws {
    let file = try Self.open(vault)
    let expected = try JSON(parsing: SharedVaults.file(try #require(vault.expected)))
    try Self.compare(file, with: expected)
    try Self.writeAndCompare(file)
  }

  static func compare(_ file: OpenedFile, with expected: JSON) throws {
    let document = file.document
    #expect(document.entryCount == expected["counts"]?["entries"]?.int)
    #expect(document.groupCount == expected["counts"]?["groups"]?.int)
    let fields = file.header.fields.map { Int($0.id) } + [0]
    #expect(fields == expected["header"]?["fields"]?.array.compactMap(\.int))
    for (id, entry) in zip(document.allEntries, expected["entries"]?.array ?? []) {
      guard let strings = expectedStrings(of: entry) else { continue }
      #expect(Self.strings(of: document.entry(id), in: document) == strings)
    }
  }

  /// Saves without a change and without a key derivation.
  static func writeAndCompare(_ opened: OpenedFile) throws {
    var output = WipedBuffer()
    let saved = try KDBXFile.write(
      opened.document, as: opened.header, key: opened.key, renewingSaltWith: nil, into: &output)
    try KDBXFile.verify(output.bytes, key: saved.key, against: opened.document)

    let header = try KDBXFile.header(of: output.bytes)
    let old = opened.header
    #expect(header.version.major == old.version.major)
    #expect(header.version >= old.version)
    #expect(header.cipher == old.cipher)
    #expect(header.compression == old.compression)
    #expect(header.kdf.derivesSameKey(as: old.kdf))
    #expect(fieldIDs(header) == fieldIDs(old))
    #expect(header.masterSeed != old.masterSeed)
    #expect(header.iv != old.iv)
    #expect(header.field(.publicCustomData) == old.field(.publicCustomData))

    let again = try KDBXFile.open(output.bytes, with: saved.key)
    #expect(opened.document.hasSameContent(as: again.document))
  }

  /// The fields of a header, but for the inner stream, which the oldest releases didn't name.
  static func fieldIDs(_ header: OuterHeader) -> [UInt8] {
    header.fields.map(\.id).filter { $0 != OuterHeader.FieldID.innerStream.rawValue }
  }

  @Test func `a control character in an old vault is passed over, and counted`() throws {
    let vault = try #require(SharedVaults.cases.first { $0.id == Self.withControl })
    let document = try Self.open(vault).document
    #expect(document.droppedControlCount == 1)
  }

  @Test(arguments: opening.filter { $0.features.contains { $0.hasPrefix("kdf-rounds:usual") } })
  func `a wrong password is called that`(vault: Case) throws {
    let bytes = vault.bytes
    let error = #expect(throws: KDBXError.self) {
      _ = try KDBXFile.open(bytes.span, with: CompositeKey(password: "not the password"))
    }
    #expect(error?.kind == .wrongKey)
  }

  @Test(arguments: refused)
  func `is refused`(vault: Case) {
    #expect(throws: KDBXError.self) { _ = try Self.open(vault) }
  }

  @Test(arguments: legacy)
  func `a KeePass 1 file opens with what it holds`(vault: Case) throws {
    let opened = try Self.open(vault)
    #expect(opened.header.isKeePass1)
    let expected = try JSON(parsing: SharedVaults.file(try #require(vault.expected)))
    let document = opened.document
    #expect(document.entryCount == expected["counts"]?["entries"]?.int)
    // The root is none of the file's.
    #expect(document.groupCount - 1 == expected["counts"]?["groups"]?.int)
    let ids = Dictionary(
      document.allEntries.map { (document.entry($0).uuid, $0) }, uniquingKeysWith: { $1 })
    for entry in expected["entries"]?.array ?? [] {
      let uuid = VaultUUID(hex(entry["uuid"]?.string ?? "").span)
      let id = try #require(uuid.flatMap { ids[$0] })
      guard let strings = Self.expectedStrings(of: entry) else { continue }
      #expect(Self.strings(of: document.entry(id), in: document) == strings)
    }
  }

  @Test(arguments: legacy.filter { $0.features.contains("kdf-rounds:usual") })
  func `a wrong password for a KeePass 1 file is called that`(vault: Case) {
    let bytes = vault.bytes
    let error = #expect(throws: KDBXError.self) {
      _ = try KDBXFile.open(bytes.span, with: CompositeKey(password: "not the password"))
    }
    #expect(error?.kind == .wrongKey)
  }

  @Test(arguments: either)
  func `opens or is refused, and nothing traps`(vault: Case) {
    _ = try? Self.open(vault)
  }
}
