import ByteCoding
package import Ciphers
package import Secrets

/// A binary of the inner header (KDBX 4), sealed where it lies.
package struct InnerBinary: Sendable {
  /// The flag byte as found; bit 0 asks to keep the content protected in memory.
  package let flags: UInt8
  /// Where the sealed content lies in the buffer, without the flag byte.
  package let content: Range<Int>
  /// What it was sealed under.
  package let nonce: SealNonce

  package init(flags: UInt8, content: Range<Int>, nonce: SealNonce) {
    self.flags = flags
    self.content = content
    self.nonce = nonce
  }
}

/// What a document is made from: the inflated payload, and what opens the values in it.
package struct DocumentSource: Sendable {
  let buffer: SharedBuffer
  let innerStream: InnerStream
  let sealingKey: SealingKey
  let binaries: [InnerBinary]

  /// Takes what the container read.
  ///
  /// `buffer` holds the XML and the sealed contents of `binaries`; the key of the inner stream has
  /// been wiped in it. `binaries` are those of the inner header, in order; none in KDBX 3.
  package init(
    buffer: SharedBuffer, innerStream: InnerStream, sealingKey: SealingKey, binaries: [InnerBinary]
  ) {
    self.buffer = buffer
    self.innerStream = innerStream
    self.sealingKey = sealingKey
    self.binaries = binaries
  }
}

/// Opens the values of a document, from any thread.
///
/// It holds the source that a document and all its copies share, and never changes: values that are
/// protected in the file rest enciphered in it, under the inner stream they came with.
package final class ValueSource: Sendable {
  let source: DocumentSource
  private let xmlRange: Range<Int>
  /// As scanned: the nodes are those of the source.
  let skeleton: Skeleton
  /// For each number of the pool in Meta its last record.
  let poolByNumber: [UInt32: Int]
  let unpacked = UnpackedContent()

  /// Scans the XML, which is `xml` of the buffer.
  ///
  /// KeePassX and KeePassXC once wrote control characters into KDBX 3 (keepassxc#392): there they are
  /// passed over, and left out at the next save.
  init(
    _ source: DocumentSource, xml: Range<Int>, version: FormatVersion
  ) throws(DocumentError) {
    let range = xml.clamped(to: 0..<source.buffer.count)
    skeleton = try SkeletonBuilder.skeleton(
      of: source.buffer.bytes.extracting(range), passingControls: version.major == 3)
    self.source = source
    xmlRange = range
    var poolByNumber: [UInt32: Int] = [:]
    for (index, record) in skeleton.pool.enumerated() {
      if let number = record.number { poolByNumber[number] = index }
    }
    self.poolByNumber = poolByNumber
  }

  /// The XML as it was read.
  var xml: Span<UInt8> {
    @_lifetime(borrow self)
    get { bytes(at: xmlRange) }
  }

  /// The bytes of a part of the XML.
  @_lifetime(borrow self)
  func bytes(in range: SourceRange) -> Span<UInt8> {
    let start = xmlRange.lowerBound
    let place = start + range.range.lowerBound..<start + range.range.upperBound
    return bytes(at: place.clamped(to: xmlRange))
  }

  /// The bytes of a part of the buffer.
  @_lifetime(borrow self)
  func bytes(at range: Range<Int>) -> Span<UInt8> {
    // SAFETY: this object holds the buffer, which never changes, for as long as it lives, and the
    // view borrows this object. (The compiler can't see that through two objects.)
    let span = unsafe Span(_unsafeElements: Self.elements(of: source.buffer)).extracting(range)
    return unsafe _overrideLifetime(span, borrowing: self)
  }

  @inline(__always)
  private static func elements(of buffer: SharedBuffer) -> UnsafeBufferPointer<UInt8> {
    let bytes = buffer.bytes
    return unsafe bytes.withUnsafeBufferPointer { unsafe $0 }
  }

  // MARK: - Values

  /// Appends the exact bytes of a value: escapes resolved, protected ones deciphered.
  package func open(_ text: StoredText, into output: inout WipedBuffer) {
    switch text {
    case .source(let range): XMLText.append(bytes(in: range), to: &output)
    case .plain(let bytes): output.append(bytes.span)
    case .sealed(let sealed): sealed.open(into: &output)
    case .protected(let slot):
      let start = output.count
      decode(slot, into: &output)
      var all = output.mutableBytes
      var value = all._mutatingExtracting(start..<all.count)
      source.innerStream.apply(at: UInt64(slot.streamOffset), to: &value)
    }
  }

  /// Appends the enciphered bytes of a protected value.
  func decode(_ slot: ProtectedSlot, into output: inout WipedBuffer) {
    Self.decodeBase64(bytes(in: slot.text), into: &output)
  }

  /// Appends the bytes that base64 spells, as the content of an element may hold it; up to its first
  /// fault where it has one.
  @discardableResult
  static func decodeBase64(_ text: Span<UInt8>, into output: inout WipedBuffer) -> Bool {
    guard XMLText.hasMarkup(text) else {
      return output.append(atMost: text.count / 4 * 3 + 3) { piece in
        (try? Base64.decode(text, into: &piece)) != nil
      }
    }
    var plain = WipedBuffer(capacity: text.count)
    XMLText.append(text, to: &plain)
    let resolved = plain.bytes
    return output.append(atMost: resolved.count / 4 * 3 + 3) { piece in
      (try? Base64.decode(resolved, into: &piece)) != nil
    }
  }

  /// The exact number of bytes of a value; leaves no plain text behind.
  package func count(of text: StoredText) -> Int {
    switch text {
    case .source(let range): XMLText.plainCount(bytes(in: range))
    case .plain(let bytes): bytes.count
    case .sealed(let sealed): sealed.count
    case .protected(let slot): Int(slot.count)
    }
  }

  /// Whether two values have the same bytes.
  package func equal(_ left: StoredText, _ right: StoredText) -> Bool {
    if case .plain(let left) = left, case .plain(let right) = right { return left == right }
    guard count(of: left) == count(of: right) else { return false }
    var both = WipedBuffer()
    open(left, into: &both)
    let middle = both.count
    open(right, into: &both)
    let bytes = both.bytes
    return constantTimeEqual(
      bytes.extracting(0..<middle), bytes.extracting(middle..<bytes.count))
  }

  /// The exact bytes of a value that is no secret: a name, a title.
  package func bytes(of text: StoredText) -> [UInt8] {
    switch text {
    case .source(let range): return XMLText.plain(bytes(in: range))
    case .plain(let bytes): return bytes
    case .sealed, .protected:
      var buffer = WipedBuffer()
      open(text, into: &buffer)
      let opened = buffer.bytes
      var copy: [UInt8] = []
      copy.reserveCapacity(opened.count)
      for i in opened.indices { copy.append(opened[i]) }
      return copy
    }
  }

  /// Seals a value that was written in this session.
  package func seal(_ plain: Span<UInt8>) -> StoredText {
    .sealed(source.sealingKey.seal(plain))
  }

  // MARK: - Elements of the source

  /// The text of an element.
  func text(of element: XMLElement) -> StoredText {
    // Only an element with attributes can be protected.
    if !element.attributes.isEmpty, let slot = slot(at: element.content.lowerBound) {
      return .protected(slot)
    }
    return .source(SourceRange(element.content))
  }

  /// The protected value whose text starts at `offset`.
  func slot(at offset: Int) -> ProtectedSlot? {
    let index = firstProtected(from: UInt32(truncatingIfNeeded: offset))
    guard index + 1 < skeleton.protected.count,
      skeleton.protected[index].text.start == UInt32(truncatingIfNeeded: offset)
    else { return nil }
    return slot(index)
  }

  /// The protected value of that number.
  func slot(_ index: Int) -> ProtectedSlot {
    let record = skeleton.protected[index]
    let end = skeleton.protected[index + 1].streamOffset
    return ProtectedSlot(
      text: record.text, streamOffset: record.streamOffset, count: end - record.streamOffset)
  }

  /// The number of the first protected value whose text starts at `offset` or behind it.
  func firstProtected(from offset: UInt32) -> Int {
    skeleton.protected.firstIndex(notBefore: offset) { $0.text.start }
  }
}

extension Array {
  /// The first element, of those sorted by `key`, whose key is `offset` or more.
  @inline(__always)
  func firstIndex(notBefore offset: UInt32, _ key: (Element) -> UInt32) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if key(self[middle]) < offset { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
