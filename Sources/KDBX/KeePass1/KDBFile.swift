import Ciphers
import Secrets

/// A KeePass 1 file: bytes in, a document of KDBX form out.
///
/// It is never written.
enum KDBFile {
  /// The header, in the words of KDBX; needs no key.
  static func header(of file: Span<UInt8>) throws(KDBXError) -> OuterHeader {
    var reader = FileReader(file, in: .signature)
    return OuterHeader(try KDBHeader(reading: &reader))
  }

  /// Opens a file.
  ///
  /// A password outside ASCII has more than one form (`docs/kdbx.md` 11); each is tried.
  static func open(
    _ file: Span<UInt8>, with composite: CompositeKey, limits: Limits
  ) throws(KDBXError) -> OpenedFile {
    var reader = FileReader(file, in: .signature)
    let header = try KDBHeader(reading: &reader)
    let ciphertext = try reader.take(reader.remaining)
    // Before anyone waits for the key derivation.
    guard ciphertext.count.isMultiple(of: 16) else {
      throw KDBXError(
        .truncated, in: .blocks, at: file.count,
        cause: .text("the last cipher block has only \(ciphertext.count % 16) bytes"))
    }
    var failure = KDBXError(.wrongKey, in: .blocks)
    for secret in composite.keePass1Keys {
      let key = try DerivedKey(from: secret.bytes, with: header.kdf, limits: limits)
      do throws(KDBXError) {
        return try open(ciphertext, header, with: key)
      } catch {
        if error.kind != .wrongKey { failure = error }
      }
    }
    throw failure
  }

  /// Opens a file with a key that was derived before.
  static func open(_ file: Span<UInt8>, with key: DerivedKey) throws(KDBXError) -> OpenedFile {
    var reader = FileReader(file, in: .signature)
    let header = try KDBHeader(reading: &reader)
    guard header.kdf.derivesSameKey(as: key.parameters) else {
      throw KDBXError(.wrongKey, in: .keyDerivation)
    }
    return try open(try reader.take(reader.remaining), header, with: key)
  }

  private static func open(
    _ ciphertext: Span<UInt8>, _ header: KDBHeader, with key: DerivedKey
  ) throws(KDBXError) -> OpenedFile {
    let plain = try decrypt(ciphertext, header, with: key)
    guard SHA256.hash(plain.bytes) == header.contentHash else {
      throw KDBRecord.beginsHonestly(plain.bytes)
        ? KDBXError(
          .damaged, in: .blocks, cause: .text("its checksum does not fit what it holds"))
        : KDBXError(.wrongKey, in: .blocks)
    }
    let content = try KDBContent(
      plain.bytes, groupCount: header.groupCount, entryCount: header.entryCount)
    let document = try KDBTranslator.document(of: content, in: plain.bytes)
    return OpenedFile(header: OuterHeader(header), key: key, document: document)
  }

  private static func decrypt(
    _ ciphertext: Span<UInt8>, _ header: KDBHeader, with key: DerivedKey
  ) throws(KDBXError) -> WipedBuffer {
    var plain = WipedBuffer(capacity: ciphertext.count)
    let cipherKey = key.cipherKey(masterSeed: header.masterSeed)
    do throws(CipherError) {
      var decryptor = try cipherKey.withBytes { (key) throws(CipherError) in
        try Decryptor(header.cipher, key: key, iv: header.iv.span)
      }
      try decryptor.update(ciphertext, into: &plain)
      try decryptor.finish(into: &plain)
    } catch {
      throw KDBXError(error)
    }
    return plain
  }
}
