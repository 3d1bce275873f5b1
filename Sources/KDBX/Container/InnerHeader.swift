import ByteCoding
import Ciphers
import Secrets

/// The header of KDBX 4 in front of the XML, inside the encryption (`docs/kdbx.md` 4.1).
struct InnerHeader {
  /// The fields that the format knows.
  enum FieldID: UInt8 {
    case end = 0
    case innerStream = 1
    case innerStreamKey = 2
    case binary = 3
  }

  let innerStream: InnerStream
  let sealingKey: SealingKey
  /// The attachments, in order.
  let binaries: [InnerBinary]
  /// Fields that we don't know, for the next save.
  let unknownFields: [HeaderField]
  /// Where the XML begins.
  let byteCount: Int

  /// Takes the header off the front of `content`, and hides what is secret in it: the key of the
  /// inner stream is overwritten, the attachments are sealed where they lie.
  init(takingSecretsFrom content: inout WipedBuffer) throws(KDBXError) {
    let outline = try Outline(content.bytes)
    let sealingKey = SealingKey()
    var bytes = content.mutableBytes
    var streamKey = bytes._mutatingExtracting(outline.streamKey)
    innerStream = InnerStream(outline.streamKind, key: streamKey.span)
    streamKey.update(repeating: 0)
    binaries = outline.binaries.map { binary in
      var sealed = bytes._mutatingExtracting(binary.content)
      let nonce = sealingKey.sealInPlace(&sealed)
      return InnerBinary(flags: binary.flags, content: binary.content, nonce: nonce)
    }
    self.sealingKey = sealingKey
    unknownFields = outline.unknownFields
    byteCount = outline.byteCount
  }
}

/// Where everything in the inner header is, before any of it is changed.
private struct Outline {
  struct Binary {
    let flags: UInt8
    let content: Range<Int>
  }

  private(set) var streamKind = InnerStream.Kind.none
  private(set) var streamKey = 0..<0
  private(set) var binaries: [Binary] = []
  private(set) var unknownFields: [HeaderField] = []
  private(set) var byteCount = 0

  init(_ content: Span<UInt8>) throws(KDBXError) {
    var reader = FileReader(content, in: .innerHeader)
    var isStreamNamed = false
    while true {
      let start = reader.offset
      let rawID = try reader.takeUInt8()
      let data = try reader.takeCounted()
      let range = (reader.offset - data.count)..<reader.offset
      switch InnerHeader.FieldID(rawValue: rawID) {
      case .innerStream:
        guard
          let kind = littleEndian([UInt8](copying: data)).flatMap({
            InnerStream.Kind(rawValue: $0)
          })
        else { throw KDBXError(.unsupported(.innerStream), in: .innerHeader, at: start) }
        streamKind = kind
        isStreamNamed = true
      case .innerStreamKey:
        streamKey = range
      case .binary:
        // An empty attachment still has its flags.
        guard !data.isEmpty else { throw KDBXError(.damaged, in: .innerHeader, at: start) }
        binaries.append(Binary(flags: data[0], content: range.dropFirst()))
      case .end:
        // Where nothing is enciphered no key is needed.
        guard isStreamNamed, streamKind == .none || !streamKey.isEmpty else {
          throw KDBXError(
            .damaged, in: .innerHeader, cause: .text("it names no inner stream or no key for it"))
        }
        byteCount = reader.offset
        return
      case nil:
        unknownFields.append(HeaderField(id: rawID, bytes: [UInt8](copying: data)))
      }
    }
  }
}
