import ByteCoding
import Ciphers
import Secrets

/// Writes the XML of a document, or compares it with what was written.
///
/// Every protected value, also one in an untouched part, is enciphered anew, with the key stream
/// consumed in the order in which values are written.
struct XMLWriter: ~Copyable {
  /// How many bytes of protected values are enciphered in one go.
  private static let batchLimit = 1 << 16
  /// How much is compared in one go.
  private static let stride = 1 << 20

  private let document: Document
  private let values: ValueSource
  private let plan: WritePlan
  private let innerStream: InnerStream
  private let headerHash: [UInt8]?
  /// What was written before, to be compared with.
  private let expected: ValueSource?

  private var output: WipedBuffer
  private var streamOffset: UInt64 = 0
  /// How much has been compared, and whether all of it was the same.
  private var comparedCount = 0
  private var isSame = true
  /// Values in passing.
  private var scratch = WipedBuffer()

  /// Appends the XML to `output`.
  static func write(
    _ document: Document, _ plan: WritePlan, innerStream: InnerStream, headerHash: [UInt8]?,
    into output: inout WipedBuffer
  ) {
    var taken = WipedBuffer()
    swap(&taken, &output)
    var writer = XMLWriter(
      document, plan, innerStream: innerStream, headerHash: headerHash, expected: nil,
      output: taken)
    writer.output.reserve(writer.output.count + document.values.xml.count + (1 << 16))
    writer.run()
    output = writer.finish()
  }

  /// Whether the XML would be just what `written` holds, byte for byte.
  static func wouldWrite(
    _ document: Document, _ plan: WritePlan, as written: Document
  ) -> Bool {
    var writer = XMLWriter(
      document, plan, innerStream: written.values.source.innerStream,
      headerHash: written.meta.headerHash, expected: written.values, output: WipedBuffer())
    writer.run()
    writer.compare()
    return writer.isSame && writer.comparedCount == written.values.xml.count
  }

  private init(
    _ document: Document, _ plan: WritePlan, innerStream: InnerStream, headerHash: [UInt8]?,
    expected: ValueSource?, output: consuming WipedBuffer
  ) {
    self.document = document
    values = document.values
    self.plan = plan
    self.innerStream = innerStream
    self.headerHash = headerHash
    self.expected = expected
    self.output = output
  }

  private consuming func finish() -> WipedBuffer { output }

  private mutating func run() {
    for piece in plan.pieces { write(piece) }
  }

  private mutating func write(_ piece: Piece) {
    switch piece {
    case .source(let range): write(range)
    case .literal(let text): output.append(text)
    case .raw(let bytes): output.append(bytes.span)
    case .text(let element): write(element)
    case .meta: writeMeta()
    }
    if expected != nil, output.count >= Self.stride { compare() }
  }

  /// Compares what there is with the same place of what was written, and forgets it.
  private mutating func compare() {
    guard let expected else { return }
    let place = comparedCount..<comparedCount + output.count
    let isSame =
      place.upperBound <= expected.xml.count
      && constantTimeEqual(output.bytes, expected.xml.extracting(place))
    self.isSame = self.isSame && isSame
    comparedCount = place.upperBound
    output.truncate(to: 0)
  }

  // MARK: - The source

  /// Writes a part of the source, enciphering and patching on the way.
  private mutating func write(_ range: SourceRange) {
    var position = range.start
    var record = values.firstProtected(from: range.start)
    var patch = plan.patches.firstIndex(notBefore: range.start) { $0.range.start }
    while true {
      let patchStart = patch < plan.patches.count ? plan.patches[patch].range.start : .max
      if patchStart < position {
        // It lay in a protected value, which is written anew as a whole.
        patch += 1
        continue
      }
      let end = min(range.end, patchStart)
      // The record that ends the list lies at the end of the XML, and so never before `end`.
      if values.skeleton.protected[record].text.start < end {
        writeProtected(&record, from: &position, before: end)
      } else if patchStart < range.end {
        copy(SourceRange(start: position, end: patchStart))
        let written = plan.patches[patch]
        output.append(written.replacement.span)
        position = written.range.end
        patch += 1
      } else {
        break
      }
    }
    copy(SourceRange(start: position, end: range.end))
  }

  private mutating func copy(_ range: SourceRange) {
    guard !range.isEmpty else { return }
    let values = values
    guard expected != nil else { return output.append(values.bytes(in: range)) }
    var rest = range.range
    while !rest.isEmpty {
      let end = min(rest.lowerBound + Self.stride, rest.upperBound)
      output.append(values.bytes(in: SourceRange(rest.lowerBound..<end)))
      if output.count >= Self.stride { compare() }
      rest = end..<rest.upperBound
    }
  }

  /// Writes the protected values of the source that start before `end`, and what is between them:
  /// as many as one go takes.
  private mutating func writeProtected(
    _ record: inout Int, from position: inout UInt32, before end: UInt32
  ) {
    if plan.plainRecords.contains(record) {
      let slot = values.slot(record)
      copy(SourceRange(start: position, end: slot.text.start))
      scratch.truncate(to: 0)
      values.open(.protected(slot), into: &scratch)
      Self.appendEscaped(scratch, to: &output)
      position = slot.text.end
      record += 1
      return
    }
    let first = record
    decodeBatch(&record, before: end)
    let oldOffset = values.skeleton.protected[first].streamOffset
    reencipher(from: UInt64(oldOffset))
    for index in first..<record {
      let slot = values.slot(index)
      copy(SourceRange(start: position, end: slot.text.start))
      let start = Int(slot.streamOffset - oldOffset)
      Self.appendBase64(of: scratch, start..<start + Int(slot.count), to: &output)
      position = slot.text.end
    }
    scratch.truncate(to: 0)
  }

  /// Fills `scratch` with the enciphered values from `record` on, and goes behind the last of them.
  private mutating func decodeBatch(_ record: inout Int, before end: UInt32) {
    scratch.truncate(to: 0)
    repeat {
      let slot = values.slot(record)
      let start = scratch.count
      values.decode(slot, into: &scratch)
      // The count was taken when the document was scanned; the bytes are the same.
      precondition(
        scratch.count - start == Int(slot.count), "a protected value changed its size")
      record += 1
    } while scratch.count < Self.batchLimit
      && values.skeleton.protected[record].text.start < end
      && !plan.plainRecords.contains(record)
  }

  /// Deciphers what is in `scratch` and enciphers it as the next values written.
  private mutating func reencipher(from oldOffset: UInt64) {
    Self.apply(values.source.innerStream, at: oldOffset, to: &scratch)
    Self.apply(innerStream, at: streamOffset, to: &scratch)
    streamOffset += UInt64(scratch.count)
  }

  private static func apply(
    _ stream: InnerStream, at offset: UInt64, to buffer: inout WipedBuffer
  ) {
    var bytes = buffer.mutableBytes
    stream.apply(at: offset, to: &bytes)
  }

  private static func appendBase64(
    of buffer: borrowing WipedBuffer, _ range: Range<Int>, to output: inout WipedBuffer
  ) {
    let bytes = buffer.bytes.extracting(range)
    output.append(atMost: Base64.encodedCount(of: bytes.count)) { Base64.encode(bytes, into: &$0) }
  }

  private static func appendEscaped(
    _ buffer: borrowing WipedBuffer, to output: inout WipedBuffer
  ) {
    XMLText.appendEscaped(buffer.bytes, to: &output)
  }

  // MARK: - New elements

  private mutating func write(_ element: TextElement) {
    output.append("<")
    output.append(element.name)
    let values = values
    for attribute in element.attributes { output.append(values.bytes(in: attribute)) }
    switch element.text {
    case .stored(let text, let isProtected): write(text, isProtected, in: element.name)
    case .attachment(let content): write(content, in: element.name)
    case .content(let id): writeContent(id, in: element.name)
    }
  }

  /// Writes the rest of an element that holds text, from behind its name.
  ///
  /// What XML can't hold is protected, asked for or not: nothing is taken out of a text.
  private mutating func write(_ text: StoredText, _ isProtected: Bool, in name: StaticString) {
    scratch.truncate(to: 0)
    values.open(text, into: &scratch)
    if isProtected || !XMLText.canHold(scratch.bytes) {
      output.append(" Protected=\"True\"")
      guard scratch.count > 0 else { return output.append("/>") }
      output.append(">")
      writeEnciphered()
    } else {
      guard scratch.count > 0 else { return output.append("/>") }
      // KeePass takes white space alone for nothing, unless it is told so.
      output.append(XMLText.isOnlySpace(scratch.bytes) ? " xml:space=\"preserve\">" : ">")
      Self.appendEscaped(scratch, to: &output)
      scratch.truncate(to: 0)
    }
    output.append("</")
    output.append(name)
    output.append(">")
  }

  /// Writes what is in `scratch` as the next protected value.
  private mutating func writeEnciphered() {
    Self.apply(innerStream, at: streamOffset, to: &scratch)
    streamOffset += UInt64(scratch.count)
    Self.appendBase64(of: scratch, 0..<scratch.count, to: &output)
    scratch.truncate(to: 0)
  }

  /// Writes the rest of an element that refers to a content.
  private mutating func write(_ content: AttachmentContent, in name: StaticString) {
    switch content {
    case .pool(let id):
      // The plan numbers all that it found, and it found this, but for one that leads nowhere.
      appendReference(Array(String(plan.numbers[id] ?? BinaryID.nowhere.number).utf8))
    case .missing(let range):
      let values = values
      let text = values.bytes(in: range)
      if let number = SkeletonBuilder.number(text), let written = plan.missingNumbers[number] {
        appendReference(Array(String(written).utf8))
      } else {
        output.append(" Ref=\"")
        output.append(text)
        output.append("\"/>")
      }
    case .inline(let binary): write(binary, in: name)
    }
  }

  /// Writes the rest of an element of the pool in Meta.
  private mutating func writeContent(_ id: BinaryID, in name: StaticString) {
    output.append(" ID=\"")
    output.append(Array(String(plan.numbers[id] ?? 0).utf8).span)
    output.append("\"")
    guard case .added(let binary) = document.pool(id) else { return output.append("/>") }
    scratch.truncate(to: 0)
    binary.bytes.open(into: &scratch)
    output.append(binary.isProtected ? " Protected=\"True\">" : ">")
    if binary.isProtected {
      writeEnciphered()
    } else {
      Self.appendBase64(of: scratch, 0..<scratch.count, to: &output)
      scratch.truncate(to: 0)
    }
    output.append("</")
    output.append(name)
    output.append(">")
  }

  private mutating func appendReference(_ number: [UInt8]) {
    output.append(" Ref=\"")
    output.append(number.span)
    output.append("\"/>")
  }

  private mutating func write(_ binary: InlineBinary, in name: StaticString) {
    let values = values
    if binary.isCompressed { output.append(" Compressed=\"True\"") }
    if let slot = binary.slot {
      output.append(" Protected=\"True\">")
      scratch.truncate(to: 0)
      values.open(.protected(slot), into: &scratch)
      writeEnciphered()
    } else {
      output.append(">")
      output.append(values.bytes(in: binary.text))
    }
    output.append("</")
    output.append(name)
    output.append(">")
  }

  // MARK: - Meta

  /// Writes Meta with the hash that the file's header has now, and with the pool that it needs.
  private mutating func writeMeta() {
    let skeleton = values.skeleton
    let isUntouched =
      document.editedMeta == nil && headerHash == nil && skeleton.headerHash == nil
      && plan.addedToMeta.isEmpty && droppedFromMeta.isEmpty
    if isUntouched, let range = skeleton.meta { return write(range) }
    var meta = document.meta.element
    if let headerHash {
      if meta.lastIndex(of: .headerHash) == nil || document.meta.headerHash != headerHash {
        meta.setText(
          .headerHash, to: .plain(Base64.encode(headerHash.span)), order: Meta.order, in: values)
      }
    } else {
      meta.remove(.headerHash)
    }
    if !droppedFromMeta.isEmpty { dropBinaries(from: &meta) }
    if !plan.addedToMeta.isEmpty { addBinaries(to: &meta) }
    var list = PieceList()
    list.append(meta)
    for piece in list.pieces { write(piece) }
  }

  /// The records of the pool in Meta that are left out.
  private var droppedFromMeta: Set<SourceRange> {
    var dropped: Set<SourceRange> = []
    for (index, record) in values.skeleton.pool.enumerated() where record.number != nil {
      let id = BinaryID(number: UInt32(values.source.binaries.count + index))
      if plan.numbers[id] == nil { dropped.insert(record.element) }
    }
    return dropped
  }

  private func dropBinaries(from meta: inout EditableElement) {
    let dropped = droppedFromMeta
    for index in meta.children.indices where meta.children[index].kind == .binaries {
      var binaries = meta.children[index].expanded(in: values)
      binaries.children.removeAll { child in
        if case .source(let range) = child.content { dropped.contains(range) } else { false }
      }
      meta.children[index].content = .element(binaries)
    }
  }

  private func addBinaries(to meta: inout EditableElement) {
    var binaries =
      meta.lastIndex(of: .binaries).map { meta.children[$0].expanded(in: values) }
      ?? EditableElement(.binaries)
    for id in plan.addedToMeta {
      let element = TextElement(name: ElementKind.binary.elementName, text: .content(id))
      binaries.insert(.binary, .text(element), order: [.binary], in: values)
    }
    meta.set(.binaries, to: .element(binaries), order: Meta.order, in: values)
  }
}
