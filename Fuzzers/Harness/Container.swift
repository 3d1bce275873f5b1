import ByteCoding
import Ciphers
import Secrets

@testable import KDBX

/// A whole file, and the same bytes as the fields of a header, with the checksum that KDBX 4 wants.
func testHeader(_ bytes: Span<UInt8>) {
  readHeader(of: bytes)
  guard let version = bytes.isEmpty ? nil : bytes[0] else { return }
  var writer = ByteWriter()
  writer.append(Signature.kdbx)
  writer.append(version & 0x80 == 0 ? Signature.release : Signature.preRelease)
  writer.appendUInt16(UInt16(version >> 4 & 7))
  writer.appendUInt16(UInt16(version & 0xF))
  writer.append(bytes.extracting(droppingFirst: 1))
  writer.append([0, 0, 0, 0, 0])
  let header = writer.bytes
  writer.append(SHA256.hash(header.span))
  // The header's code, and the closing block.
  writer.append([UInt8](repeating: 0, count: 32 + 36))
  let file = writer.bytes
  readHeader(of: file.span)
}

/// What is read is written again as it was.
private func readHeader(of file: Span<UInt8>) {
  guard !KDBHeader.isThere(in: file), let sealed = try? SealedVault(file) else {
    _ = try? KDBXFile.header(of: file)
    return
  }
  let header = sealed.header
  expect(header.bytes == array(sealed.headerBytes), "a header is written as it was read")
  var changed = header
  _ = changed.renewForSave()
  changed.set(header.kdf)
  expect(changed.masterSeed != header.masterSeed, "a save has a new seed")
  _ = header.publicCustomData
  _ = try? header.innerStreamKind()
  try? header.kdf.check(against: .standard)
}

/// What is read is written again as it was, and makes parameters or is refused.
func testDictionary(_ bytes: Span<UInt8>) {
  guard let dictionary = try? VariantDictionary(reading: bytes) else { return }
  let written = dictionary.bytes
  guard let again = try? VariantDictionary(reading: written.span) else {
    fatalError("a written dictionary is read")
  }
  expect(again.bytes == written, "a dictionary is written as it was read")
  guard let parameters = try? KDFParameters(dictionary) else { return }
  try? parameters.check(against: .standard)
  let fresh = parameters.withFreshSalt()
  expect(fresh.salt.count == parameters.salt.count, "a new salt is as long as the old one")
}

/// The block streams of both versions, and what is compressed in them.
func testBlocks(_ bytes: Span<UInt8>) {
  if let measure = try? AuthenticatedBlocks.measure(bytes) {
    expect(measure.byteCount <= bytes.count, "the blocks end within the stream")
    expect(measure.dataCount < measure.byteCount, "blocks hold no more than they are")
  }
  let outline = HashedBlocks.outline(bytes)
  expect(outline.dataEnd <= bytes.count, "the last data ends within the stream")
  var total = 0
  var content = WipedBuffer()
  let isWhole: Bool
  do throws(KDBXError) {
    try HashedBlocks.read(bytes) { (data) throws(KDBXError) in
      total += data.count
      content.append(data)
    }
    isWhole = true
  } catch {
    isWhole = false
  }
  expect(!isWhole || total == outline.dataCount, "the outline counts what is read")
  var codes = BlockCodes(macKey: SecretBytes(zeroed: 64) { _ in })
  try? AuthenticatedBlocks.read(bytes, codes: &codes) { (_) throws(KDBXError) in }
  var inflater = Inflater(limit: 1 << 20)
  var inflated = WipedBuffer()
  if (try? inflater.update(bytes, into: &inflated)) != nil { try? inflater.finish() }
  expect(inflated.count <= 1 << 20, "no more is inflated than may be")
}

/// The header behind the encryption of KDBX 4: what it finds lies within it.
func testInnerHeader(_ bytes: Span<UInt8>) {
  var content = WipedBuffer(copying: bytes)
  guard let header = try? InnerHeader(takingSecretsFrom: &content) else { return }
  expect(content.count == bytes.count, "secrets are hidden in their place")
  expect(header.byteCount <= bytes.count, "the XML begins within the content")
  for (index, binary) in header.binaries.enumerated() {
    expect(
      binary.content.upperBound <= header.byteCount, "an attachment lies in front of the XML")
    var opened = WipedBuffer()
    header.sealingKey.open(binary.nonce, content.bytes.extracting(binary.content), into: &opened)
    expect(
      array(opened.bytes) == array(bytes.extracting(binary.content)), "an attachment opens again")
    if index > 100 { break }
  }
}
