import ByteCoding
import Ciphers
import KDBX
import Secrets

/// A document made from XML of a test, and what helps to look at it.
enum Make {
  /// The key of the inner stream of documents that tests make.
  static let key = [UInt8](repeating: 7, count: 64)

  static func stream(_ seed: UInt8 = 7) -> InnerStream {
    InnerStream(.chaCha20, key: [UInt8](repeating: seed, count: 64).span)
  }

  /// A content of the inner header.
  struct Binary {
    var flags: UInt8 = 1
    var content: [UInt8]
  }

  static func document(
    _ xml: [UInt8], version: FormatVersion = .kdbx41, binaries: [Binary] = [],
    innerStream: InnerStream = stream()
  ) throws -> Document {
    let sealingKey = SealingKey()
    var buffer = WipedBuffer()
    var inner: [InnerBinary] = []
    for binary in binaries {
      let content = binary.content
      let start = buffer.count
      buffer.append(content.span)
      var all = buffer.mutableBytes
      var place = all._mutatingExtracting(start..<all.count)
      let nonce = sealingKey.sealInPlace(&place)
      inner.append(
        InnerBinary(
          flags: binary.flags, content: start..<start + content.count, nonce: nonce))
    }
    let start = buffer.count
    buffer.append(xml.span)
    let end = buffer.count
    return try Document(
      source: DocumentSource(
        buffer: SharedBuffer(buffer), innerStream: innerStream, sealingKey: sealingKey,
        binaries: inner),
      xml: start..<end, version: version)
  }

  static func document(
    _ xml: String, version: FormatVersion = .kdbx41, binaries: [Binary] = [],
    innerStream: InnerStream = stream()
  ) throws -> Document {
    try document(
      Array(xml.utf8), version: version, binaries: binaries, innerStream: innerStream)
  }

  /// The XML that is written under `innerStream`.
  static func written(
    _ document: Document, innerStream: InnerStream = stream(), headerHash: [UInt8]? = nil
  ) throws -> [UInt8] {
    var output = WipedBuffer()
    try document.writeXML(
      document.writePlan(), innerStream: innerStream, headerHash: headerHash, into: &output)
    return bytes(of: output)
  }

  /// What is read after `document` was written under another key, attachments included.
  static func reopened(
    _ document: Document, seed: UInt8, headerHash: [UInt8]? = nil
  ) throws -> Document {
    let innerStream = stream(seed)
    let binaries = try document.writePlan().binaries.map { binary in
      Binary(flags: binary.flags, content: try document.bytes(of: binary.content))
    }
    return try self.document(
      try written(document, innerStream: innerStream, headerHash: headerHash),
      version: document.version, binaries: binaries, innerStream: innerStream)
  }

  static func bytes(of buffer: borrowing WipedBuffer) -> [UInt8] {
    let span = buffer.bytes
    return span.indices.map { span[$0] }
  }

  /// Base64 of `plain` as a protected value at `offset` of the key stream.
  static func protected(
    _ plain: String, at offset: UInt64, innerStream: InnerStream = stream()
  ) -> String {
    var bytes = Array(plain.utf8)
    var span = bytes.mutableSpan
    innerStream.apply(at: offset, to: &span)
    return String(decoding: Base64.encode(bytes.span), as: UTF8.self)
  }
}

extension Document {
  /// The value of a field, in the clear.
  func value(_ key: String, of entry: Entry) -> String? {
    entry.string(Array(key.utf8)).map { text($0.value) }
  }

  func text(_ stored: StoredText) -> String {
    var buffer = WipedBuffer()
    values.open(stored, into: &buffer)
    return String(decoding: Make.bytes(of: buffer), as: UTF8.self)
  }

  func bytes(of content: AttachmentContent) throws -> [UInt8] {
    var buffer = WipedBuffer()
    try open(content, into: &buffer)
    return Make.bytes(of: buffer)
  }
}
