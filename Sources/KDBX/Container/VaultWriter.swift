import ByteCoding
import Ciphers
import Secrets

/// Writes a vault file: the header, and behind it, in pieces, what the vault holds, with compression,
/// blocks and encryption around it.
struct VaultWriter: ~Copyable {
  /// The size of a block, as other writers have it, in bytes.
  static let blockSize = 1 << 20
  /// How much is compressed at one time, in bytes.
  private static let stride = 1 << 18

  private var deflater: Deflater?
  /// Compressed bytes that don't fill a block yet.
  private var packed = WipedBuffer(capacity: blockSize + stride)
  private var blocks: BlockWriter

  private let header: OuterHeader

  /// Makes ready; `contentCount` is how much there will be, which decides how hard to compress.
  init(_ header: OuterHeader, key: DerivedKey, contentCount: Int) throws(KDBXError) {
    blocks = try BlockWriter(header, key: key)
    self.header = header
    deflater =
      switch header.compression {
      case .gzip: Deflater(level: Self.level(for: contentCount))
      case .none: nil
      }
  }

  /// Writes the header and what comes before the content.
  mutating func begin(into output: inout WipedBuffer) throws(KDBXError) {
    try blocks.begin(header, into: &output)
  }

  /// Small vaults become as small as others make them; with big ones the compression is nearly all
  /// of what a save costs, and the fastest level makes them a sixth larger (`docs/performance.md`).
  private static func level(for contentCount: Int) -> Int32 {
    contentCount <= 4 << 20 ? 6 : 1
  }

  mutating func write(_ content: Span<UInt8>, into output: inout WipedBuffer) throws(KDBXError) {
    var rest = content
    while !rest.isEmpty {
      let piece = rest.extracting(first: min(rest.count, Self.stride))
      rest = rest.extracting(droppingFirst: piece.count)
      if deflater?.update(piece, into: &packed) == nil { packed.append(piece) }
      try Self.drainFullBlocks(of: &packed, to: &blocks, into: &output)
    }
  }

  mutating func finish(into output: inout WipedBuffer) throws(KDBXError) {
    _ = deflater?.finish(into: &packed)
    try Self.drainFullBlocks(of: &packed, to: &blocks, into: &output)
    try Self.finish(packed, to: &blocks, into: &output)
  }

  // Static, with the parts as arguments: a view of one part of `self` would bar the other parts.

  private static func drainFullBlocks(
    of packed: inout WipedBuffer, to blocks: inout BlockWriter, into output: inout WipedBuffer
  ) throws(KDBXError) {
    guard packed.count >= blockSize else { return }
    var start = 0
    while packed.count - start >= blockSize {
      try blocks.write(packed.bytes.extracting(start..<(start + blockSize)), into: &output)
      start += blockSize
    }
    let rest = WipedBuffer(copying: packed.bytes.extracting(droppingFirst: start))
    packed.truncate(to: 0)
    packed.append(rest.bytes)
  }

  private static func finish(
    _ packed: borrowing WipedBuffer, to blocks: inout BlockWriter,
    into output: inout WipedBuffer
  ) throws(KDBXError) {
    try blocks.finish(with: packed.bytes, into: &output)
  }
}

/// Puts blocks and encryption around compressed bytes: in KDBX 4 blocks of ciphertext, in KDBX 3
/// enciphered blocks.
private struct BlockWriter: ~Copyable {
  private var encryptor: Encryptor
  /// The codes of KDBX 4.
  private var codes: BlockCodes
  private let isVersion4: Bool
  private var index: UInt32 = 0

  init(_ header: OuterHeader, key: DerivedKey) throws(KDBXError) {
    encryptor = try Self.encryptor(header, key: key)
    codes = BlockCodes(macKey: key.macKey(masterSeed: header.masterSeed))
    isVersion4 = header.version.major >= 4
  }

  /// Begins the file.
  mutating func begin(
    _ header: OuterHeader, into output: inout WipedBuffer
  ) throws(KDBXError) {
    let bytes = header.bytes
    output.append(bytes.span)
    if isVersion4 {
      output.append(SHA256.hash(bytes.span).span)
      output.append(codes.code(ofHeader: bytes.span).span)
    } else {
      try encrypt(header.field(.streamStart).span, into: &output)
    }
  }

  private static func encryptor(
    _ header: OuterHeader, key: DerivedKey
  ) throws(KDBXError) -> Encryptor {
    let cipherKey = key.cipherKey(masterSeed: header.masterSeed)
    do throws(CipherError) {
      return try cipherKey.withBytes { (key) throws(CipherError) in
        try Encryptor(header.cipher, key: key, iv: header.iv.span)
      }
    } catch {
      throw KDBXError(error)
    }
  }

  /// Writes one block.
  mutating func write(_ data: Span<UInt8>, into output: inout WipedBuffer) throws(KDBXError) {
    guard isVersion4 else { return try writeHashed(data, into: &output) }
    let start = beginBlock(in: &output)
    try encrypt(data, into: &output)
    endBlock(from: start, in: &output)
  }

  /// Writes the last data and what closes the stream.
  mutating func finish(
    with data: Span<UInt8>, into output: inout WipedBuffer
  ) throws(KDBXError) {
    guard isVersion4 else {
      if !data.isEmpty { try writeHashed(data, into: &output) }
      let nothing: [UInt8] = []
      try writeHashed(nothing.span, into: &output)
      return try finishEncryption(into: &output)
    }
    let start = beginBlock(in: &output)
    try encrypt(data, into: &output)
    try finishEncryption(into: &output)
    // A stream cipher gives nothing for nothing; the empty block below is the closing one then.
    if output.count > start + Self.prefixCount {
      endBlock(from: start, in: &output)
    } else {
      output.truncate(to: start)
    }
    endBlock(from: beginBlock(in: &output), in: &output)
  }
}

// MARK: - KDBX 4

extension BlockWriter {
  /// The size of what stands in front of a block's data: code and size.
  private static let prefixCount = BlockCodes.byteCount + 4

  /// Leaves room for what stands in front of the data, and says where it is.
  private func beginBlock(in output: inout WipedBuffer) -> Int {
    let start = output.count
    output.append(zeros: Self.prefixCount)
    return start
  }

  /// Writes the size and the code of the block that began at `start`.
  private mutating func endBlock(from start: Int, in output: inout WipedBuffer) {
    let dataStart = start + Self.prefixCount
    let code = codes.code(
      ofBlock: output.bytes.extracting(droppingFirst: dataStart), index: UInt64(index))
    var prefix = ByteWriter()
    prefix.append(code)
    prefix.appendInt32(Int32(output.count - dataStart))
    var bytes = output.mutableBytes
    for (i, byte) in prefix.bytes.enumerated() { bytes[start + i] = byte }
    index += 1
  }
}

// MARK: - KDBX 3

extension BlockWriter {
  private mutating func writeHashed(
    _ data: Span<UInt8>, into output: inout WipedBuffer
  ) throws(KDBXError) {
    var prefix = ByteWriter()
    prefix.appendUInt32(index)
    prefix.append(
      data.isEmpty ? [UInt8](repeating: 0, count: SHA256.digestCount) : SHA256.hash(data))
    prefix.appendInt32(Int32(data.count))
    try encrypt(prefix.bytes.span, into: &output)
    try encrypt(data, into: &output)
    index += 1
  }
}

// MARK: - Encryption

extension BlockWriter {
  private mutating func encrypt(
    _ plain: Span<UInt8>, into output: inout WipedBuffer
  ) throws(KDBXError) {
    do throws(CipherError) {
      try encryptor.update(plain, into: &output)
    } catch {
      throw KDBXError(error)
    }
  }

  private mutating func finishEncryption(into output: inout WipedBuffer) throws(KDBXError) {
    do throws(CipherError) {
      try encryptor.finish(into: &output)
    } catch {
      throw KDBXError(error)
    }
  }
}
