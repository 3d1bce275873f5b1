import Ciphers
import Secrets

@testable import KDBX

/// A document: the first byte says how the rest is read.
///
/// Everything in it is looked at, written, read
/// back and compared, before and after an edit.
func testDocument(_ bytes: Span<UInt8>) {
  guard !bytes.isEmpty else { return }
  let isVersion4 = bytes[0] & 1 == 0
  let version: FormatVersion = isVersion4 ? .kdbx41 : .kdbx31
  let binaryCount = Int(bytes[0] >> 1 & 3)
  let text = bytes.extracting(droppingFirst: 1)
  guard var document = read(text, version, binaryCount: isVersion4 ? binaryCount : 0) else {
    return
  }
  walk(document)
  writeAndCompare(document)
  edit(&document)
  writeAndCompare(document)
}

private func read(
  _ text: Span<UInt8>, _ version: FormatVersion, binaryCount: Int
) -> Document? {
  var content = WipedBuffer()
  let sealingKey = SealingKey()
  var binaries: [InnerBinary] = []
  for number in 0..<binaryCount {
    let start = content.count
    for _ in 0..<number { content.append(UInt8(number)) }
    var bytes = content.mutableBytes(in: start..<content.count)
    let nonce = sealingKey.sealInPlace(&bytes)
    binaries.append(
      InnerBinary(flags: UInt8(number & 1), content: start..<content.count, nonce: nonce))
  }
  let start = content.count
  content.append(text)
  let buffer = SharedBuffer(content)
  let streamKey: [UInt8] = [1, 2, 3]
  let kind: InnerStream.Kind = version.major >= 4 ? .chaCha20 : .salsa20
  let source = DocumentSource(
    buffer: buffer, innerStream: InnerStream(kind, key: streamKey.span), sealingKey: sealingKey,
    binaries: binaries)
  return try? Document(source: source, xml: start..<buffer.count, version: version)
}

/// Looks at everything.
func walk(_ document: Document) {
  var opened = WipedBuffer()
  func look(_ entry: Entry) {
    _ = (entry.uuid, entry.tags, entry.iconID, entry.customIcon, entry.previousParentGroup)
    look(entry.times)
    for field in entry.strings {
      opened.truncate(to: 0)
      document.values.open(field.value, into: &opened)
      expect(opened.count == document.values.count(of: field.value), "a value has its count")
    }
    for attachment in entry.attachments { try? document.open(attachment.content, into: &opened) }
    for version in entry.history { look(version) }
  }
  func look(_ times: Times) {
    _ = (times.creation, times.lastModification, times.expires, times.expiry, times.usageCount)
  }
  for id in document.allGroups {
    let group = document.group(id)
    _ = (group.uuid, group.name, group.iconID, group.tags, group.enableSearching)
    look(group.times)
    for child in document.children(of: id) { _ = document.summary(of: child).name }
  }
  for id in document.allEntries { look(document.entry(id)) }
  let meta = document.meta
  _ = (meta.generator, meta.recycleBinUUID, meta.historyMaxItems, meta.memoryProtection)
  _ = document.deletedObjects
}

/// Changes what an edit changes.
private func edit(_ document: inout Document) {
  guard let id = document.allEntries.first else { return }
  var entry = document.entry(id)
  let old = entry.withoutHistory
  let value = document.values.seal([UInt8]("new value ]]> & <\r\n".utf8).span)
  entry.set(Array("Password".utf8), to: value, isProtected: true)
  entry.set(Array("Custom".utf8), to: value, isProtected: false)
  entry.appendHistory(old)
  document.replace(id, with: entry)
  document.addDeletedObject(.random(), at: .latest)
}

/// What is written reads as the same.
private func writeAndCompare(_ document: Document) {
  let plan = document.writePlan()
  let streamKey: [UInt8] = [4, 5, 6]
  let version = max(document.version, plan.version)
  let kind: InnerStream.Kind = version.major >= 4 ? .chaCha20 : .salsa20
  var output = WipedBuffer()
  let sealingKey = SealingKey()
  var binaries: [InnerBinary] = []
  do throws(DocumentError) {
    for binary in version.major >= 4 ? plan.binaries : [] {
      let start = output.count
      try document.open(binary.content, range: 0..<binary.count, into: &output)
      var bytes = output.mutableBytes(in: start..<output.count)
      let nonce = sealingKey.sealInPlace(&bytes)
      binaries.append(
        InnerBinary(flags: binary.flags, content: start..<output.count, nonce: nonce))
    }
    let start = output.count
    try document.writeXML(
      plan, innerStream: InnerStream(kind, key: streamKey.span),
      headerHash: version == .kdbx31 ? [UInt8](repeating: 7, count: 32) : nil, into: &output)
    let buffer = SharedBuffer(output)
    let source = DocumentSource(
      buffer: buffer, innerStream: InnerStream(kind, key: streamKey.span), sealingKey: sealingKey,
      binaries: binaries)
    let again = try Document(source: source, xml: start..<buffer.count, version: version)
    expect(document.hasSameContent(as: again), "what was written reads as the same")
  } catch {
    // Attachments whose content is damaged can't be written; all else can.
    if case .tooLarge = error.kind { return }
    fatalError("what was read can't be written: \(error)")
  }
}
