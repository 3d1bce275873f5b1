import ByteCoding
package import Ciphers
import Secrets

/// A field of a header: a number that says what it is, and its bytes.
package struct HeaderField: Hashable, Sendable {
  package let id: UInt8
  package var bytes: [UInt8]

  package init(id: UInt8, bytes: [UInt8]) {
    self.id = id
    self.bytes = bytes
  }
}

/// The plain header in front of a vault (`docs/kdbx.md` 1.1, 1.2): all its fields in order, those
/// included that we don't know, and what the known ones say.
package struct OuterHeader: Hashable, Sendable {
  /// The fields that the format knows.
  enum FieldID: UInt8 {
    case end = 0
    case comment = 1
    case cipher = 2
    case compression = 3
    case masterSeed = 4
    case transformSeed = 5
    case transformRounds = 6
    case encryptionIV = 7
    case innerStreamKey = 8
    case streamStart = 9
    case innerStream = 10
    case kdfParameters = 11
    case publicCustomData = 12

    /// What people who read of a fault can look for.
    var title: String {
      switch self {
      case .end: "end of header"
      case .comment: "comment"
      case .cipher: "cipher"
      case .compression: "compression"
      case .masterSeed: "master seed"
      case .transformSeed: "transform seed"
      case .transformRounds: "transform rounds"
      case .encryptionIV: "encryption IV"
      case .innerStreamKey: "inner stream key"
      case .streamStart: "stream start bytes"
      case .innerStream: "inner stream cipher"
      case .kdfParameters: "key derivation parameters"
      case .publicCustomData: "public custom data"
      }
    }

    /// Those of KDBX 3, which make other programs refuse a KDBX 4 file.
    static let beforeVersion4: [FieldID] = [
      .transformSeed, .transformRounds, .innerStreamKey, .streamStart, .innerStream,
    ]
  }

  package enum Compression: UInt32, Hashable, Sendable {
    case none = 0
    case gzip = 1
  }

  /// Whether the file is KeePass 1's, whose header has other words for the same.
  package let isKeePass1: Bool
  /// Whether the signature is that of KeePass 2's first releases, before 2.08.
  package let isPreRelease: Bool
  package var version: FormatVersion
  /// All fields in file order, but the one that ends the header.
  package private(set) var fields: [HeaderField]
  /// What the last field holds; nothing depends on it.
  private let endBytes: [UInt8]

  package let cipher: OuterCipher
  package let compression: Compression
  package private(set) var kdf: KDFParameters
  /// Fields of a KDBX 4 file's inner header that we don't know, kept for the next save.
  package internal(set) var unknownInnerFields: [HeaderField] = []

  /// Reads the header that `reader` stands at, which is the start of the file.
  ///
  /// Of a KDBX 4 file it takes the header's checksum too, and checks it before it believes a field.
  init(reading reader: inout FileReader, of file: Span<UInt8>) throws(KDBXError) {
    let raw = try RawHeader(reading: &reader, of: file)
    try self.init(raw)
  }

  /// What a KeePass 1 file says; such a header is not to be written.
  init(_ header: KDBHeader) {
    isKeePass1 = true
    isPreRelease = false
    version = header.version
    fields = [
      HeaderField(id: FieldID.masterSeed.rawValue, bytes: header.masterSeed),
      HeaderField(id: FieldID.encryptionIV.rawValue, bytes: header.iv),
    ]
    endBytes = []
    cipher = header.cipher
    compression = .none
    kdf = header.kdf
  }

  private init(_ raw: RawHeader) throws(KDBXError) {
    isKeePass1 = false
    version = raw.version
    fields = raw.fields
    endBytes = raw.endBytes
    isPreRelease = raw.isPreRelease
    cipher = try raw.cipher()
    compression = try raw.compression()
    kdf = try raw.kdf()
    try raw.checkSizes(for: cipher)
  }

  /// The header as it stands in a file; the checksum of KDBX 4 is not a part of it.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.append(Signature.kdbx)
    writer.append(isPreRelease ? Signature.preRelease : Signature.release)
    writer.appendUInt16(version.minor)
    writer.appendUInt16(version.major)
    for field in fields + [HeaderField(id: FieldID.end.rawValue, bytes: endBytes)] {
      writer.append(field.id)
      if version.major >= 4 {
        writer.appendInt32(Int32(clamping: field.bytes.count))
      } else {
        writer.appendUInt16(UInt16(clamping: field.bytes.count))
      }
      writer.append(field.bytes)
    }
    return writer.bytes
  }
}

// MARK: - What the fields say

extension OuterHeader {
  /// The bytes of the last field `id`, which is the one that counts; empty if there is none.
  func field(_ id: FieldID) -> [UInt8] {
    fields.last { $0.id == id.rawValue }?.bytes ?? []
  }

  package var masterSeed: [UInt8] { field(.masterSeed) }
  package var iv: [UInt8] { field(.encryptionIV) }

  /// Plain data that other programs keep outside the encryption; nil if there is none, or none that
  /// can be read.
  package var publicCustomData: VariantDictionary? {
    let bytes = field(.publicCustomData)
    return try? VariantDictionary(reading: bytes.span)
  }

  /// The inner stream of a KDBX 3 file; KeePass's oldest releases named none and used ArcFour.
  func innerStreamKind() throws(KDBXError) -> InnerStream.Kind {
    guard !field(.innerStream).isEmpty else { return .arcFourVariant }
    guard
      let kind = littleEndian(field(.innerStream)).flatMap({ InnerStream.Kind(rawValue: $0) })
    else { throw KDBXError(.unsupported(.innerStream), in: .header) }
    return kind
  }
}

// MARK: - Changing

extension OuterHeader {
  /// Puts `bytes` in the place of the field `id`, or at the end if there is none; of repeated ones
  /// the last stays.
  mutating func set(_ id: FieldID, to bytes: [UInt8]) {
    guard let last = fields.lastIndex(where: { $0.id == id.rawValue }) else {
      fields.append(HeaderField(id: id.rawValue, bytes: bytes))
      return
    }
    fields[last].bytes = bytes
    fields = fields[..<last].filter { $0.id != id.rawValue } + fields[last...]
  }

  mutating func remove(_ id: FieldID) {
    fields.removeAll { $0.id == id.rawValue }
  }

  /// Puts fresh random bytes into all fields that no two files may share, and gives the key of the
  /// inner stream; drops fields of KDBX 3 from a KDBX 4 header.
  ///
  /// The master seed is `seed` where an answer was given to it.
  mutating func renewForSave(seed: [UInt8]? = nil) -> SecretBytes {
    set(.masterSeed, to: seed ?? randomBytes(32))
    set(.encryptionIV, to: randomBytes(cipher.ivSize))
    // Not all programs agree on what it is where it isn't named.
    set(.compression, to: [UInt8(compression.rawValue), 0, 0, 0])
    guard version.major < 4 else {
      for id in FieldID.beforeVersion4 { remove(id) }
      return SecretBytes.random(64)
    }
    let streamKey = SecretBytes.random(32)
    set(.innerStreamKey, to: streamKey.withBytes { [UInt8](copying: $0) })
    set(.streamStart, to: randomBytes(32))
    // The only one that all programs read in KDBX 3.
    set(.innerStream, to: [UInt8(InnerStream.Kind.salsa20.rawValue), 0, 0, 0])
    return streamKey
  }

  /// Overwrites the key of the inner stream, which KDBX 3 keeps in its header; a save makes a new one.
  mutating func forgetInnerStreamKey() {
    for index in fields.indices where fields[index].id == FieldID.innerStreamKey.rawValue {
      fields[index].bytes = [UInt8](repeating: 0, count: fields[index].bytes.count)
    }
  }

  /// States `parameters`, in the fields that this version has for them.
  mutating func set(_ parameters: KDFParameters) {
    kdf = parameters
    if let dictionary = parameters.dictionaryToWrite {
      set(.kdfParameters, to: dictionary.bytes)
    } else {
      set(.transformSeed, to: parameters.salt)
    }
  }
}

// MARK: - Signature

enum Signature {
  /// The first four bytes of every KeePass file.
  static let kdbx: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A]
  /// The second four: KeePass 2 and all after it.
  static let release: [UInt8] = [0x67, 0xFB, 0x4B, 0xB5]
  /// KeePass 2 before its release; KeePass still reads it.
  static let preRelease: [UInt8] = [0x66, 0xFB, 0x4B, 0xB5]
  /// KeePass 1.
  static let keePass1: [UInt8] = [0x65, 0xFB, 0x4B, 0xB5]
}

/// The little-endian number of four bytes; nil if there are more or fewer.
func littleEndian(_ bytes: [UInt8]) -> UInt32? {
  guard bytes.count == 4 else { return nil }
  return bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
}

// MARK: - Reading

/// The fields of a header before anything in them is believed.
private struct RawHeader {
  typealias FieldID = OuterHeader.FieldID

  let version: FormatVersion
  let fields: [HeaderField]
  let endBytes: [UInt8]
  let isPreRelease: Bool

  init(reading reader: inout FileReader, of file: Span<UInt8>) throws(KDBXError) {
    isPreRelease = try Self.takeSignature(from: &reader)
    let minor = try reader.takeUInt16()
    version = FormatVersion(major: try reader.takeUInt16(), minor: minor)
    guard (1...4).contains(version.major) else {
      throw KDBXError(.unsupportedVersion(version), in: .signature)
    }
    reader.part = .header
    var fields: [HeaderField] = []
    var field = try Self.takeField(from: &reader, version: version)
    while field.id != FieldID.end.rawValue {
      fields.append(field)
      field = try Self.takeField(from: &reader, version: version)
    }
    self.fields = fields
    endBytes = field.bytes
    guard version.major >= 4 else { return }
    let header = file.extracting(first: reader.offset)
    guard try reader.take(SHA256.digestCount).hasSameBytes(as: SHA256.hash(header).span) else {
      throw KDBXError(.damaged, in: .headerHash)
    }
  }

  /// Takes the signature, and says whether it is the old one.
  private static func takeSignature(from reader: inout FileReader) throws(KDBXError) -> Bool {
    if reader.remaining == 0 { throw KDBXError(.empty, in: .signature) }
    let found = [UInt8](copying: try reader.take(min(reader.remaining, 8)))
    func isStart(of second: [UInt8]) -> Bool { (Signature.kdbx + second).starts(with: found) }
    guard
      isStart(of: Signature.release) || isStart(of: Signature.preRelease)
        || (found.count < 8 && isStart(of: Signature.keePass1))
    else {
      throw KDBXError(.notAVault, in: .signature)
    }
    guard found.count == 8 else {
      throw KDBXError(.truncated, in: .signature, at: found.count)
    }
    return isStart(of: Signature.preRelease)
  }

  private static func takeField(
    from reader: inout FileReader, version: FormatVersion
  ) throws(KDBXError) -> HeaderField {
    let id = try reader.takeUInt8()
    let bytes =
      if version.major >= 4 {
        try reader.takeCounted()
      } else {
        try reader.take(Int(try reader.takeUInt16()))
      }
    return HeaderField(id: id, bytes: [UInt8](copying: bytes))
  }
}

// MARK: - Believing

extension RawHeader {
  /// The bytes of the last field `id`, nil if there is none.
  func field(_ id: FieldID) -> [UInt8]? {
    fields.last { $0.id == id.rawValue }?.bytes
  }

  /// The bytes of the field `id`, which must be there and have `count` bytes.
  @discardableResult
  func field(_ id: FieldID, count: Int) throws(KDBXError) -> [UInt8] {
    guard let bytes = field(id) else { throw Self.missing(id) }
    guard bytes.count == count else {
      throw Self.fault("its field '\(id.title)' has \(bytes.count) bytes, not \(count)")
    }
    return bytes
  }

  private static func fault(_ text: String) -> KDBXError {
    KDBXError(.damaged, in: .header, cause: .text(text))
  }

  private static func missing(_ id: FieldID) -> KDBXError {
    fault("it has no field '\(id.title)'")
  }

  func cipher() throws(KDBXError) -> OuterCipher {
    let identifier = try field(.cipher, count: 16)
    guard let cipher = OuterCipher(identifier: identifier) else {
      throw KDBXError(.unsupported(.cipher), in: .header)
    }
    return cipher
  }

  /// Where it isn't named KeePass and KeePassXC take the content for compressed.
  func compression() throws(KDBXError) -> OuterHeader.Compression {
    guard field(.compression) != nil else { return .gzip }
    let flags = try field(.compression, count: 4)
    guard
      let compression = littleEndian(flags).flatMap({ OuterHeader.Compression(rawValue: $0) })
    else { throw KDBXError(.unsupported(.compression), in: .header) }
    return compression
  }

  func kdf() throws(KDBXError) -> KDFParameters {
    guard version.major >= 4 else {
      let rounds = try field(.transformRounds, count: 8)
      guard let seed = field(.transformSeed) else { throw Self.missing(.transformSeed) }
      return KDFParameters(
        transformSeed: seed,
        rounds: rounds.reversed().reduce(0) { $0 << 8 | UInt64($1) })
    }
    guard let bytes = field(.kdfParameters) else { throw Self.missing(.kdfParameters) }
    let dictionary: VariantDictionary
    do throws(ByteError) {
      dictionary = try VariantDictionary(reading: bytes.span)
    } catch {
      throw KDBXError(.damaged, in: .header, at: error.offset, cause: .bytes(error))
    }
    return try KDFParameters(dictionary)
  }

  /// Checks the fields whose size the format fixes.
  func checkSizes(for cipher: OuterCipher) throws(KDBXError) {
    try field(.masterSeed, count: 32)
    try field(.encryptionIV, count: cipher.ivSize)
    guard version.major < 4 else { return }
    try field(.streamStart, count: 32)
    // Where nothing is enciphered no key is needed.
    let isEnciphered = field(.innerStream).flatMap { littleEndian($0) } != 0
    guard !isEnciphered || field(.innerStreamKey)?.isEmpty == false else {
      throw Self.missing(.innerStreamKey)
    }
  }
}

extension OuterCipher {
  /// The identifier of the format (`docs/kdbx.md` 2).
  var identifier: [UInt8] {
    switch self {
    case .aes256CBC:
      [
        0x31, 0xC1, 0xF2, 0xE6, 0xBF, 0x71, 0x43, 0x50, 0xBE, 0x58, 0x05, 0x21, 0x6A, 0xFC, 0x5A,
        0xFF,
      ]
    case .chaCha20:
      [
        0xD6, 0x03, 0x8A, 0x2B, 0x8B, 0x6F, 0x4C, 0xB5, 0xA5, 0x24, 0x33, 0x9A, 0x31, 0xDB, 0xB5,
        0x9A,
      ]
    case .twofish256CBC:
      [
        0xAD, 0x68, 0xF2, 0x9F, 0x57, 0x6F, 0x4B, 0xB9, 0xA3, 0x6A, 0xD4, 0x7A, 0xF9, 0x65, 0x34,
        0x6C,
      ]
    }
  }

  init?(identifier: [UInt8]) {
    let known: [OuterCipher] = [.aes256CBC, .chaCha20, .twofish256CBC]
    guard let cipher = known.first(where: { $0.identifier == identifier }) else { return nil }
    self = cipher
  }
}
