import ByteCoding
import Ciphers
import KDBX
import Secrets
import Testing
import Vault

/// Writes the XML of a small vault, with protected values enciphered as a file has them.
struct TestVault {
  /// The key of the inner stream; what it is doesn't matter here.
  private static let streamKey = [UInt8](repeating: 7, count: 64)

  private let stream = InnerStream(.chaCha20, key: Self.streamKey.span)
  private var offset: UInt64 = 0
  private(set) var xml: [UInt8] = []

  /// A time that differs from all others by its number: seconds after 2020-01-01.
  static func time(_ number: Int64) -> VaultTime {
    VaultTime(unixSeconds: 1_577_836_800 + number)
  }

  /// The UUID whose bytes all are `number`.
  static func uuid(_ number: UInt8) -> VaultUUID {
    let part = (0..<8).reduce(UInt64(0)) { sum, _ in sum << 8 | UInt64(number) }
    return VaultUUID(high: part, low: part)
  }

  /// The vault whose Meta and root group are made by `body`.
  static func make(
    version: FormatVersion = .kdbx40, meta: String = "", deleted: String = "",
    _ body: (inout TestVault) -> Void
  ) throws -> Vault {
    var test = TestVault()
    test.text(
      """
      <?xml version="1.0" encoding="utf-8" standalone="yes"?>
      <KeePassFile><Meta><Generator>test</Generator>\(meta)</Meta><Root>
      """)
    test.group(1, "Root") { body(&$0) }
    test.text("<DeletedObjects>\(deleted)</DeletedObjects></Root></KeePassFile>")
    let buffer = WipedBuffer(copying: test.xml.span)
    let document = try Document(
      source: DocumentSource(
        buffer: SharedBuffer(buffer), innerStream: test.stream, sealingKey: SealingKey(),
        binaries: []),
      xml: 0..<test.xml.count, version: version)
    return Vault(document)
  }

  mutating func text(_ text: String) { xml += Array(text.utf8) }

  /// Writes a group; its number gives its UUID and times.
  mutating func group(_ number: UInt8, _ name: String, _ body: (inout TestVault) -> Void = { _ in })
  {
    text("<Group><UUID>\(Self.base64(Self.uuid(number)))</UUID><Name>\(name)</Name>")
    times(number)
    body(&self)
    text("</Group>")
  }

  /// Writes an entry; its number gives its UUID and times.
  ///
  /// A field whose name begins with `*` is a protected one.
  mutating func entry(
    _ number: UInt8, _ fields: [(String, String)], tags: String = "", expiry: String = "",
    created: Int64? = nil, modified: Int64? = nil, extra: String = "",
    history: ((inout TestVault) -> Void)? = nil
  ) {
    text("<Entry><UUID>\(Self.base64(Self.uuid(number)))</UUID><IconID>0</IconID>")
    text("<Tags>\(tags)</Tags>")
    times(number, created: created, modified: modified)
    for (name, value) in fields { field(name, value) }
    text(extra)
    if let history {
      text("<History>")
      history(&self)
      text("</History>")
    }
    text("</Entry>")
  }

  /// Writes a field; one whose name begins with `*` is a protected one.
  mutating func field(_ name: String, _ value: String) {
    let isProtected = name.hasPrefix("*")
    text("<String><Key>\(isProtected ? String(name.dropFirst()) : name)</Key>")
    guard isProtected else { return text("<Value>\(Self.escaped(value))</Value></String>") }
    var bytes = Array(value.utf8)
    var span = bytes.mutableSpan
    stream.apply(at: offset, to: &span)
    offset += UInt64(bytes.count)
    text("<Value Protected=\"True\">")
    xml += Base64.encode(bytes.span)
    text("</Value></String>")
  }

  private mutating func times(_ number: UInt8, created: Int64? = nil, modified: Int64? = nil) {
    let own = Int64(number)
    text("<Times><LastModificationTime>\(Self.iso(modified ?? own))</LastModificationTime>")
    text("<CreationTime>\(Self.iso(created ?? own))</CreationTime>")
    text("<LastAccessTime>\(Self.iso(own))</LastAccessTime>")
    text("<ExpiryTime>\(Self.iso(own))</ExpiryTime><Expires>False</Expires>")
    text("<UsageCount>3</UsageCount><LocationChanged>\(Self.iso(own))</LocationChanged></Times>")
  }

  static func base64(_ uuid: VaultUUID) -> String { String(decoding: uuid.base64, as: UTF8.self) }

  static func iso(_ number: Int64) -> String {
    String(decoding: time(number).isoBytes, as: UTF8.self)
  }

  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      default: result.append(character)
      }
    }
    return result
  }
}

extension Vault {
  /// The entry whose UUID is made of `number`.
  func entryID(_ number: UInt8) throws -> EntryID {
    try #require(findEntry(TestVault.uuid(number)))
  }

  /// The group whose UUID is made of `number`.
  func groupID(_ number: UInt8) throws -> GroupID {
    try #require(findGroup(TestVault.uuid(number)))
  }

  /// The plain text of a field; nil where the entry has none of that name.
  func text(_ key: String, of entry: Entry) -> String? {
    guard let field = entry.string(Array(key.utf8)) else { return nil }
    var buffer = WipedBuffer()
    document.values.open(field.value, into: &buffer)
    return String(decoding: buffer.bytes.copied(), as: UTF8.self)
  }

  /// Edits one field, as a write to its file does.
  mutating func write(
    _ value: String, to key: String, of id: EntryID, at now: VaultTime
  ) {
    let sealed = document.values.seal(Array(value.utf8).span)
    let isProtected = document.entry(id).string(Array(key.utf8))?.isProtected ?? true
    edit(id, at: now) { $0.set(Array(key.utf8), to: sealed, isProtected: isProtected) }
  }
}
