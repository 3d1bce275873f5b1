import Ciphers
import Secrets
import Testing

@testable import KDBX

/// A whole vault made by hand, step by step as `docs/kdbx.md` has it, with a place to go wrong at each.
struct HandMadeFile {
  enum BlockFault: CaseIterable {
    /// In KDBX 3 only.
    case number, hash, closingHash
    case negativeSize
  }

  var header: HandMadeHeader
  /// What is behind the encryption: in KDBX 4 the inner header and the XML, in KDBX 3 the XML.
  var content: [UInt8]
  /// The sizes of the first blocks, in bytes; the last block takes the rest.
  var blockSizes: [Int] = []
  var hasClosingBlock = true
  /// What is wrong with the first block, or with the closing one; in KDBX 4 its code is right.
  var fault: BlockFault?
  /// What follows the closing block: in KDBX 4 in the file, in KDBX 3 inside the encryption.
  var trailer: [UInt8] = []
  var password = "test"
  /// What a hardware key answers to the challenge, if it has a part in the key.
  var answer: (@Sendable ([UInt8]) -> [UInt8])?

  var bytes: [UInt8] {
    get throws {
      let parameters = try parameters
      var composite = SHA256.hash([UInt8](password.utf8).span)
      if let answer, header.major >= 4 {
        composite += SHA256.hash(answer(parameters.salt).span)
      }
      composite = SHA256.hash(composite.span)
      let key = try DerivedKey(
        from: SecretBytes(copying: composite.span), with: parameters, limits: .standard)
      return header.major >= 4 ? try version4(key) : try version3(key)
    }
  }

  /// The key of the outer cipher.
  private func cipherKey(_ key: DerivedKey) -> [UInt8] {
    let seed = field(4)
    let part = header.major < 4 ? answer.map { SHA256.hash($0(seed).span) } ?? [] : []
    return SHA256.hash((seed + part + revealed(key.bytes)).span)
  }

  private var parameters: KDFParameters {
    get throws {
      guard header.major >= 4 else {
        return KDFParameters(transformSeed: field(5), rounds: 1)
      }
      let dictionary = field(11)
      return try KDFParameters(try VariantDictionary(reading: dictionary.span))
    }
  }

  private func field(_ id: UInt8) -> [UInt8] {
    header.fields.last { $0.id == id }?.bytes ?? []
  }

  private var packed: [UInt8] {
    guard field(3) == [1, 0, 0, 0] else { return content }
    var buffer = WipedBuffer()
    var deflater = Deflater(level: 6)
    deflater.update(content.span, into: &buffer)
    deflater.finish(into: &buffer)
    return [UInt8](copying: buffer.bytes)
  }

  private func blocks(of bytes: [UInt8]) -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    var rest = bytes[...]
    for size in blockSizes {
      blocks.append([UInt8](rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    blocks.append([UInt8](rest))
    return blocks.filter { !$0.isEmpty }
  }

  private func encrypt(_ plain: [UInt8], _ key: DerivedKey) throws -> [UInt8] {
    let cipher = try #require(OuterCipher(identifier: field(2)))
    let iv = field(7)
    var buffer = WipedBuffer()
    var encryptor = try Encryptor(cipher, key: cipherKey(key).span, iv: iv.span)
    try encryptor.update(plain.span, into: &buffer)
    try encryptor.finish(into: &buffer)
    return [UInt8](copying: buffer.bytes)
  }

  private func version4(_ key: DerivedKey) throws -> [UInt8] {
    let macKey = revealed(key.macKey(masterSeed: field(4)))
    func code(_ index: UInt64, _ data: [UInt8]) -> [UInt8] {
      let blockKey = SHA512.hash((littleEndian(index) + macKey).span)
      var hmac = HMAC(.sha256, key: blockKey.span)
      hmac.update(data.span)
      return hmac.finalize()
    }
    let plainHeader = header.bytes
    var file = plainHeader + SHA256.hash(plainHeader.span) + code(.max, plainHeader)
    let closing: [[UInt8]] = hasClosingBlock ? [[]] : []
    for (index, block) in (blocks(of: try encrypt(packed, key)) + closing).enumerated() {
      let isNegative = fault == .negativeSize && index == 0
      let size = littleEndian(isNegative ? -1 : Int32(block.count))
      file += code(UInt64(index), littleEndian(UInt64(index)) + size + block) + size + block
    }
    return file + trailer
  }

  private func version3(_ key: DerivedKey) throws -> [UInt8] {
    let streamStart = field(9)
    var plain = streamStart
    var index: UInt32 = 0
    for block in blocks(of: packed) {
      let isFirst = index == 0
      plain += littleEndian(isFirst && fault == .number ? 7 : index)
      plain += isFirst && fault == .hash ? streamStart : SHA256.hash(block.span)
      plain += littleEndian(isFirst && fault == .negativeSize ? -1 : Int32(block.count)) + block
      index += 1
    }
    if hasClosingBlock {
      let hash = [UInt8](repeating: fault == .closingHash ? 1 : 0, count: 32)
      plain += littleEndian(index) + hash + [UInt8](repeating: 0, count: 4)
    }
    return header.bytes + (try encrypt(plain + trailer, key))
  }
}
