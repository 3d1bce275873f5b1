package import Secrets

/// Enciphers in pieces, with PKCS#7 padding (RFC 5652, section 6.3) for the block ciphers.
package struct Encryptor: ~Copyable {
  private let engine: any CipherEngine
  private let blockSize: Int
  /// Plain text that waits: less than a block.
  private var held = WipedBuffer(capacity: 16)

  /// Begins a stream of `cipher`.
  package init(
    _ cipher: OuterCipher, key: Span<UInt8>, iv: Span<UInt8>
  ) throws(CipherError) {
    engine = try cipher.makeEngine(.encrypt, key: key, iv: iv)
    blockSize = cipher.blockSize
  }

  /// Appends what `input` gives; less than a block is held back.
  package mutating func update(
    _ input: Span<UInt8>, into output: inout WipedBuffer
  ) throws(CipherError) {
    guard blockSize > 1 else { return engine.process(input, into: &output) }
    guard held.count + input.count >= blockSize else { return held.append(input) }

    var rest = input
    if held.count > 0 {
      let missing = blockSize - held.count
      held.append(rest.extracting(first: missing))
      rest = rest.extracting(droppingFirst: missing)
      engine.process(held.bytes, into: &output)
      held.truncate(to: 0)
    }
    let whole = rest.count / blockSize * blockSize
    engine.process(rest.extracting(first: whole), into: &output)
    held.append(rest.extracting(droppingFirst: whole))
  }

  /// Appends the last block.
  package mutating func finish(into output: inout WipedBuffer) throws(CipherError) {
    guard blockSize > 1 else { return }
    let missing = blockSize - held.count
    for _ in 0..<missing { held.append(UInt8(missing)) }
    engine.process(held.bytes, into: &output)
    held.truncate(to: 0)
  }
}
