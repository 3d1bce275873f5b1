import Secrets

/// A content that a file of KDBX 4 stores in its inner header.
package struct PlannedBinary: Sendable {
  package let content: AttachmentContent
  /// The flag byte to write.
  package let flags: UInt8
  /// The number of bytes of the content.
  package let count: Int
}

/// What is settled before a document is written: what goes where, and the numbers of the attachments.
package struct WritePlan: Sendable {
  /// For the inner header, in order; empty in KDBX 3.
  package let binaries: [PlannedBinary]
  /// The document's own.
  package let version: FormatVersion

  /// The whole XML but for Meta, whose place is marked.
  let pieces: [Piece]
  /// The numbers that the contents of the pool get; what has none is left out.
  let numbers: [BinaryID: UInt32]
  /// The contents that Meta gets in addition (KDBX 3).
  let addedToMeta: [BinaryID]
  /// References that lead nowhere and must go on doing so, by their number.
  let missingNumbers: [UInt32: UInt32]
  /// Parts of the source that are written otherwise, in order.
  let patches: [SourcePatch]
  /// Protected values that are written plain, by number.
  let plainRecords: Set<Int>
}

/// A part of the source that is written otherwise.
struct SourcePatch: Sendable {
  let range: SourceRange
  let replacement: [UInt8]
}

extension Document {
  /// Settles which contents are written under which numbers.
  ///
  /// Contents that were referred to when the file was read and no longer are get left out; those
  /// that never were stay.
  package func writePlan() -> WritePlan {
    let pieces = bodyPieces()
    let numbering = numbering(of: pieces)
    let repairs = repairs()
    var patches = repairs.patches
    for reference in values.skeleton.references {
      if let patch = numbering.patch(reference, in: values) { patches.append(patch) }
    }
    for (index, record) in values.skeleton.pool.enumerated() {
      let id = BinaryID(number: UInt32(values.source.binaries.count + index))
      guard let number = numbering.numbers[id], record.number != number else { continue }
      patches.append(SourcePatch(range: record.idText, replacement: Array(String(number).utf8)))
    }
    patches.sort { $0.range.start < $1.range.start }
    return WritePlan(
      binaries: numbering.inner.map { planned($0) }, version: version, pieces: pieces,
      numbers: numbering.numbers, addedToMeta: numbering.addedToMeta,
      missingNumbers: numbering.missing, patches: patches, plainRecords: repairs.plainRecords)
  }

  private func planned(_ id: BinaryID) -> PlannedBinary {
    let content = AttachmentContent.pool(id)
    let flags: UInt8 =
      switch pool(id) {
      case .inner(let binary): binary.flags
      case .added(let binary): binary.isProtected ? 1 : 0
      case .meta, nil: 0
      }
    // What the inner header holds is never missing and needs no unpacking.
    return PlannedBinary(
      content: content, flags: flags, count: (try? count(of: content)) ?? 0)
  }

  // MARK: - Repairs

  /// What is written otherwise whatever was edited (`docs/kdbx.md` 4.2).
  private func repairs() -> (patches: [SourcePatch], plainRecords: Set<Int>) {
    var patches: [SourcePatch] = []
    var plainRecords: Set<Int> = []
    for repair in values.skeleton.repairs {
      switch repair {
      case .spellTrue(let range):
        patches.append(SourcePatch(range: range, replacement: Array("True".utf8)))
      case .dropAttribute(let range), .dropControl(let range):
        patches.append(SourcePatch(range: range, replacement: []))
      case .unprotect(let attribute, let record):
        guard values.canBePlain(.protected(values.slot(record))) else { continue }
        patches.append(SourcePatch(range: attribute, replacement: []))
        plainRecords.insert(record)
      }
    }
    return (patches, plainRecords)
  }
}

// MARK: - Numbers

/// The numbers of the attachments in a file that is to be written.
private struct Numbering {
  var numbers: [BinaryID: UInt32] = [:]
  /// For the inner header, in order.
  var inner: [BinaryID] = []
  var addedToMeta: [BinaryID] = []
  var missing: [UInt32: UInt32] = [:]

  /// How a reference of the source is written, if otherwise.
  func patch(_ reference: ReferenceRecord, in values: ValueSource) -> SourcePatch? {
    guard let number = reference.number else { return nil }
    let written =
      if let id = values.binary(numbered: number) { numbers[id] } else { missing[number] }
    guard let written, written != number else { return nil }
    return SourcePatch(range: reference.text, replacement: Array(String(written).utf8))
  }
}

extension Document {
  private func numbering(of pieces: [Piece]) -> Numbering {
    let before = Set(
      values.skeleton.references.compactMap { reference in
        reference.number.flatMap { values.binary(numbered: $0) }
      })
    let now = references(in: pieces)
    var numbering = Numbering()
    let innerCount = UInt32(values.source.binaries.count)
    let kept = (0..<firstAdded).map { BinaryID(number: $0) }
      .filter { now.contains($0) || !before.contains($0) }
    let added = addedBinaries.indices.map { BinaryID(number: firstAdded + UInt32($0)) }
      .filter { now.contains($0) }
    numbering.inner = kept.filter { $0.number < innerCount }
    if version.major >= 4 { numbering.inner += added } else { numbering.addedToMeta = added }
    for (index, id) in numbering.inner.enumerated() { numbering.numbers[id] = UInt32(index) }
    numberMeta(kept.filter { $0.number >= innerCount }, &numbering)
    return numbering
  }

  /// Numbers the contents in Meta, which share their numbers with those of the inner header, and
  /// keeps references that lead nowhere from leading anywhere.
  private func numberMeta(_ kept: [BinaryID], _ numbering: inout Numbering) {
    let records = values.skeleton.pool
    let innerCount = UInt32(numbering.inner.count)
    let references = values.skeleton.references.compactMap(\.number)
    var free = max(
      innerCount, (references.max() ?? 0) + 1, (records.compactMap(\.number).max() ?? 0) + 1)
    for id in kept {
      guard let number = records[Int(id.number) - values.source.binaries.count].number else {
        continue
      }
      if number >= innerCount {
        numbering.numbers[id] = number
      } else {
        numbering.numbers[id] = free
        free += 1
      }
    }
    for id in numbering.addedToMeta {
      numbering.numbers[id] = free
      free += 1
    }
    for number in references where values.binary(numbered: number) == nil && number < innerCount {
      guard numbering.missing[number] == nil else { continue }
      numbering.missing[number] = free
      free += 1
    }
  }

  /// The contents that are referred to.
  private func references(in pieces: [Piece]) -> Set<BinaryID> {
    var found: Set<BinaryID> = []
    let references = values.skeleton.references
    for piece in pieces {
      switch piece {
      case .text(let element):
        if case .attachment(.pool(let id)) = element.text { found.insert(id) }
      case .source(let range):
        var index = references.firstIndex(notBefore: range.start) { $0.text.start }
        while index < references.count, references[index].text.start < range.end {
          if let number = references[index].number, let id = values.binary(numbered: number) {
            found.insert(id)
          }
          index += 1
        }
      case .literal, .raw, .meta: break
      }
    }
    return found
  }
}

extension ValueSource {
  /// Whether a value can be written without protection.
  func canBePlain(_ text: StoredText) -> Bool {
    var opened = WipedBuffer()
    open(text, into: &opened)
    return XMLText.canHold(opened.bytes)
  }
}
