import Ciphers

/// What was found in a document, and the document mended.
package struct DocumentExamination: Sendable {
  package let findings: [Finding]
  /// With all mended that can be mended; what is whole in it is as it was.
  package let mended: Document
}

extension Document {
  /// Looks at every element of the document, and opens every value to see whether it is text.
  ///
  /// `headerHash` is the hash of the outer header that the document came with. Takes seconds for very
  /// large vaults, holds no lock, and may be called from any thread.
  package func examine(headerHash: [UInt8]) -> DocumentExamination {
    var examiner = DocumentExaminer(self)
    examiner.examineSource(headerHash: headerHash)
    examiner.examineMeta()
    examiner.examineTree()
    examiner.examineDeletedObjects()
    return DocumentExamination(
      findings: examiner.elements.findings, mended: examiner.elements.document)
  }

  /// Mends one entry that is saved anyway, and says what was wrong with it.
  ///
  /// Names of fields and attachments stay: they may be in use. So do UUIDs, which concern other entries
  /// too.
  package mutating func mend(_ id: EntryID) -> [Fault] {
    var examiner = ElementExaminer(self)
    examiner.keepsNames = true
    examiner.place = .entry(id)
    var entry = entry(id)
    guard examiner.examine(&entry.element, as: .entry) else { return [] }
    self = examiner.document
    replace(id, with: entry)
    return examiner.findings.filter(\.isMendable).map(\.fault)
  }
}

/// Goes through a whole document.
private struct DocumentExaminer {
  var elements: ElementExaminer
  /// What has which UUID, the first of each.
  private var owners: [VaultUUID: ChildID] = [:]

  init(_ document: Document) {
    elements = ElementExaminer(document)
  }

  private var document: Document { elements.document }
  private var values: ValueSource { elements.values }

  // MARK: - The XML

  /// What the scan of the XML met, and what the document says of its file.
  mutating func examineSource(headerHash: [UInt8]) {
    elements.place = .document
    let controls = document.droppedControlCount
    if controls > 0 { elements.note(.controlCharacter, count: controls) }
    for repair in values.skeleton.repairs {
      switch repair {
      case .spellTrue(let range): note(.protectedSpelling, at: range)
      case .dropAttribute(let range): note(.protectedPlain, at: range)
      case .unprotect(let range, let record):
        let isMendable = values.canBePlain(.protected(values.slot(record)))
        note(.protectedUnknown, at: range, isMendable: isMendable)
      case .dropControl: break
      }
    }
    elements.place = .meta
    if document.version.major >= 4, let stated = document.meta.headerHash, !stated.isEmpty,
      stated != headerHash
    {
      elements.note(.headerHash, "HeaderHash")
    }
    let stream = values.source.innerStream.kind
    if !Self.usualStreams(of: document.version).contains(stream) {
      elements.place = .innerHeader
      elements.note(stream == .none ? .noInnerStream : .innerStream)
    }
  }

  /// The inner streams that all programs read in a version.
  private static func usualStreams(of version: FormatVersion) -> Set<InnerStream.Kind> {
    version.major >= 4 ? [.chaCha20, .salsa20] : [.salsa20]
  }

  /// Notes a fault at a place of the source, for the group or entry around it.
  private mutating func note(_ fault: Fault, at range: SourceRange, isMendable: Bool = true) {
    elements.place = place(of: range)
    elements.note(fault, isMendable: isMendable)
    elements.place = .document
  }

  private func place(of range: SourceRange) -> Finding.Place {
    let nodes = values.skeleton.nodes
    var found: Int?
    // The innermost of those around it is the last that starts before it and ends behind it.
    var index = nodes.firstIndex(notBefore: range.start) { $0.source.start }
    while index > 0 {
      index -= 1
      if nodes[index].source.end >= range.end {
        found = index
        break
      }
    }
    guard let found else { return .document }
    let number = UInt32(found)
    return nodes[found].isEntry
      ? .entry(EntryID(number: number)) : .group(GroupID(number: number))
  }

  // MARK: - Meta

  mutating func examineMeta() {
    elements.place = .meta
    guard values.skeleton.meta != nil else { return }
    var meta = document.meta
    if elements.examine(&meta.element, as: .meta) { elements.document.meta = meta }
    examinePool()
  }

  /// Looks at the contents of attachments: that each can be read, and that somebody has it.
  private mutating func examinePool() {
    let referred = Set(values.skeleton.references.compactMap(\.number))
    var unused = 0
    for (number, record) in values.skeleton.pool.enumerated() {
      guard let id = record.number else {
        if !record.idText.isEmpty { elements.note(.poolNumber, "Binaries/Binary") }
        continue
      }
      if !referred.contains(id) { unused += 1 }
      let binary = BinaryID(number: UInt32(values.source.binaries.count + number))
      if (try? document.count(of: .pool(binary))) == nil {
        elements.note(.damagedContent, "Binaries/Binary", name: Array("\(id)".utf8))
      }
    }
    for number in values.source.binaries.indices where !referred.contains(UInt32(number)) {
      unused += 1
    }
    guard unused > 0 else { return }
    elements.place = document.version.major >= 4 ? .innerHeader : .meta
    elements.note(.unusedAttachment, count: unused)
  }

  // MARK: - Groups and entries

  mutating func examineTree() {
    examine(document.root)
    document.forEachNode { child in
      switch child {
      case .group(let id): examine(id)
      case .entry(let id): examine(id)
      }
    }
    elements.place = .meta
    let bin = document.meta.recycleBinUUID
    if document.meta.recycleBinEnabled, !bin.isZero, owners[bin].map(\.isGroup) != true {
      elements.note(.missingBin, "RecycleBinUUID")
    }
    if elements.hasElementOfVersion41, document.version.major == 3 || document.version == .kdbx40 {
      elements.place = .document
      elements.note(.elementOfVersion41)
    }
  }

  private mutating func examine(_ id: GroupID) {
    elements.place = .group(id)
    var group = document.group(id)
    var isMended = elements.examine(&group.element, as: .group)
    if group.element.lastIndex(of: .times) == nil { elements.note(.missingTimes) }
    if let uuid = freshUUID(for: .group(id), group.element) {
      group.uuid = uuid
      isMended = true
    }
    if isMended { elements.document.replace(id, with: group) }
  }

  private mutating func examine(_ id: EntryID) {
    elements.place = .entry(id)
    var entry = document.entry(id)
    let old = entry.uuid
    var isMended = elements.examine(&entry.element, as: .entry)
    if let uuid = freshUUID(for: .entry(id), entry.element) {
      entry.uuid = old.isZero ? takeFromHistory(of: entry, id) ?? uuid : uuid
      isMended = true
    }
    if examineHistory(of: &entry, id, old: old) { isMended = true }
    if isMended { elements.document.replace(id, with: entry) }
  }

  /// A UUID for what has none, or one that something else has.
  private mutating func freshUUID(for child: ChildID, _ element: EditableElement) -> VaultUUID? {
    let text = element.bytes(.uuid, in: values) ?? []
    guard let uuid = VaultUUID(base64: text.span), !uuid.isZero else {
      let isReadable = text.isEmpty || VaultUUID(base64: text.span) != nil
      elements.note(isReadable ? .missingUUID : .badUUID, "UUID")
      return .random()
    }
    guard owners.updateValue(owners[uuid] ?? child, forKey: uuid) != nil else { return nil }
    elements.note(child.isGroup ? .repeatedGroupUUID : .repeatedEntryUUID, "UUID")
    return .random()
  }

  /// The UUID that all old versions of an entry have, for an entry that has lost its own; nil if
  /// something else has it.
  private mutating func takeFromHistory(of entry: Entry, _ id: EntryID) -> VaultUUID? {
    let uuids = Set(entry.history.map(\.uuid))
    guard uuids.count == 1, let uuid = uuids.first, !uuid.isZero, owners[uuid] == nil else {
      return nil
    }
    owners[uuid] = .entry(id)
    return uuid
  }

  /// Gives the old versions the UUID of their entry.
  private mutating func examineHistory(
    of entry: inout Entry, _ id: EntryID, old: VaultUUID
  ) -> Bool {
    var history = entry.history
    let strays = history.indices.filter { history[$0].uuid != entry.uuid }
    guard !strays.isEmpty else { return false }
    for index in strays {
      // What had the UUID that the entry had goes along in silence.
      if history[index].uuid != old {
        elements.place = .version(id, number: index + 1)
        elements.note(.historyUUID, "UUID")
      }
      history[index].uuid = entry.uuid
    }
    entry.removeHistory(at: Array(history.indices))
    for item in history { entry.appendHistory(item) }
    elements.place = .entry(id)
    return true
  }

  // MARK: - Deletions

  mutating func examineDeletedObjects() {
    guard let range = values.skeleton.deletedObjects else { return }
    elements.place = .deletedObjects
    var list = DeletedObjects(
      element: EditableElement(range, in: values), values: values)
    if elements.examine(&list.element, as: .deletedObjects) {
      elements.document.editedDeletedObjects = list
    }
    let alive = Set(list.records.map(\.uuid)).intersection(owners.keys).count
    if alive > 0 { elements.note(.deletedAlive, count: alive) }
  }
}

extension ChildID {
  fileprivate var isGroup: Bool { if case .group = self { true } else { false } }
}
