package import ByteCoding
import Ciphers

/// Why a vault or a key file could not be read, or a vault not be written.
///
/// What a person is told depends on ``kind``; the rest is for finding the fault. Never holds a
/// byte of plain text or of a key.
package struct KDBXError: Error, Hashable {
  package enum Kind: Hashable, Sendable {
    /// The file has no bytes at all.
    case empty
    /// The file isn't a KDBX file.
    case notAVault
    /// It is a KDBX file of a version that we don't read.
    case unsupportedVersion(FormatVersion)
    /// The file ends too early.
    case truncated
    /// The bytes contradict themselves or a checksum.
    case damaged
    /// The password or key file is wrong.
    ///
    /// KDBX 4 can tell this from damage, but for a header that was forged with its checksum; KDBX 3
    /// can't tell it from a damaged header.
    case wrongKey
    /// A challenge that is a part of the key was not answered; why, in our own words.
    case noAnswer(String)
    /// The key file is none that any program could use.
    case badKeyFile(KeyFile.Problem)
    /// The key derivation would cost more than ``Limits`` allow.
    case tooExpensive(Limits.Excess)
    /// The content is larger than ``Limits`` allow, in bytes.
    case tooLarge(limit: Int)
    /// A cipher, key derivation, compression or inner stream that we don't know.
    case unsupported(Feature)
    /// What was written doesn't read back as what was to be written.
    case writtenDifferently
  }

  /// What a header can ask for and we may not have.
  package enum Feature: String, Hashable, Sendable {
    case cipher = "a cipher"
    case keyDerivation = "a key derivation"
    case compression = "a compression"
    case innerStream = "an inner stream cipher"
  }

  /// Parts of a file, in the order in which they are read.
  package enum Part: String, Hashable, Sendable {
    case signature
    case header
    case headerHash = "header, whose checksum is wrong"
    case keyDerivation = "key derivation"
    case blocks = "data blocks"
    case closingBlock = "closing block"
    case compressedData = "compressed data"
    case innerHeader = "inner header"
    case document
    case keyFile = "key file"
  }

  /// The lower error, when one led here.
  package enum Cause: Hashable, Sendable {
    case bytes(ByteError)
    case document(DocumentError)
    /// In our own words, without any content.
    case text(String)
  }

  package let kind: Kind
  /// Which part of the file was being read.
  package let part: Part
  /// Where in ``part``, or in the file, the fault was found, in bytes, where that says anything.
  package let offset: Int?
  package let cause: Cause?

  package init(_ kind: Kind, in part: Part, at offset: Int? = nil, cause: Cause? = nil) {
    self.kind = kind
    self.part = part
    self.offset = offset
    self.cause = cause
  }
}

// MARK: - From lower errors

extension KDBXError {
  /// What the outer cipher says of the ciphertext.
  init(_ error: CipherError) {
    switch error {
    case .partialBlock(let count):
      self.init(
        .truncated, in: .blocks,
        cause: .text("the last cipher block has only \(count) bytes"))
    case .keyLength, .ivLength:
      self.init(.damaged, in: .header, cause: .text("the cipher can't be set up"))
    }
  }

  /// What the key derivation says of its parameters.
  init(_ error: KDFError) {
    switch error {
    case .outOfMemory(let kibibytes):
      self.init(
        .tooExpensive(.unavailableMemory(kib: UInt64(kibibytes))), in: .keyDerivation)
    case .parameters(let code):
      self.init(
        .damaged, in: .keyDerivation, cause: .text("Argon2 refuses them (its error \(code))"))
    }
  }

  /// What the decompression says of what was decrypted.
  init(_ error: CompressionError) {
    switch error {
    case .damaged: self.init(.damaged, in: .compressedData)
    case .truncated: self.init(.truncated, in: .compressedData)
    case .tooLarge(let limit): self.init(.tooLarge(limit: limit), in: .compressedData)
    }
  }

  init(_ error: DocumentError) {
    switch error.kind {
    case .tooLarge(let limit):
      self.init(
        .tooLarge(limit: limit), in: .document, at: error.offset, cause: .document(error))
    default:
      self.init(.damaged, in: .document, at: error.offset, cause: .document(error))
    }
  }
}
