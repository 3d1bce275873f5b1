import ByteCoding
import Ciphers
import Secrets

/// Writes what a KeePass 1 file holds as KDBX has it, and reads that: passwords enciphered under an
/// inner stream of our own, attachments sealed in the pool.
struct KDBTranslator: ~Copyable {
  /// Times and all else as in this version.
  private static let version = FormatVersion.kdbx40

  private let innerStream: InnerStream
  private var streamOffset: UInt64 = 0
  private let sealingKey = SealingKey()
  /// The attachments, sealed, one behind the other.
  private var contents = WipedBuffer()
  private var binaries: [InnerBinary] = []
  private var xml = WipedBuffer()
  private var uuids: Set<VaultUUID> = []

  private init() {
    let streamKey = SecretBytes.random(64)
    innerStream = streamKey.withBytes { InnerStream(.chaCha20, key: $0) }
  }

  /// The document of `content`, whose ranges are of `plain`.
  static func document(
    of content: KDBContent, in plain: Span<UInt8>
  ) throws(KDBXError) -> Document {
    var translator = KDBTranslator()
    translator.write(content, plain)
    return try translator.finish()
  }

  private consuming func finish() throws(KDBXError) -> Document {
    let start = contents.count
    let (innerStream, sealingKey, binaries) = (innerStream, sealingKey, binaries)
    Self.append(xml, to: &contents)
    let buffer = SharedBuffer(contents)
    let source = DocumentSource(
      buffer: buffer, innerStream: innerStream, sealingKey: sealingKey, binaries: binaries)
    do throws(DocumentError) {
      return try Document(source: source, xml: start..<buffer.count, version: Self.version)
    } catch {
      throw KDBXError(error)
    }
  }

  /// Static, because a view of one part of `self` would bar the other.
  private static func append(_ xml: borrowing WipedBuffer, to contents: inout WipedBuffer) {
    contents.append(xml.bytes)
  }

  // MARK: - Groups

  private mutating func write(_ content: KDBContent, _ plain: Span<UInt8>) {
    xml.append("<KeePassFile><Meta>")
    let uuids = content.groups.map { uuid(of: $0) }
    let bin = content.groups.firstIndex { $0.level == 0 && isBackup($0.name, in: plain) }
    element("RecycleBinEnabled", bin == nil ? "False" : "True")
    if let bin { element("RecycleBinUUID", uuids[bin].base64) }
    xml.append("</Meta><Root><Group>")
    element("UUID", Self.rootUUID.base64)
    xml.append("<Name/>")
    for entry in content.strayEntries { write(entry, plain) }
    // The levels of the groups that are open.
    var levels: [Int] = []
    for (group, uuid) in zip(content.groups, uuids) {
      while let last = levels.last, last >= group.level {
        xml.append("</Group>")
        levels.removeLast()
      }
      begin(group, uuid, plain)
      for entry in group.entries { write(entry, plain) }
      levels.append(group.level)
    }
    for _ in levels { xml.append("</Group>") }
    xml.append("</Group></Root></KeePassFile>")
  }

  /// Writes a group as far as its own properties.
  private mutating func begin(
    _ group: KDBContent.Group, _ uuid: VaultUUID, _ plain: Span<UInt8>
  ) {
    xml.append("<Group>")
    element("UUID", uuid.base64)
    text("Name", plain.extracting(group.name))
    element("IconID", Array(String(Int32(truncatingIfNeeded: group.icon)).utf8))
    write(group.times)
    element("IsExpanded", group.isExpanded ? "True" : "False")
  }

  /// KeePass 1 moves what is deleted into a group of this name.
  private func isBackup(_ name: Range<Int>, in plain: Span<UInt8>) -> Bool {
    name.count == 6 && XMLText.isAt(name.lowerBound, in: plain, "Backup")
  }

  /// KeePass 1 numbers its groups: the UUID follows from number and creation, so that it is the same
  /// each time the file is opened.
  private mutating func uuid(of group: KDBContent.Group) -> VaultUUID {
    var repeats: UInt32 = 0
    while true {
      var writer = ByteWriter()
      writer.append(Array("KDB group".utf8))
      writer.appendUInt32(group.number)
      writer.appendUInt64(UInt64(bitPattern: group.times.created?.unixSeconds ?? 0))
      writer.appendUInt32(repeats)
      let uuid = Self.uuid(hashing: writer.bytes)
      if uuids.insert(uuid).inserted { return uuid }
      repeats += 1
    }
  }

  private static let rootUUID = uuid(hashing: Array("KDB root".utf8))

  /// One made of a hash: version 8 of RFC 9562.
  private static func uuid(hashing bytes: [UInt8]) -> VaultUUID {
    var hash = Array(SHA256.hash(bytes.span).prefix(16))
    hash[6] = hash[6] & 0x0F | 0x80
    hash[8] = hash[8] & 0x3F | 0x80
    return VaultUUID(hash.span) ?? .zero
  }

  // MARK: - Entries

  private mutating func write(_ entry: KDBContent.Entry, _ plain: Span<UInt8>) {
    xml.append("<Entry>")
    element("UUID", entry.uuid.base64)
    element("IconID", Array(String(Int32(truncatingIfNeeded: entry.icon)).utf8))
    write(entry.times)
    string("Title", plain.extracting(entry.title))
    string("UserName", plain.extracting(entry.userName))
    string("Password", plain.extracting(entry.password), isProtected: true)
    string("URL", plain.extracting(entry.url))
    string("Notes", plain.extracting(entry.notes))
    if entry.hasAttachment {
      xml.append("<Binary>")
      text("Key", plain.extracting(entry.attachmentName))
      xml.append("<Value Ref=\"")
      xml.append(Array(String(binaries.count).utf8).span)
      xml.append("\"/></Binary>")
      pool(plain.extracting(entry.attachment))
    }
    xml.append("</Entry>")
  }

  /// Puts an attachment into the pool, sealed.
  private mutating func pool(_ content: Span<UInt8>) {
    let start = contents.count
    contents.append(content)
    let range = start..<contents.count
    let sealingKey = sealingKey
    var bytes = contents.mutableBytes(in: range)
    let nonce = sealingKey.sealInPlace(&bytes)
    binaries.append(InnerBinary(flags: 0, content: range, nonce: nonce))
  }

  private mutating func string(
    _ key: StaticString, _ value: Span<UInt8>, isProtected: Bool = false
  ) {
    xml.append("<String><Key>")
    xml.append(key)
    xml.append("</Key>")
    text("Value", value, isProtected: isProtected)
    xml.append("</String>")
  }

  private mutating func write(_ times: KDBContent.Times) {
    xml.append("<Times>")
    time("CreationTime", times.created)
    time("LastModificationTime", times.modified)
    time("LastAccessTime", times.accessed)
    time("ExpiryTime", times.expiry)
    let expires = times.expiry != nil && times.expiry != .keePass1Never
    element("Expires", expires ? "True" : "False")
    xml.append("</Times>")
  }

  private mutating func time(_ name: StaticString, _ time: VaultTime?) {
    if let time { element(name, time.text(for: Self.version)) }
  }
}

// MARK: - Elements

extension KDBTranslator {
  private mutating func begin(_ name: StaticString) {
    xml.append("<")
    xml.append(name)
  }

  private mutating func end(_ name: StaticString) {
    xml.append("</")
    xml.append(name)
    xml.append(">")
  }

  /// Writes an element of a text of ours.
  private mutating func element(_ name: StaticString, _ value: StaticString) {
    begin(name)
    xml.append(">")
    xml.append(value)
    end(name)
  }

  /// Writes an element of a text of ours.
  private mutating func element(_ name: StaticString, _ value: [UInt8]) {
    begin(name)
    xml.append(">")
    xml.append(value.span)
    end(name)
  }

  /// Writes an element that holds a text of the file, protected also where XML could not hold it.
  ///
  /// Texts are UTF-8; one that is not is from before KeePass 1 used it, and was Windows-1252.
  private mutating func text(
    _ name: StaticString, _ value: Span<UInt8>, isProtected: Bool = false
  ) {
    var plain = WipedBuffer(capacity: value.count)
    if Windows1252.isUTF8(value) {
      plain.append(value)
    } else {
      Windows1252.decode(value, into: &plain)
    }
    let isProtected = isProtected || !XMLText.canHold(plain.bytes)
    begin(name)
    if isProtected {
      xml.append(" Protected=\"True\">")
      encipher(&plain)
    } else {
      xml.append(">")
      XMLText.appendEscaped(plain.bytes, to: &xml)
    }
    end(name)
  }

  /// Appends base64 of what `value` becomes under the inner stream.
  private mutating func encipher(_ value: inout WipedBuffer) {
    var bytes = value.mutableBytes
    innerStream.apply(at: streamOffset, to: &bytes)
    streamOffset += UInt64(value.count)
    xml.append(atMost: Base64.encodedCount(of: value.count)) {
      Base64.encode(value.bytes, into: &$0)
    }
  }
}
