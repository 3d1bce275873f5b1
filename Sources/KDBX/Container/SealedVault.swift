import ByteCoding
import Ciphers
import Secrets

/// A vault's bytes before any key: the header, and where the rest is.
struct SealedVault: ~Escapable {
  let header: OuterHeader
  /// The bytes of the header, from the signature to the end field.
  let headerBytes: Span<UInt8>
  /// The code of the header; empty in KDBX 3.
  let headerCode: Span<UInt8>
  /// In KDBX 4 the blocks of ciphertext, in KDBX 3 the ciphertext.
  let content: Span<UInt8>
  /// The size of the ciphertext, in bytes.
  let ciphertextCount: Int
  /// How many bytes follow the end of the vault (KDBX 4).
  let trailingCount: Int

  /// Reads and checks all that needs no key.
  @_lifetime(copy file)
  init(_ file: Span<UInt8>) throws(KDBXError) {
    var reader = FileReader(file, in: .signature)
    header = try OuterHeader(reading: &reader, of: file)
    if header.version.major >= 4 {
      headerBytes = file.extracting(first: reader.offset - SHA256.digestCount)
      headerCode = try reader.take(BlockCodes.byteCount)
      content = try reader.take(reader.remaining)
      let blocks = try AuthenticatedBlocks.measure(content)
      ciphertextCount = blocks.dataCount
      trailingCount = content.count - blocks.byteCount
    } else {
      headerBytes = file.extracting(first: reader.offset)
      headerCode = try reader.take(0)
      content = try reader.take(reader.remaining)
      ciphertextCount = content.count
      trailingCount = 0
    }
  }

  /// Takes off the encryption and the compression, and checks every hash and code on the way.
  ///
  /// Gives in KDBX 4 the inner header and the XML, in KDBX 3 the XML.
  ///
  /// - Throws: `wrongKey` if `key` isn't the vault's, `tooLarge` if there is more than `limit` bytes.
  func open(with key: DerivedKey, limit: Int) throws(KDBXError) -> WipedBuffer {
    if header.version.major >= 4 {
      try openVersion4(with: key, limit: limit)
    } else {
      try openVersion3(with: key, limit: limit)
    }
  }

  private func openVersion4(with key: DerivedKey, limit: Int) throws(KDBXError) -> WipedBuffer {
    var codes = BlockCodes(macKey: key.macKey(masterSeed: header.masterSeed))
    guard constantTimeEqual(codes.code(ofHeader: headerBytes).span, headerCode) else {
      throw KDBXError(.wrongKey, in: .header)
    }
    if header.compression == .gzip, ciphertextCount >= Self.unpackedInPiecesFrom {
      return try unpackInPieces(with: key, codes: &codes, limit: limit)
    }
    var plain = WipedBuffer(capacity: ciphertextCount)
    var decryptor = try PayloadDecryptor(header, key: key)
    try AuthenticatedBlocks.read(content, codes: &codes) { (data) throws(KDBXError) in
      try decryptor.update(data, into: &plain)
    }
    try decryptor.finish(into: &plain)
    guard header.compression == .gzip else {
      guard plain.count <= limit else { throw KDBXError(.tooLarge(limit: limit), in: .blocks) }
      return plain
    }
    var unpacker = Unpacker(plain.bytes, limit: limit)
    try unpacker.update(plain.bytes)
    return try unpacker.finish()
  }

  /// From this many bytes on what is deciphered is unpacked block by block, so that it isn't held
  /// beside what comes out; below it all of it is there, and says how much room that needs.
  private static let unpackedInPiecesFrom = 1 << 26

  private func unpackInPieces(
    with key: DerivedKey, codes: inout BlockCodes, limit: Int
  ) throws(KDBXError) -> WipedBuffer {
    var decryptor = try PayloadDecryptor(header, key: key)
    var unpacker = Unpacker(limit: limit)
    var piece = WipedBuffer(capacity: VaultWriter.blockSize)
    try AuthenticatedBlocks.read(content, codes: &codes) { (data) throws(KDBXError) in
      piece.truncate(to: 0)
      try decryptor.update(data, into: &piece)
      try unpacker.update(piece.bytes)
    }
    piece.truncate(to: 0)
    try decryptor.finish(into: &piece)
    try unpacker.update(piece.bytes)
    return try unpacker.finish()
  }

  private func openVersion3(with key: DerivedKey, limit: Int) throws(KDBXError) -> WipedBuffer {
    var plain = WipedBuffer(capacity: ciphertextCount)
    var decryptor = try PayloadDecryptor(header, key: key)
    try decryptor.update(content, into: &plain)
    try decryptor.finish(into: &plain)

    let start = header.field(.streamStart)
    guard plain.count >= start.count else { throw KDBXError(.truncated, in: .blocks) }
    guard plain.bytes.extracting(first: start.count).hasSameBytes(as: start.span) else {
      throw KDBXError(.wrongKey, in: .blocks)
    }
    let stream = plain.bytes.extracting(droppingFirst: start.count)
    let outline = HashedBlocks.outline(stream)
    guard header.compression == .gzip else {
      var content = WipedBuffer(capacity: min(limit, outline.dataCount))
      try HashedBlocks.read(stream) { (data) throws(KDBXError) in
        guard data.count <= limit - content.count else {
          throw KDBXError(.tooLarge(limit: limit), in: .blocks)
        }
        content.append(data)
      }
      return content
    }
    var unpacker = Unpacker(stream.extracting(first: outline.dataEnd), limit: limit)
    try HashedBlocks.read(stream) { (data) throws(KDBXError) in try unpacker.update(data) }
    return try unpacker.finish()
  }
}

/// Takes off the outer encryption, in pieces.
private struct PayloadDecryptor: ~Copyable {
  private var decryptor: Decryptor

  init(_ header: OuterHeader, key: DerivedKey) throws(KDBXError) {
    let cipherKey = key.cipherKey(masterSeed: header.masterSeed)
    do throws(CipherError) {
      decryptor = try cipherKey.withBytes { (key) throws(CipherError) in
        try Decryptor(header.cipher, key: key, iv: header.iv.span)
      }
    } catch {
      throw KDBXError(error)
    }
  }

  mutating func update(_ input: Span<UInt8>, into output: inout WipedBuffer) throws(KDBXError) {
    do throws(CipherError) {
      try decryptor.update(input, into: &output)
    } catch {
      throw KDBXError(error)
    }
  }

  mutating func finish(into output: inout WipedBuffer) throws(KDBXError) {
    do throws(CipherError) {
      try decryptor.finish(into: &output)
    } catch {
      throw KDBXError(error)
    }
  }
}

/// Takes off the compression, in pieces, into a buffer of its own.
private struct Unpacker: ~Copyable {
  private var inflater: Inflater
  private var content: WipedBuffer

  /// Makes room for what `packed` will give; ``update(_:)`` takes it.
  init(_ packed: Span<UInt8>, limit: Int) {
    inflater = Inflater(limit: limit)
    // With a little more room than that zlib sees the end without asking for more.
    content = WipedBuffer(capacity: Self.sizeHint(packed, limit: limit) + (1 << 16))
  }

  /// Makes no room before ``update(_:)`` needs it.
  init(limit: Int) {
    inflater = Inflater(limit: limit)
    content = WipedBuffer()
  }

  /// How many bytes `packed` says it will give, in its last four bytes.
  ///
  /// A hint: nothing has checked it yet, so it may not exceed what deflate can do.
  private static func sizeHint(_ packed: Span<UInt8>, limit: Int) -> Int {
    guard packed.count > 4 else { return 0 }
    let stated = littleEndian([UInt8](copying: packed.extracting(last: 4))) ?? 0
    let possible = packed.count.multipliedReportingOverflow(by: 1032)
    return min(Int(stated), possible.overflow ? limit : possible.partialValue, limit)
  }

  mutating func update(_ packed: Span<UInt8>) throws(KDBXError) {
    do throws(CompressionError) {
      try inflater.update(packed, into: &content)
    } catch {
      throw KDBXError(error)
    }
  }

  consuming func finish() throws(KDBXError) -> WipedBuffer {
    do throws(CompressionError) {
      try inflater.finish()
    } catch {
      throw KDBXError(error)
    }
    return content
  }
}
