import ByteCoding
package import Ciphers
package import Secrets

/// A content that the pool got in this session.
struct AddedBinary: Sendable {
  let bytes: SealedBytes
  let isProtected: Bool
}

/// Where the contents of the pool come from.
enum PoolContent {
  case inner(InnerBinary)
  case meta(PoolRecord)
  case added(AddedBinary)
}

extension Document {
  /// The largest content that is unpacked, in bytes.
  package static let contentLimit = 1 << 30

  /// How much of a content is looked at in one go, in bytes.
  private static let stride = 1 << 20

  /// The number of bytes of a content.
  package func count(of content: AttachmentContent) throws(DocumentError) -> Int {
    switch content {
    case .missing: throw DocumentError(.missingBinary)
    case .inline(let binary): return try values.count(of: EncodedBinary(binary))
    case .pool(let id):
      switch pool(id) {
      case .inner(let binary): return binary.content.count
      case .meta(let record): return try values.count(of: values.encoded(record))
      case .added(let binary): return binary.bytes.count
      case nil: throw DocumentError(.missingBinary)
      }
    }
  }

  /// Appends the bytes of a content.
  package func open(
    _ content: AttachmentContent, into output: inout WipedBuffer
  ) throws(DocumentError) {
    try open(content, range: 0..<Int.max, into: &output)
  }

  /// Appends the bytes of `range` of a content; what lies beyond its end is left out.
  package func open(
    _ content: AttachmentContent, range: Range<Int>, into output: inout WipedBuffer
  ) throws(DocumentError) {
    switch content {
    case .missing: throw DocumentError(.missingBinary)
    case .inline(let binary): try values.open(EncodedBinary(binary), range: range, into: &output)
    case .pool(let id):
      switch pool(id) {
      case .inner(let binary): values.open(binary, range: range, into: &output)
      case .meta(let record):
        try values.open(values.encoded(record), range: range, into: &output)
      case .added(let binary):
        binary.bytes.open(range: range.clamped(to: 0..<binary.bytes.count), into: &output)
      case nil: throw DocumentError(.missingBinary)
      }
    }
  }

  /// Puts a content into the pool; one that is there already, with the same flag, is used again.
  package mutating func addBinary(
    _ bytes: SealedBytes, isProtected: Bool
  ) -> AttachmentContent {
    let known = values.source.binaries.indices.map { UInt32($0) }
    let added = addedBinaries.indices.map { firstAdded + UInt32($0) }
    for number in known + added {
      let content = AttachmentContent.pool(BinaryID(number: number))
      if flag(of: BinaryID(number: number)) == isProtected, holds(content, bytes) {
        return content
      }
    }
    addedBinaries.append(AddedBinary(bytes: bytes, isProtected: isProtected))
    return .pool(BinaryID(number: firstAdded + UInt32(addedBinaries.count - 1)))
  }

  /// Whether a content asks to be kept protected: what replaces it should ask for the same.
  package func isProtected(_ content: AttachmentContent) -> Bool {
    switch content {
    case .missing: false
    case .inline(let binary): binary.slot != nil
    case .pool(let id): flag(of: id)
    }
  }

  // MARK: - The pool

  /// The number of the first content that was added in this session.
  var firstAdded: UInt32 {
    UInt32(values.source.binaries.count + values.skeleton.pool.count)
  }

  func pool(_ id: BinaryID) -> PoolContent? {
    var index = Int(id.number)
    if index < values.source.binaries.count { return .inner(values.source.binaries[index]) }
    index -= values.source.binaries.count
    if index < values.skeleton.pool.count { return .meta(values.skeleton.pool[index]) }
    index -= values.skeleton.pool.count
    return index < addedBinaries.count ? .added(addedBinaries[index]) : nil
  }

  func flag(of id: BinaryID) -> Bool {
    switch pool(id) {
    case .inner(let binary): binary.flags & 1 != 0
    case .meta(let record): record.isProtected
    case .added(let binary): binary.isProtected
    case nil: false
    }
  }

  private func holds(_ content: AttachmentContent, _ bytes: SealedBytes) -> Bool {
    guard let count = try? count(of: content), count == bytes.count else { return false }
    var start = 0
    var both = WipedBuffer()
    while start < count {
      let end = min(start + Self.stride, count)
      both.truncate(to: 0)
      bytes.open(range: start..<end, into: &both)
      guard (try? open(content, range: start..<end, into: &both)) != nil,
        both.count == 2 * (end - start)
      else { return false }
      let opened = both.bytes
      guard
        constantTimeEqual(
          opened.extracting(0..<end - start), opened.extracting(end - start..<opened.count))
      else { return false }
      start = end
    }
    return true
  }
}
