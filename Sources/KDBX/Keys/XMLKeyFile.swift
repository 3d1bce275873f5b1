import ByteCoding
import Ciphers
import Secrets

/// A key file in XML, as KeePass 2 and KeePassXC make them.
struct XMLKeyFile: ~Copyable {
  /// What `Meta/Version` says.
  private var version: [UInt8]?
  /// What `Key/Data` holds, without white space.
  private var data: WipedBuffer?
  /// The attribute `Hash` of `Key/Data`.
  private var checksum: [UInt8]?

  /// Reads a document; nil if the file is no XML or its root isn't `KeyFile`: then it is a key file
  /// of another kind, while a fault in such a document is an error.
  init?(reading file: Span<UInt8>) {
    do throws(XMLError) {
      var scanner = try XMLScanner(file)
      guard try scanner.next() == .start, scanner.isNamed("KeyFile") else { return nil }
      try readElements(&scanner, of: file)
    } catch {
      return nil
    }
  }

  /// Takes everything up to the end of the document.
  private mutating func readElements(
    _ scanner: inout XMLScanner, of file: Span<UInt8>
  ) throws(XMLError) {
    var isInMeta = false
    var isInKey = false
    while true {
      switch try scanner.next() {
      case .finished: return
      case .start where scanner.depth == 2:
        isInMeta = scanner.isNamed("Meta")
        isInKey = scanner.isNamed("Key")
      case .start where scanner.depth == 3 && isInKey && scanner.isNamed("Data"):
        checksum = scanner.attribute("Hash")
      // At the end of an element of the third level two are still open.
      case .end where scanner.depth == 2 && isInMeta && scanner.isNamed("Version"):
        version = [UInt8](
          copying: KeyFileText.withoutSpace(file.extracting(scanner.content)).bytes)
      case .end where scanner.depth == 2 && isInKey && scanner.isNamed("Data"):
        data = KeyFileText.withoutSpace(file.extracting(scanner.content))
      case .start, .end: break
      }
    }
  }

  /// The key, in the form that the document's version asks for.
  consuming func key() throws(KDBXError) -> SecretBytes {
    guard let version else { throw Self.fault(.missingVersion) }
    guard let data else { throw Self.fault(.missingKey) }
    guard !data.bytes.isEmpty else { throw Self.fault(.missingKey) }
    switch version.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).first {
    case [UInt8(ascii: "1")]: return try Self.base64Key(data.bytes)
    case [UInt8(ascii: "2")]: return try Self.hexadecimalKey(data.bytes, checksum: checksum)
    default: throw Self.fault(.unsupportedVersion)
    }
  }

  private static func base64Key(_ text: Span<UInt8>) throws(KDBXError) -> SecretBytes {
    do throws(Base64Error) {
      let count = try Base64.decodedCount(of: text)
      return try SecretBytes(count: count) { (output) throws(Base64Error) in
        try Base64.decode(text, into: &output)
      }
    } catch {
      throw fault(.badKey)
    }
  }

  private static func hexadecimalKey(
    _ digits: Span<UInt8>, checksum: [UInt8]?
  ) throws(KDBXError) -> SecretBytes {
    guard let key = KeyFile.hexadecimalKey(digits) else { throw fault(.badKey) }
    // KeePass takes a key without a checksum.
    guard let checksum, !checksum.isEmpty else { return key }
    let hash = key.withBytes { SHA256.hash($0) }
    guard Hex.decode(checksum.span) == [UInt8](hash.prefix(4)) else { throw fault(.badChecksum) }
    return key
  }

  private static func fault(_ problem: KeyFile.Problem) -> KDBXError {
    KDBXError(.badKeyFile(problem), in: .keyFile)
  }
}

/// The text of a key file's elements.
private enum KeyFileText {
  /// The characters that the content of an element stands for, but for white space and for what is in
  /// elements of its own.
  static func withoutSpace(_ content: Span<UInt8>) -> WipedBuffer {
    var text = WipedBuffer(capacity: content.count)
    XMLText.append(content, to: &text)
    return strip(text.bytes)
  }

  /// All but white space, which is all that Unicode calls so: KeePass ignores a no-break space too.
  private static func strip(_ text: Span<UInt8>) -> WipedBuffer {
    var stripped = WipedBuffer(capacity: text.count)
    var i = 0
    while i < text.count {
      let space = spaces.first { space in
        space.count <= text.count - i
          && text.extracting(i..<(i + space.count)).hasSameBytes(as: space.span)
      }
      if space == nil { stripped.append(text[i]) }
      i += space?.count ?? 1
    }
    return stripped
  }

  private static let spaces: [[UInt8]] = {
    let scalars: [ClosedRange<UInt32>] = [
      0x09...0x0D, 0x20...0x20, 0x85...0x85, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A,
      0x2028...0x2029, 0x202F...0x202F, 0x205F...0x205F, 0x3000...0x3000,
    ]
    return scalars.joined().compactMap(Unicode.Scalar.init).map { [UInt8]($0.utf8) }
  }()
}
