import ByteCoding
import Ciphers
package import Secrets

/// Key files (`docs/kdbx.md` 3.2): any file can be one.
///
/// In this order: an XML document whose root says so, 32 bytes, 64 hexadecimal digits, or else the
/// hash of whatever it is.
package enum KeyFile {
  /// Why a file that means to be a key file can't be used.
  package enum Problem: String, Hashable, Sendable {
    case unsupportedVersion = "it states a version that nobody reads"
    case missingVersion = "it states no version"
    case missingKey = "it holds no key"
    case badKey = "its key is not in the form that its version asks for"
    case badChecksum = "its checksum does not fit its key"
  }

  /// The key that `file` stands for; 32 bytes but for odd XML files.
  package static func key(from file: Span<UInt8>) throws(KDBXError) -> SecretBytes {
    if let document = XMLKeyFile(reading: file) { return try document.key() }
    return keePass1Key(from: file)
  }

  /// The key that `file` stands for in KeePass 1, which knows no XML.
  package static func keePass1Key(from file: Span<UInt8>) -> SecretBytes {
    if file.count == 32 { return SecretBytes(copying: file) }
    if file.count == 64, let key = hexadecimalKey(file) { return key }
    return SHA256.secretHash(file)
  }

  /// The bytes that all of `digits` spell; nil if something else is among them.
  static func hexadecimalKey(_ digits: Span<UInt8>) -> SecretBytes? {
    guard digits.count.isMultiple(of: 2) else { return nil }
    return try? SecretBytes(count: digits.count / 2) { (output) throws(BadDigits) in
      guard Hex.decode(digits, into: &output) else { throw BadDigits() }
    }
  }

  private struct BadDigits: Error {}
}
