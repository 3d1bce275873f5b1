import ByteCoding
import Secrets
import Testing

@testable import KDBX

/// Encryption, compression and blocks, without a document inside.
@Suite struct SealedVaultTests {
  static let content: [UInt8] = (0..<400).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 5) }

  /// A change of the header may ask for a billion rounds.
  static let limits: Limits = {
    var limits = Limits.standard
    limits.aesRounds = 1000
    return limits
  }()

  static func open(
    _ file: [UInt8], password: String = "test", limit: Int = 1 << 20
  ) throws(KDBXError) -> [UInt8] {
    let sealed = try SealedVault(file.span)
    let key = try DerivedKey(
      from: CompositeKey(password: password), with: sealed.header.kdf, limits: limits)
    let content = try sealed.open(with: key, limit: limit)
    return [UInt8](copying: content.bytes)
  }

  static func failure(
    _ file: [UInt8], password: String = "test", limit: Int = 1 << 20
  ) -> KDBXError? {
    do throws(KDBXError) {
      _ = try open(file, password: password, limit: limit)
      return nil
    } catch {
      return error
    }
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: HandMadeFile
  }

  static let samples: [Sample] = {
    var samples: [Sample] = []
    let ciphers: [(String, [UInt8])] = [
      ("AES", HandMadeHeader.aes), ("ChaCha20", HandMadeHeader.chaCha20),
      ("Twofish", HandMadeHeader.twofish),
    ]
    for (name, cipher) in ciphers {
      for compression: UInt32 in [0, 1] {
        for major in [3, 4] {
          let header: HandMadeHeader =
            major == 3
            ? .version3(cipher: cipher, compression: compression)
            : .version4(cipher: cipher, compression: compression)
          samples.append(
            Sample(
              testDescription: "\(major) \(name) \(compression == 1 ? "gzip" : "plain")",
              file: HandMadeFile(header: header, content: content, blockSizes: [1, 100, 17])))
        }
      }
    }
    return samples
  }()

  /// One of each version, for what is dear.
  static let few = samples.filter { $0.testDescription.contains("AES") }

  @Test(arguments: samples)
  func `what others wrote opens`(sample: Sample) throws {
    #expect(try Self.open(sample.file.bytes) == Self.content)
  }

  @Test(arguments: samples)
  func `what we write opens, and is what others would write`(sample: Sample) throws {
    let original = try sample.file.bytes
    let sealed = try SealedVault(original.span)
    let header = sealed.header
    let key = try DerivedKey(from: CompositeKey(password: "test"), with: header.kdf)
    var output = WipedBuffer()
    var writer = try VaultWriter(header, key: key, contentCount: Self.content.count)
    try writer.begin(into: &output)
    try writer.write(Self.content.span.extracting(first: 100), into: &output)
    try writer.write(Self.content.span.extracting(droppingFirst: 100), into: &output)
    try writer.finish(into: &output)
    var oneBlock = sample.file
    oneBlock.blockSizes = []
    #expect([UInt8](copying: output.bytes) == (try oneBlock.bytes))
  }

  @Test(arguments: samples)
  func `a wrong password is called that`(sample: Sample) throws {
    let error = Self.failure(try sample.file.bytes, password: "Test")
    #expect(error?.kind == .wrongKey)
  }

  @Test(arguments: samples)
  func `no cut is taken, and none is called a wrong password`(sample: Sample) throws {
    let file = try sample.file.bytes
    #expect(Self.failure([])?.kind == .empty)
    for length in 1..<file.count {
      let cut = Array(file.prefix(length))
      if let error = Self.failure(cut) {
        #expect(error.kind == .truncated, "\(length): \(error)")
      } else {
        // In KDBX 3 the last cipher block may be padding only, and nobody misses it.
        #expect(sample.file.header.major == 3 && length == file.count - 16)
        #expect(try Self.open(cut) == Self.content)
      }
    }
  }

  @Test(arguments: few)
  func `no change of a byte passes in KDBX 4`(sample: Sample) throws {
    guard sample.file.header.major == 4 else { return }
    let file = try sample.file.bytes
    let codeStart = sample.file.header.bytes.count + 32
    for position in file.indices {
      var changed = file
      changed[position] ^= 0x40
      let error = Self.failure(changed)
      #expect(error != nil, "byte \(position)")
      // The header's code is what a wrong key is known by.
      let isCode = (codeStart..<(codeStart + 32)).contains(position)
      #expect((error?.kind == .wrongKey) == isCode, "byte \(position)")
    }
  }

  /// Nothing vouches for the header but a hash in the document, which isn't looked at here.
  @Test(arguments: few)
  func `changes of KDBX 3 are found in all that is content`(sample: Sample) throws {
    guard sample.file.header.major == 3 else { return }
    let file = try sample.file.bytes
    for position in file.indices {
      var changed = file
      changed[position] ^= 0x40
      // Whatever comes of it, nothing traps, and the content is right or refused.
      if let content = try? Self.open(changed) {
        #expect(content == Self.content, "byte \(position)")
      }
    }
  }

  @Test(arguments: samples)
  func `a missing closing block is called that`(sample: Sample) throws {
    var file = sample.file
    file.hasClosingBlock = false
    let error = Self.failure(try file.bytes)
    #expect(error?.kind == .truncated)
    #expect(error?.part == .closingBlock)
  }

  @Test(arguments: samples, HandMadeFile.BlockFault.allCases)
  func `a block that can't be right is refused`(
    sample: Sample, fault: HandMadeFile.BlockFault
  ) throws {
    guard sample.file.header.major == 3 || fault == .negativeSize else { return }
    var file = sample.file
    file.fault = fault
    let error = Self.failure(try file.bytes)
    #expect(error?.kind == .damaged)
    #expect(error?.part == (fault == .closingHash ? .closingBlock : .blocks))
  }

  @Test(arguments: samples)
  func `what follows the closing block is ignored`(sample: Sample) throws {
    var file = sample.file
    file.trailer = [UInt8](repeating: 0x0A, count: 40)
    #expect(try Self.open(file.bytes) == Self.content)
  }

  @Test(arguments: samples)
  func `content over the limit is refused, content at the limit isn't`(sample: Sample) throws {
    let file = try sample.file.bytes
    let error = Self.failure(file, limit: Self.content.count - 1)
    #expect(error?.kind == .tooLarge(limit: Self.content.count - 1))
    #expect(try Self.open(file, limit: Self.content.count) == Self.content)
  }

  @Test(arguments: few)
  func `no content at all opens, as nothing`(sample: Sample) throws {
    var file = sample.file
    file.content = []
    #expect(try Self.open(file.bytes) == [])
  }

  @Test(arguments: few)
  func `content of many blocks is written and read`(sample: Sample) throws {
    let big = (0..<(5 << 20)).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 13) }
    let original = try sample.file.bytes
    let header = try SealedVault(original.span).header
    let key = try DerivedKey(from: CompositeKey(password: "test"), with: header.kdf)
    var output = WipedBuffer()
    var writer = try VaultWriter(header, key: key, contentCount: big.count)
    try writer.begin(into: &output)
    try writer.write(big.span, into: &output)
    try writer.finish(into: &output)
    let content = try SealedVault(output.bytes).open(with: key, limit: big.count)
    let same = content.bytes.hasSameBytes(as: big.span)
    #expect(same)
    guard header.version.major >= 4, header.compression == .none else { return }
    // Behind the header, its hash and its code: the first block's code, and its size.
    let start = header.bytes.count + 32 + 32 + 32
    let size = [UInt8](copying: output.bytes.extracting(start..<start + 4))
    #expect(size == [0, 0, 16, 0])
  }
}
