import ByteCoding
import Ciphers
import Secrets

/// The block stream of KDBX 4 around the ciphertext: code, size, data; an empty block ends it.
enum AuthenticatedBlocks {
  /// Walks over the blocks without their codes, and gives the size of all data together and where the
  /// closing block ends.
  ///
  /// Needs no key, so that a file that was cut off is found before anyone waits for a key
  /// derivation, and is never taken for a wrong password.
  static func measure(
    _ stream: Span<UInt8>
  ) throws(KDBXError) -> (dataCount: Int, byteCount: Int) {
    var reader = FileReader(stream, in: .blocks)
    var total = 0
    while true {
      let size = try takeBlock(from: &reader).data.count
      if size == 0 { return (total, reader.offset) }
      total += size
    }
  }

  /// Gives the data of each block to `body`, once its code has vouched for it.
  ///
  /// What follows the closing block is ignored, as others do.
  static func read(
    _ stream: Span<UInt8>, codes: inout BlockCodes,
    _ body: (Span<UInt8>) throws(KDBXError) -> Void
  ) throws(KDBXError) {
    var reader = FileReader(stream, in: .blocks)
    var index: UInt64 = 0
    while true {
      let start = reader.offset
      let block = try takeBlock(from: &reader)
      let code = codes.code(ofBlock: block.data, index: index)
      guard constantTimeEqual(code.span, block.code) else {
        throw KDBXError(
          .damaged, in: block.data.isEmpty ? .closingBlock : .blocks, at: start)
      }
      if block.data.isEmpty { return }
      try body(block.data)
      index += 1
    }
  }

  private struct Block: ~Escapable {
    let code: Span<UInt8>
    let data: Span<UInt8>

    @_lifetime(copy code, copy data)
    init(code: Span<UInt8>, data: Span<UInt8>) {
      self.code = code
      self.data = data
    }
  }

  @_lifetime(copy reader)
  private static func takeBlock(from reader: inout FileReader) throws(KDBXError) -> Block {
    if reader.remaining == 0 {
      throw KDBXError(.truncated, in: .closingBlock, at: reader.offset)
    }
    let code = try reader.take(BlockCodes.byteCount)
    return Block(code: code, data: try reader.takeCounted())
  }
}

/// The block stream of KDBX 3 inside the encryption: number, hash, size, data; an empty block with
/// a hash of zeros ends it (`docs/kdbx.md` 1.5).
enum HashedBlocks {
  /// Walks over the blocks without their hashes; what is wrong shows when they are read.
  ///
  /// Gives the size of all data together, and where the last data ends.
  static func outline(_ stream: Span<UInt8>) -> (dataCount: Int, dataEnd: Int) {
    var reader = FileReader(stream, in: .blocks)
    var outline = (dataCount: 0, dataEnd: 0)
    while let size = try? takeBlock(from: &reader).data.count, size > 0 {
      outline = (outline.dataCount + size, reader.offset)
    }
    return outline
  }

  /// Gives the data of each block to `body`, once its hash has vouched for it.
  ///
  /// What follows the closing block is padding, whatever it holds.
  static func read(
    _ stream: Span<UInt8>, _ body: (Span<UInt8>) throws(KDBXError) -> Void
  ) throws(KDBXError) {
    var reader = FileReader(stream, in: .blocks)
    var index: UInt32 = 0
    while true {
      let start = reader.offset
      let block = try takeBlock(from: &reader)
      guard block.index == index else { throw KDBXError(.damaged, in: .blocks, at: start) }
      if block.data.isEmpty {
        let zeros = [UInt8](repeating: 0, count: SHA256.digestCount)
        guard block.hash.hasSameBytes(as: zeros.span) else {
          throw KDBXError(.damaged, in: .closingBlock, at: start)
        }
        return
      }
      guard block.hash.hasSameBytes(as: SHA256.hash(block.data).span) else {
        throw KDBXError(.damaged, in: .blocks, at: start)
      }
      try body(block.data)
      index &+= 1
    }
  }

  private struct Block: ~Escapable {
    let index: UInt32
    let hash: Span<UInt8>
    let data: Span<UInt8>

    @_lifetime(copy hash, copy data)
    init(index: UInt32, hash: Span<UInt8>, data: Span<UInt8>) {
      self.index = index
      self.hash = hash
      self.data = data
    }
  }

  @_lifetime(copy reader)
  private static func takeBlock(from reader: inout FileReader) throws(KDBXError) -> Block {
    if reader.remaining == 0 {
      throw KDBXError(.truncated, in: .closingBlock, at: reader.offset)
    }
    let index = try reader.takeUInt32()
    let hash = try reader.take(SHA256.digestCount)
    return Block(index: index, hash: hash, data: try reader.takeCounted())
  }
}
