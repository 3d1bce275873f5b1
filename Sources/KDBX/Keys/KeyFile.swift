package import Secrets

/// Key files (`docs/kdbx.md` 3.2): any file can be one.
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
    fatalError("not yet")
  }
}
