import ByteCoding

/// Makes the skeleton of a document, in the one checked pass over its XML.
struct SkeletonBuilder {
  /// What an open element is to us.
  private enum Kind: UInt8 {
    case document, file, root, meta, headerHash, binaries, binary, deletedObjects, group, entry
    case other
  }

  private var skeleton = Skeleton()
  private var kinds = [Kind](repeating: .other, count: XMLScanner.depthLimit + 1)
  /// The group or entry that is open.
  private var current = NodeRecord.none
  /// Its depth, while it is an entry.
  private var currentDepth = 0
  private var streamOffset = 0
  /// A protected element whose end is still to come, by its depth.
  private var openProtected: (depth: Int, mark: ProtectedMark)?
  /// Why it can't be used.
  private var error: DocumentError?

  /// How an element says that it is protected.
  private struct ProtectedMark {
    var attribute: XMLScanner.Attribute
    var isExact: Bool
    var isKnown: Bool
  }

  private init() {
    kinds[0] = .document
  }

  /// Scans the XML.
  static func skeleton(
    of bytes: Span<UInt8>, passingControls: Bool
  ) throws(DocumentError) -> Skeleton {
    var builder = SkeletonBuilder()
    do throws(XMLError) {
      var scanner = try XMLScanner(bytes, passingControls: passingControls)
      scan: while builder.error == nil {
        switch try scanner.nextMark() {
        case .start:
          let parent = builder.kinds[scanner.depth - 1]
          if builder.isPlain(in: parent, hasAttributes: scanner.hasAttributes) {
            builder.kinds[scanner.depth] = .other
          } else {
            builder.started(in: parent, depth: scanner.depth, at: scanner, bytes)
          }
        case .leaf:
          let parent = builder.kinds[scanner.depth]
          if builder.isPlain(in: parent, hasAttributes: scanner.hasAttributes) { continue }
          builder.started(in: parent, depth: scanner.depth + 1, at: scanner, bytes)
          builder.ended(depth: scanner.depth + 1, at: scanner, bytes)
        case .end:
          if builder.kinds[scanner.depth + 1] == .other, builder.openProtected == nil { continue }
          builder.ended(depth: scanner.depth + 1, at: scanner, bytes)
        case .finished:
          builder.finish(bytes.count, controls: scanner.controls)
          break scan
        }
      }
    } catch {
      throw DocumentError(error)
    }
    if let error = builder.error { throw error }
    return builder.skeleton
  }

  /// Whether an element that just started in `parent` is nothing to us: nearly every one.
  @inline(__always)
  private func isPlain(in parent: Kind, hasAttributes: Bool) -> Bool {
    (parent == .other || parent == .entry) && !hasAttributes && openProtected == nil
  }

  private mutating func finish(_ count: Int, controls: [Int]) {
    guard !skeleton.nodes.isEmpty else { return fail(.rootGroup, count) }
    skeleton.protected.append(
      ProtectedRecord(
        text: SourceRange(count..<count), streamOffset: UInt32(streamOffset)))
    skeleton.repairs += controls.map { .dropControl(SourceRange($0..<$0 + 1)) }
  }

  // MARK: - Elements

  /// Notes what an element is; `depth` counts it.
  @inline(never)
  private mutating func started(
    in parent: Kind, depth: Int, at scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) {
    // What holds elements is no value, whatever its attributes say.
    openProtected = nil
    var kind = Kind.other
    switch parent {
    case .document:
      if scanner.isNamed("KeePassFile") {
        kind = .file
      } else {
        fail(.rootElement, scanner.tagStart)
      }
    case .file:
      if scanner.isNamed("Meta"), skeleton.meta == nil {
        kind = .meta
      } else if scanner.isNamed("Root") {
        kind = .root
        skeleton.rootStart = UInt32(scanner.tagStart)
      }
    case .root:
      if scanner.isNamed("Group") {
        if skeleton.nodes.isEmpty {
          kind = .group
        } else {
          fail(.secondRootGroup, scanner.tagStart)
        }
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
    if kind == .group || kind == .entry {
      open(isEntry: kind == .entry)
      currentDepth = depth
    }
    if kind == .binary { beginBinary(scanner, bytes) }
    if scanner.hasAttributes {
      noteProtection(depth: depth, at: scanner, bytes)
      noteReference(depth: depth, at: scanner, bytes)
    }
  }

  /// Notes where an element ended; `depth` still counts it.
  @inline(never)
  private mutating func ended(
    depth: Int, at scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) {
    if let open = openProtected, open.depth == depth {
      openProtected = nil
      addProtected(open.mark, in: scanner.content, bytes)
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

  private mutating func fail(_ fault: DocumentError.Fault, _ offset: Int) {
    error = DocumentError(.notADocument(fault), at: offset)
  }

  /// Begins a group or entry as the last child of the open group.
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

  private mutating func beginBinary(
    _ scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) {
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

  private mutating func noteReference(
    depth: Int, at scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) {
    guard let reference = scanner.attributeRanges("Ref"), currentIsEntry,
      scanner.isNamed("Value"),
      Self.isOpenElement(depth - 2, named: "Binary", in: scanner, bytes),
      Self.isOpenElement(depth - 3, named: "Entry", in: scanner, bytes)
    else { return }
    skeleton.references.append(
      ReferenceRecord(
        text: SourceRange(reference.value),
        number: Self.number(bytes.extracting(reference.value))))
  }

  private static func isOpenElement(
    _ level: Int, named name: StaticString, in scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) -> Bool {
    guard level >= 0 else { return false }
    let range = scanner.nameOfOpenElement(level)
    return range.count == name.utf8CodeUnitCount
      && XMLText.isAt(range.lowerBound, in: bytes, name)
  }

  private mutating func noteProtection(
    depth: Int, at scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) {
    guard let attribute = scanner.attributeRanges("Protected") else { return }
    let text = bytes.extracting(attribute.value)
    let isExact = text.count == 4 && XMLText.isAt(0, in: text, "True")
    if !isExact {
      let value = XMLText.attributeValue(text)
      guard XMLText.isTrue(value.span) else { return }
    }
    openProtected = (
      depth,
      ProtectedMark(
        attribute: attribute, isExact: isExact,
        isKnown: isKnownElement(depth: depth, at: scanner, bytes))
    )
  }

  /// Whether other programs know the element that just started, and so consume the key stream for it.
  private func isKnownElement(
    depth: Int, at scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) -> Bool {
    if isField(depth: depth, at: scanner, bytes) { return true }
    var place = KnownElements.file
    for level in 1..<depth {
      let name = level == depth - 1 ? scanner.name : scanner.nameOfOpenElement(level)
      guard let next = place.child(bytes.extracting(name)) else { return false }
      place = next
    }
    return true
  }

  /// Whether it is the value of a field or attachment of the open entry or of an old version of it,
  /// as nearly all that are protected are.
  private func isField(
    depth: Int, at scanner: borrowing XMLScanner, _ bytes: Span<UInt8>
  ) -> Bool {
    guard currentIsEntry, scanner.isNamed("Value"),
      Self.isOpenElement(depth - 2, named: "String", in: scanner, bytes)
        || Self.isOpenElement(depth - 2, named: "Binary", in: scanner, bytes)
    else { return false }
    // Level n holds the element of depth n + 1.
    if depth - 2 == currentDepth { return true }
    return depth - 4 == currentDepth
      && Self.isOpenElement(depth - 3, named: "Entry", in: scanner, bytes)
      && Self.isOpenElement(depth - 4, named: "History", in: scanner, bytes)
  }

  private var currentIsEntry: Bool {
    current != NodeRecord.none && skeleton.nodes[Int(current)].isEntry
  }

  /// Adds the protected value that just ended.
  private mutating func addProtected(
    _ mark: ProtectedMark, in content: Range<Int>, _ bytes: Span<UInt8>
  ) {
    guard let count = Self.decodedCount(of: bytes.extracting(content)) else {
      // A spelling that KeePass doesn't take, and no base64: the text is the value.
      guard !mark.isExact else {
        error = DocumentError(.badProtectedValue, at: content.lowerBound)
        return
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
