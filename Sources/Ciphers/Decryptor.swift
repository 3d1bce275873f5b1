package import Secrets

/// Deciphers in pieces.
///
/// Bad padding at the end is tolerated, since old writers of Twofish made some: the last block then
/// goes out whole, and whoever reads the contents knows where they end.
package struct Decryptor: ~Copyable {
  private let engine: any CipherEngine
  private let blockSize: Int
  /// Cipher text that waits: less than a block, or the block that may be the last.
  private var held: [UInt8] = []

  /// Begins a stream of `cipher`.
  package init(
    _ cipher: OuterCipher, key: Span<UInt8>, iv: Span<UInt8>
  ) throws(CipherError) {
    engine = try cipher.makeEngine(.decrypt, key: key, iv: iv)
    blockSize = cipher.blockSize
  }

  /// Appends what `input` gives; up to a block is held back.
  package mutating func update(
    _ input: Span<UInt8>, into output: inout WipedBuffer
  ) throws(CipherError) {
    guard blockSize > 1 else { return engine.process(input, into: &output) }
    guard held.count + input.count > blockSize else { return hold(input) }

    // From here on the held bytes become a whole block, and at least a byte stays for the end.
    var rest = input
    if !held.isEmpty {
      let missing = blockSize - held.count
      hold(rest.extracting(first: missing))
      rest = rest.extracting(droppingFirst: missing)
      engine.process(held.span, into: &output)
      held.removeAll(keepingCapacity: true)
    }
    let whole = (rest.count - 1) / blockSize * blockSize
    engine.process(rest.extracting(first: whole), into: &output)
    hold(rest.extracting(droppingFirst: whole))
  }

  /// Appends the rest, without its padding.
  package mutating func finish(into output: inout WipedBuffer) throws(CipherError) {
    guard !held.isEmpty else { return }
    guard held.count == blockSize else { throw .partialBlock(held.count) }
    engine.process(held.span, into: &output)
    held.removeAll()
    output.truncate(to: output.count - paddingCount(at: output.bytes))
  }

  private mutating func hold(_ bytes: Span<UInt8>) {
    for i in bytes.indices { held.append(bytes[i]) }
  }

  /// How many bytes of PKCS#7 padding (RFC 5652, section 6.3) there are at the end; 0 if it is wrong.
  private func paddingCount(at bytes: Span<UInt8>) -> Int {
    let count = Int(bytes[bytes.count - 1])
    guard (1...blockSize).contains(count) else { return 0 }
    let padding = bytes.extracting(last: count)
    for i in padding.indices where Int(padding[i]) != count { return 0 }
    return count
  }
}
