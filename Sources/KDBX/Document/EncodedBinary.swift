import ByteCoding
import Ciphers
import Secrets
import Synchronization

/// A content that stands in the XML: base64, perhaps of gzip, perhaps enciphered.
struct EncodedBinary: Hashable, Sendable {
  let text: SourceRange
  let slot: ProtectedSlot?
  let isCompressed: Bool

  init(text: SourceRange, slot: ProtectedSlot?, isCompressed: Bool) {
    self.text = text
    self.slot = slot
    self.isCompressed = isCompressed
  }

  init(_ inline: InlineBinary) {
    self.init(text: inline.text, slot: inline.slot, isCompressed: inline.isCompressed)
  }
}

/// The content that was unpacked last, sealed: a file is read in many pieces.
final class UnpackedContent: Sendable {
  private struct State {
    var binary: EncodedBinary?
    var bytes: SealedBytes?
    /// How large the contents are that were unpacked before.
    var counts: [EncodedBinary: Int] = [:]
  }

  private let state = Mutex(State())

  func bytes(of binary: EncodedBinary) -> SealedBytes? {
    state.withLock { $0.binary == binary ? $0.bytes : nil }
  }

  func count(of binary: EncodedBinary) -> Int? {
    state.withLock { $0.counts[binary] }
  }

  func keep(_ bytes: SealedBytes, of binary: EncodedBinary) {
    state.withLock {
      $0.binary = binary
      $0.bytes = bytes
      $0.counts[binary] = bytes.count
    }
  }
}

extension ValueSource {
  func encoded(_ record: PoolRecord) -> EncodedBinary {
    EncodedBinary(
      text: record.content, slot: slot(at: record.content.range.lowerBound),
      isCompressed: record.isCompressed)
  }

  /// Appends a part of a content of the inner header.
  func open(_ binary: InnerBinary, range: Range<Int>, into output: inout WipedBuffer) {
    let part = range.clamped(to: 0..<binary.content.count)
    let start = output.count
    let place = binary.content.lowerBound + part.lowerBound
    output.append(bytes(at: place..<place + part.count))
    var all = output.mutableBytes
    var opened = all._mutatingExtracting(start..<all.count)
    source.sealingKey.open(binary.nonce, &opened, at: part.lowerBound)
  }

  /// The number of bytes of a content in the XML.
  func count(of binary: EncodedBinary) throws(DocumentError) -> Int {
    guard binary.isCompressed else { return try encodedCount(of: binary) }
    if let count = unpacked.count(of: binary) { return count }
    return try unpack(binary).count
  }

  /// Appends a part of a content in the XML.
  func open(
    _ binary: EncodedBinary, range: Range<Int>, into output: inout WipedBuffer
  ) throws(DocumentError) {
    if binary.isCompressed {
      let kept = unpacked.bytes(of: binary)
      let bytes = if let kept { kept } else { try unpack(binary) }
      bytes.open(range: range.clamped(to: 0..<bytes.count), into: &output)
      return
    }
    let count = try encodedCount(of: binary)
    try decode(binary, range.clamped(to: 0..<count), of: count, into: &output)
  }

  /// The number of bytes that the base64 stands for.
  private func encodedCount(of binary: EncodedBinary) throws(DocumentError) -> Int {
    if let slot = binary.slot { return Int(slot.count) }
    let text = bytes(in: binary.text)
    if let count = try? Base64.decodedCount(of: text) { return count }
    let plain = XMLText.plain(text)
    guard XMLText.hasMarkup(text), let count = try? Base64.decodedCount(of: plain.span) else {
      throw DocumentError(.badBinary, at: binary.text.range.lowerBound)
    }
    return count
  }

  /// Appends the bytes of `part` of the `count` that the base64 stands for, deciphered.
  private func decode(
    _ binary: EncodedBinary, _ part: Range<Int>, of count: Int, into output: inout WipedBuffer
  ) throws(DocumentError) {
    let text = bytes(in: binary.text)
    let start = output.count
    if text.count == Base64.encodedCount(of: count), !text.isEmpty {
      // No white space in it, so that each group of four has its place.
      let first = part.lowerBound / 3
      let end = (part.upperBound + 2) / 3
      let groups = text.extracting(first * 4..<max(first, end) * 4)
      var piece = WipedBuffer()
      Self.decodeBase64(groups, into: &piece)
      let decoded = piece.bytes
      let offset = part.lowerBound - first * 3
      guard offset + part.count <= decoded.count else {
        throw DocumentError(.badBinary, at: binary.text.range.lowerBound)
      }
      output.append(decoded.extracting(offset..<offset + part.count))
    } else {
      var whole = WipedBuffer(capacity: count)
      Self.decodeBase64(text, into: &whole)
      guard whole.count == count else {
        throw DocumentError(.badBinary, at: binary.text.range.lowerBound)
      }
      output.append(whole.bytes.extracting(part))
    }
    guard let slot = binary.slot else { return }
    var all = output.mutableBytes
    var opened = all._mutatingExtracting(start..<all.count)
    source.innerStream.apply(
      at: UInt64(slot.streamOffset) + UInt64(part.lowerBound), to: &opened)
  }

  /// Unpacks a compressed content, and keeps it for what is asked next.
  private func unpack(_ binary: EncodedBinary) throws(DocumentError) -> SealedBytes {
    let packedCount = try encodedCount(of: binary)
    // KeePass marks an empty content as compressed too, and compresses nothing.
    guard packedCount > 0 else { return source.sealingKey.seal([UInt8]().span) }
    var packed = WipedBuffer(capacity: packedCount)
    try decode(binary, 0..<packedCount, of: packedCount, into: &packed)
    var plain = WipedBuffer()
    try inflate(packed.bytes, of: binary, into: &plain)
    let sealed = source.sealingKey.seal(plain.bytes)
    unpacked.keep(sealed, of: binary)
    return sealed
  }

  private func inflate(
    _ packed: Span<UInt8>, of binary: EncodedBinary, into plain: inout WipedBuffer
  ) throws(DocumentError) {
    do throws(CompressionError) {
      var inflater = Inflater(limit: Document.contentLimit)
      try inflater.update(packed, into: &plain)
      try inflater.finish()
    } catch {
      switch error {
      case .tooLarge(let limit): throw DocumentError(.tooLarge(limit: limit))
      case .damaged, .truncated:
        throw DocumentError(.badBinary, at: binary.text.range.lowerBound)
      }
    }
  }
}
