import Ciphers
package import Secrets

/// A vault that was opened.
package struct OpenedFile: Sendable {
  package let header: OuterHeader
  /// For the next save.
  package let key: DerivedKey
  package let document: Document
}

/// A vault as a file: bytes in, document out, and back.
///
/// A KeePass 1 file gives a document too, and a header that says so; only KDBX is written.
///
/// All of these take their time (a key derivation, megabytes of encryption), hold no lock and may be
/// called from any thread.
package enum KDBXFile {
  /// Opens a vault, checking everything before believing it: signature, version, the header's
  /// checksum, the cost of the key derivation, and only then, with the key, the header's code, each
  /// block, the compression, the inner header and the document.
  ///
  /// - Throws: `wrongKey` only where everything that needs no key is sound.
  package static func open(
    _ file: Span<UInt8>, with key: CompositeKey, limits: Limits = .standard
  ) throws(KDBXError) -> OpenedFile {
    if KDBHeader.isThere(in: file) {
      return try KDBFile.open(file, with: key, limits: limits)
    }
    let sealed = try SealedVault(file)
    var derived = try DerivedKey(from: key, with: sealed.header.kdf, limits: limits)
    if let responder = key.responder, sealed.header.version.major < 4 {
      derived = derived.with(try SeedAnswer(responder, to: sealed.header.masterSeed, .opening))
    }
    return try sealed.openDocument(with: derived, limits: limits)
  }

  /// The header of a vault; needs no key.
  package static func header(of file: Span<UInt8>) throws(KDBXError) -> OuterHeader {
    KDBHeader.isThere(in: file) ? try KDBFile.header(of: file) : try SealedVault(file).header
  }

  /// Opens a vault with a key that was derived before, from the same composite key with the same
  /// parameters.
  ///
  /// For a file that was changed by somebody else and kept its salt, and to verify a save.
  package static func open(
    _ file: Span<UInt8>, with key: DerivedKey, limits: Limits = .standard
  ) throws(KDBXError) -> OpenedFile {
    if KDBHeader.isThere(in: file) { return try KDBFile.open(file, with: key) }
    let sealed = try SealedVault(file)
    guard key.fits(sealed.header) else {
      throw KDBXError(.wrongKey, in: .keyDerivation)
    }
    return try sealed.openDocument(with: key, limits: limits)
  }

  /// Appends a whole new file that holds `document`: version, cipher, parameters and unknown fields as
  /// in `header`; master seed, IV and inner stream key always fresh.
  ///
  /// Without `composite` the salt stays, and `key` with it: no key derivation is run. With it the salt
  /// is renewed and a key derived anew. Gives the header and the key that the next save starts from.
  ///
  /// Where challenges are answered, what is asked stays: in KDBX 4 the salt, in KDBX 3 the master seed,
  /// for which `responder` is asked for the answer to a new one; without an answer the old one stays.
  ///
  /// - Precondition: `header` is one of KDBX.
  package static func write(
    _ document: Document, as header: OuterHeader, key: DerivedKey,
    renewingSaltWith composite: CompositeKey?,
    askingForNewSeed responder: ChallengeResponder? = nil,
    into output: inout WipedBuffer
  ) throws(KDBXError) -> (header: OuterHeader, key: DerivedKey) {
    precondition(!header.isKeePass1, "KeePass 1 files are not written")
    let key = try key.renewed(composite, responder)
    let plan = document.writePlan()
    var header = header
    header.version = max(header.version, plan.version)
    header.set(key.parameters)
    let streamKey = header.renewForSave(seed: key.answer?.seed)
    let content = try WrittenContent(document, plan, header: header, streamKey: streamKey)
    try content.write(as: header, key: key, into: &output)
    header.forgetInnerStreamKey()
    return (header, key)
  }

  /// Checks what was written: opens it with `key`, with every hash and code in it, and compares what
  /// it holds with `document`.
  package static func verify(
    _ file: Span<UInt8>, key: DerivedKey, against document: Document
  ) throws(KDBXError) {
    let written = try open(file, with: key)
    guard document.hasSameContent(as: written.document) else {
      throw KDBXError(.writtenDifferently, in: .document)
    }
  }
}

extension SealedVault {
  /// Opens the document with the vault's own key.
  func openDocument(with key: DerivedKey, limits: Limits) throws(KDBXError) -> OpenedFile {
    var header = header
    var content = try open(with: key, limit: limits.contentBytes)
    guard header.version.major >= 4 else {
      let streamKey = header.field(.innerStreamKey)
      let innerStream = InnerStream(try header.innerStreamKind(), key: streamKey.span)
      header.forgetInnerStreamKey()
      let document = try Document(
        content, innerStream: innerStream, sealingKey: SealingKey(), binaries: [], xmlStart: 0,
        version: header.version)
      try document.checkHeaderHash(SHA256.hash(headerBytes))
      return OpenedFile(header: header, key: key, document: document)
    }
    let inner = try InnerHeader(takingSecretsFrom: &content)
    header.unknownInnerFields = inner.unknownFields
    let document = try Document(
      content, innerStream: inner.innerStream, sealingKey: inner.sealingKey,
      binaries: inner.binaries, xmlStart: inner.byteCount, version: header.version)
    return OpenedFile(header: header, key: key, document: document)
  }
}

extension DerivedKey {
  /// The key for a save: derived anew where `composite` is given, with an answer to a new master seed
  /// where that matters and `responder` gives one.
  fileprivate func renewed(
    _ composite: CompositeKey?, _ responder: ChallengeResponder?
  ) throws(KDBXError) -> DerivedKey {
    var key = self
    // The salt of KDBX 4 is what was asked.
    if let composite, composite.responder == nil || !parameters.isOfVersion4 {
      key = try DerivedKey(from: composite, with: parameters.withFreshSalt()).with(answer)
    }
    if let responder, answer != nil,
      let new = try? SeedAnswer(responder, to: randomBytes(32), .saving)
    {
      key = key.with(new)
    }
    return key
  }
}

extension Document {
  /// Reads the document from what the encryption held.
  fileprivate init(
    _ content: consuming WipedBuffer, innerStream: InnerStream, sealingKey: SealingKey,
    binaries: [InnerBinary], xmlStart: Int, version: FormatVersion
  ) throws(KDBXError) {
    let buffer = SharedBuffer(content)
    let source = DocumentSource(
      buffer: buffer, innerStream: innerStream, sealingKey: sealingKey, binaries: binaries)
    do throws(DocumentError) {
      try self.init(source: source, xml: xmlStart..<buffer.count, version: version)
    } catch {
      throw KDBXError(error)
    }
  }

  /// Compares the hash of the header that KDBX 3 keeps in the document; older files have none.
  fileprivate func checkHeaderHash(_ hash: [UInt8]) throws(KDBXError) {
    guard let stated = meta.headerHash, !stated.isEmpty else { return }
    guard stated == hash else { throw KDBXError(.damaged, in: .headerHash) }
  }
}
