import ByteCoding
import Ciphers
import Secrets

/// What a new file will hold behind its encryption, made ready.
struct WrittenContent: ~Copyable {
  /// How much of an attachment is opened at one time, in bytes.
  private static let stride = 1 << 20

  private let document: Document
  private let binaries: [PlannedBinary]
  /// The inner header as far as its attachments; empty in KDBX 3.
  private var innerHeader = WipedBuffer()
  private var xml = WipedBuffer()

  /// Writes the XML, enciphering what is protected under `streamKey`.
  init(
    _ document: Document, _ plan: WritePlan, header: OuterHeader,
    streamKey: borrowing SecretBytes
  ) throws(KDBXError) {
    self.document = document
    let isVersion4 = header.version.major >= 4
    let kind: InnerStream.Kind = isVersion4 ? .chaCha20 : .salsa20
    binaries = isVersion4 ? plan.binaries : []
    if isVersion4 {
      let number = [UInt8(kind.rawValue), 0, 0, 0]
      innerHeader.append(InnerHeader.FieldID.innerStream.rawValue, number.span)
      streamKey.withBytes {
        innerHeader.append(InnerHeader.FieldID.innerStreamKey.rawValue, $0)
      }
      for field in header.unknownInnerFields { innerHeader.append(field.id, field.bytes.span) }
    }
    let innerStream = streamKey.withBytes { InnerStream(kind, key: $0) }
    do throws(DocumentError) {
      try document.writeXML(
        plan, innerStream: innerStream, headerHash: header.hashForDocument, into: &xml)
    } catch {
      throw KDBXError(error)
    }
  }

  /// Appends the whole file.
  func write(
    as header: OuterHeader, key: DerivedKey, into output: inout WipedBuffer
  ) throws(KDBXError) {
    let count = binaries.reduce(innerHeader.count + xml.count) { $0 + $1.count }
    let limit = Limits.standard.contentBytes
    guard count <= limit else { throw KDBXError(.tooLarge(limit: limit), in: .document) }
    var writer = try VaultWriter(header, key: key, contentCount: count)
    try writer.begin(into: &output)
    try writer.write(innerHeader.bytes, into: &output)
    for binary in binaries { try write(binary, with: &writer, into: &output) }
    if header.version.major >= 4 {
      try writer.write([InnerHeader.FieldID.end.rawValue, 0, 0, 0, 0].span, into: &output)
    }
    try writer.write(xml.bytes, into: &output)
    try writer.finish(into: &output)
  }

  private func write(
    _ binary: PlannedBinary, with writer: inout VaultWriter, into output: inout WipedBuffer
  ) throws(KDBXError) {
    var prefix = ByteWriter()
    prefix.append(InnerHeader.FieldID.binary.rawValue)
    prefix.appendInt32(Int32(clamping: binary.count + 1))
    prefix.append(binary.flags)
    try writer.write(prefix.bytes.span, into: &output)
    var piece = WipedBuffer()
    var start = 0
    while start < binary.count {
      let end = min(start + Self.stride, binary.count)
      piece.truncate(to: 0)
      do throws(DocumentError) {
        try document.open(binary.content, range: start..<end, into: &piece)
      } catch {
        throw KDBXError(error)
      }
      guard piece.count == end - start else {
        throw KDBXError(.writtenDifferently, in: .innerHeader)
      }
      try writer.write(piece.bytes, into: &output)
      start = end
    }
  }
}

extension WipedBuffer {
  /// Appends a field of the inner header.
  fileprivate mutating func append(_ id: UInt8, _ bytes: Span<UInt8>) {
    append(id)
    var size = ByteWriter()
    size.appendInt32(Int32(clamping: bytes.count))
    append(size.bytes.span)
    append(bytes)
  }
}

extension OuterHeader {
  /// What the document is to hold as the header's hash; nil in the versions that don't have it, and
  /// in KDBX 4, where KeePass would refuse the file.
  fileprivate var hashForDocument: [UInt8]? {
    version.major == 3 && version >= .kdbx31 ? SHA256.hash(bytes.span) : nil
  }
}
