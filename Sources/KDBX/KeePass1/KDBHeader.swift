import ByteCoding
import Ciphers

/// The header of a KeePass 1 file (`docs/kdbx.md` 11), which nothing vouches for.
struct KDBHeader {
  /// The size of the header, in bytes.
  static let byteCount = 124
  /// What a record at least takes: the field that ends it, in bytes.
  private static let leastRecordCount = 6

  let version: FormatVersion
  let cipher: OuterCipher
  let masterSeed: [UInt8]
  let iv: [UInt8]
  let groupCount: Int
  let entryCount: Int
  /// The SHA-256 of what is behind the encryption, without its padding.
  let contentHash: [UInt8]
  let kdf: KDFParameters

  /// Takes the header off the front of a file, and checks all of it that can be checked.
  init(reading reader: inout FileReader) throws(KDBXError) {
    guard try reader.take(8).hasSameBytes(as: Self.signature.span) else {
      throw KDBXError(.notAVault, in: .signature)
    }
    reader.part = .header
    let flags = try reader.takeUInt32()
    let number = try reader.takeUInt32()
    version = FormatVersion(
      major: UInt16(number >> 16), minor: UInt16(truncatingIfNeeded: number))
    // Others look at the upper half (KeePass) or at all but the lowest byte (KeePassXC).
    guard version.major == 3 else {
      throw KDBXError(.unsupportedVersion(version), in: .header)
    }
    // As KeePass has it: AES where both are named.
    if flags & Self.aesFlag != 0 {
      cipher = .aes256CBC
    } else if flags & Self.twofishFlag != 0 {
      cipher = .twofish256CBC
    } else {
      throw KDBXError(.unsupported(.cipher), in: .header)
    }
    masterSeed = [UInt8](copying: try reader.take(16))
    iv = [UInt8](copying: try reader.take(16))
    groupCount = Int(try reader.takeUInt32())
    entryCount = Int(try reader.takeUInt32())
    contentHash = [UInt8](copying: try reader.take(SHA256.digestCount))
    let seed = [UInt8](copying: try reader.take(32))
    kdf = KDFParameters(transformSeed: seed, rounds: UInt64(try reader.takeUInt32()))
    guard groupCount + entryCount <= reader.remaining / Self.leastRecordCount else {
      throw KDBXError(
        .damaged, in: .header, at: 48,
        cause: .text("it counts more groups and entries than the file has room for"))
    }
  }

  /// Whether a file begins as KeePass 1's files do.
  static func isThere(in file: Span<UInt8>) -> Bool {
    file.count >= signature.count
      && file.extracting(first: signature.count).hasSameBytes(as: signature.span)
  }

  private static var signature: [UInt8] { Signature.kdbx + Signature.keePass1 }
  private static let aesFlag: UInt32 = 2
  private static let twofishFlag: UInt32 = 8
}
