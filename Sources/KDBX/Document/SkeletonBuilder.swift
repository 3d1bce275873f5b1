import ByteCoding

/// Makes the skeleton of a document, in the one checked pass over its XML.
struct SkeletonBuilder: ~Escapable {
  /// What an open element is to us.
  private enum Kind: UInt8 {
    case document, file, root, meta, headerHash, binaries, binary, deletedObjects, group, entry
    case other
  }

  private let bytes: Span<UInt8>
  private var scanner: XMLScanner
  private var skeleton = Skeleton()
  private var kinds = [Kind](repeating: .other, count: XMLScanner.depthLimit + 1)
  /// The group or entry that is open.
  private var current = NodeRecord.none
  private var streamOffset = 0
  /// A protected element whose end is still to come, by its depth.
  private var openProtected: (depth: Int, mark: ProtectedMark)?
  /// What makes it no KeePass document.
  private var fault: DocumentError.Fault?

  /// How an element says that it is protected.
  private struct ProtectedMark {
    var attribute: XMLScanner.Attribute
    var isExact: Bool
    var isKnown: Bool
  }

  /// Scans the XML.
  static func skeleton(of bytes: Span<UInt8>) throws(DocumentError) -> Skeleton {
    var builder = try SkeletonBuilder(bytes)
    try builder.run()
    return builder.skeleton
  }

  @_lifetime(copy bytes)
  private init(_ bytes: Span<UInt8>) throws(DocumentError) {
    self.bytes = bytes
    do throws(XMLError) {
      scanner = try XMLScanner(bytes)
    } catch {
      throw DocumentError(error)
    }
    kinds[0] = .document
  }

  @_lifetime(self: copy self)
  private mutating func run() throws(DocumentError) {
    while true {
      let mark: XMLScanner.Mark
      do throws(XMLError) {
        mark = try scanner.nextMark()
      } catch {
        throw DocumentError(error)
      }
      switch mark {
      case .start:
        if isPlain(in: kinds[scanner.depth - 1]) {
          kinds[scanner.depth] = .other
        } else {
          started(in: kinds[scanner.depth - 1], depth: scanner.depth)
          try checkDocument()
        }
      case .leaf:
        if isPlain(in: kinds[scanner.depth]) { continue }
        started(in: kinds[scanner.depth], depth: scanner.depth + 1)
        try checkDocument()
        try ended(depth: scanner.depth + 1)
      case .end:
        if kinds[scanner.depth + 1] == .other, openProtected == nil { continue }
        try ended(depth: scanner.depth + 1)
      case .finished:
        return try finish()
      }
    }
  }

  /// Whether an element that just started in `parent` is nothing to us: nearly every one.
  @inline(__always)
  private func isPlain(in parent: Kind) -> Bool {
    (parent == .other || parent == .entry) && !scanner.hasAttributes && openProtected == nil
  }

  @_lifetime(self: copy self)
  private mutating func finish() throws(DocumentError) {
    guard !skeleton.nodes.isEmpty else {
      throw DocumentError(.notADocument(.rootGroup), at: bytes.count)
    }
    skeleton.protected.append(
      ProtectedRecord(
        text: SourceRange(bytes.count..<bytes.count), streamOffset: UInt32(streamOffset)))
  }

  private func checkDocument() throws(DocumentError) {
    guard let fault else { return }
    throw DocumentError(.notADocument(fault), at: scanner.tagStart)
  }

  // MARK: - Elements

  /// Notes what an element is; `depth` counts it.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func started(in parent: Kind, depth: Int) {
    // What holds elements is no value, whatever its attributes say.
    openProtected = nil
    var kind = Kind.other
    switch parent {
    case .document:
      if scanner.isNamed("KeePassFile") { kind = .file } else { fault = .rootElement }
    case .file:
      if scanner.isNamed("Meta"), skeleton.meta == nil {
        kind = .meta
      } else if scanner.isNamed("Root") {
        kind = .root
        skeleton.rootStart = UInt32(scanner.tagStart)
      }
    case .root:
      if scanner.isNamed("Group") {
        if skeleton.nodes.isEmpty { kind = .group } else { fault = .secondRootGroup }
      } else if scanner.isNamed("DeletedObjects"), skeleton.deletedObjects == nil {
        kind = .deletedObjects
      }
    case .group:
      if scanner.isNamed("Entry") {
        kind = .entry
      } else if scanner.isNamed("Group") {
        kind = .group
      }
    case .meta:
      if scanner.isNamed("Binaries") {
        kind = .binaries
      } else if scanner.isNamed("HeaderHash") {
        kind = .headerHash
      }
    case .binaries:
      if scanner.isNamed("Binary") { kind = .binary }
    case .entry, .binary, .headerHash, .deletedObjects, .other: break
    }
    kinds[depth] = kind
    if kind == .group || kind == .entry { open(isEntry: kind == .entry) }
    if kind == .binary { beginBinary() }
    if scanner.hasAttributes {
      noteProtection(depth: depth)
      noteReference(depth: depth)
    }
  }

  /// Notes where an element ended; `depth` still counts it.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func ended(depth: Int) throws(DocumentError) {
    if let open = openProtected, open.depth == depth {
      openProtected = nil
      try addProtected(open.mark)
    }
    let element = SourceRange(scanner.name.lowerBound - 1..<scanner.offset)
    switch kinds[depth] {
    case .group, .entry:
      skeleton.nodes[Int(current)].source = element
      current = skeleton.nodes[Int(current)].parent
    case .root: skeleton.rootEnd = UInt32(scanner.content.upperBound)
    case .meta: skeleton.meta = element
    case .headerHash: skeleton.headerHash = element
    case .deletedObjects: skeleton.deletedObjects = element
    case .binary:
      skeleton.pool[skeleton.pool.count - 1].element = element
      skeleton.pool[skeleton.pool.count - 1].content = SourceRange(scanner.content)
    case .document, .file, .binaries, .other: break
    }
  }

  /// Begins a group or entry as the last child of the open group.
  @_lifetime(self: copy self)
  private mutating func open(isEntry: Bool) {
    let number = UInt32(skeleton.nodes.count)
    var node = NodeRecord(source: .none, isEntry: isEntry)
    node.parent = current
    if current != NodeRecord.none {
      node.previous = skeleton.nodes[Int(current)].lastChild
      skeleton.nodes[Int(current)].lastChild = number
      if node.previous == NodeRecord.none {
        skeleton.nodes[Int(current)].firstChild = number
      } else {
        skeleton.nodes[Int(node.previous)].next = number
      }
    }
    skeleton.nodes.append(node)
    if isEntry { skeleton.entryCount += 1 }
    current = number
  }

  // MARK: - Attributes

  @_lifetime(self: copy self)
  private mutating func beginBinary() {
    let id = scanner.attributeRanges("ID")
    skeleton.pool.append(
      PoolRecord(
        element: .none, idText: id.map { SourceRange($0.value) } ?? .none,
        number: id.flatMap { Self.number(bytes.extracting($0.value)) }, content: .none,
        isCompressed: scanner.attribute("Compressed").map { XMLText.isTrue($0.span) } ?? false,
        isProtected: scanner.attribute("Protected").map { XMLText.isTrue($0.span) } ?? false))
  }

  /// A number as KeePass takes it in `Ref` and `ID`: decimal, no sign.
  static func number(_ text: Span<UInt8>) -> UInt32? {
    var number: UInt32 = 0
    guard !text.isEmpty, text.count <= 9 else { return nil }
    for i in text.indices {
      guard text[i] >= 0x30, text[i] <= 0x39 else { return nil }
      number = number * 10 + UInt32(text[i] - 0x30)
    }
    return number
  }

  @_lifetime(self: copy self)
  private mutating func noteReference(depth: Int) {
    guard let reference = scanner.attributeRanges("Ref"), depth >= 3, current != NodeRecord.none,
      skeleton.nodes[Int(current)].isEntry, scanner.isNamed("Value"),
      isOpenElement(depth - 2, named: "Binary"), isOpenElement(depth - 3, named: "Entry")
    else { return }
    skeleton.references.append(
      ReferenceRecord(
        text: SourceRange(reference.value),
        number: Self.number(bytes.extracting(reference.value))))
  }

  private func isOpenElement(_ level: Int, named name: StaticString) -> Bool {
    let range = scanner.nameOfOpenElement(level)
    return range.count == name.utf8CodeUnitCount
      && XMLText.isAt(range.lowerBound, in: bytes, name)
  }

  @_lifetime(self: copy self)
  private mutating func noteProtection(depth: Int) {
    guard let attribute = scanner.attributeRanges("Protected") else { return }
    let value = XMLText.attributeValue(bytes.extracting(attribute.value))
    guard XMLText.isTrue(value.span) else { return }
    let isExact = XMLText.isAt(0, in: value.span, "True")
    openProtected = (
      depth,
      ProtectedMark(attribute: attribute, isExact: isExact, isKnown: isKnownElement(depth: depth))
    )
  }

  /// Whether other programs know the element that just started, and so consume the key stream for it.
  private func isKnownElement(depth: Int) -> Bool {
    var place = KnownElements.file
    for level in 1..<depth {
      let name = level == depth - 1 ? scanner.name : scanner.nameOfOpenElement(level)
      guard let next = place.child(bytes.extracting(name)) else { return false }
      place = next
    }
    return true
  }

  /// Adds the protected value that just ended.
  @_lifetime(self: copy self)
  private mutating func addProtected(_ mark: ProtectedMark) throws(DocumentError) {
    let content = scanner.content
    guard let count = Self.decodedCount(of: bytes.extracting(content)) else {
      // A spelling that KeePass doesn't take, and no base64: the text is the value.
      guard !mark.isExact else {
        throw DocumentError(.badProtectedValue, at: content.lowerBound)
      }
      skeleton.repairs.append(.dropAttribute(SourceRange(mark.attribute.whole)))
      return
    }
    let record = skeleton.protected.count
    skeleton.protected.append(
      ProtectedRecord(text: SourceRange(content), streamOffset: UInt32(streamOffset)))
    streamOffset += count
    if !mark.isKnown {
      skeleton.repairs.append(
        .unprotect(attribute: SourceRange(mark.attribute.whole), record: record))
    } else if !mark.isExact {
      skeleton.repairs.append(.spellTrue(SourceRange(mark.attribute.value)))
    }
  }

  private static func decodedCount(of text: Span<UInt8>) -> Int? {
    if let count = try? Base64.decodedCount(of: text) { return count }
    guard XMLText.hasMarkup(text) else { return nil }
    let plain = XMLText.plain(text)
    return try? Base64.decodedCount(of: plain.span)
  }
}
