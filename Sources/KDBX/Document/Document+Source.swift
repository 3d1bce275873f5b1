/// How groups and entries lie in the source.
extension Document {
  /// The number of nodes that come from the source.
  private var sourceCount: Int { values.skeleton.nodes.count }

  /// The first group or entry that a group had in the source.
  func firstInSource(of group: UInt32) -> UInt32? {
    let next = Int(group) + 1
    guard Int(group) < sourceCount, next < sourceCount,
      nodes[next].source.start < nodes[Int(group)].source.end
    else { return nil }
    return UInt32(next)
  }

  /// The group or entry that followed another in the source, in the same group, which ends at `end`.
  func nextInSource(after node: UInt32, before end: UInt32) -> UInt32? {
    var next = Int(node) + 1
    if !nodes[Int(node)].isEntry {
      // Behind all that the group held.
      let limit = nodes[Int(node)].source.end
      var low = next
      var high = sourceCount
      while low < high {
        let middle = (low + high) / 2
        if nodes[middle].source.start < limit { low = middle + 1 } else { high = middle }
      }
      next = low
    }
    guard next < sourceCount, nodes[next].source.start < end else { return nil }
    return UInt32(next)
  }

  /// A group's own element: its properties as parts, and where its groups and entries stood.
  func ownElement(of group: UInt32) -> EditableElement {
    let range = nodes[Int(group)].source
    let bytes = values.bytes(in: range)
    let base = range.range.lowerBound
    let tag = XMLElement(startTagIn: bytes, at: 0)
    var element = EditableElement(.group)
    element.setTag(of: tag, base: base)
    var position = tag.content.lowerBound
    var child = firstInSource(of: group)
    while let node = child {
      let place = nodes[Int(node)].source.range
      let lead = element.parseChildren(
        of: bytes, from: position, to: place.lowerBound - base, base: base)
      element.appendNode(node, lead: lead, isBlank: values.isBlank(lead))
      position = place.upperBound - base
      child = nextInSource(after: node, before: range.end)
    }
    element.tail = element.parseChildren(
      of: bytes, from: position, to: max(position, endTag(in: bytes)), base: base)
    return element
  }

  /// Where the end tag of an element starts, from whose end `bytes` ends.
  private func endTag(in bytes: Span<UInt8>) -> Int {
    var i = bytes.count - 1
    while i > 0, bytes[i] != UInt8(ascii: "<") { i -= 1 }
    return i
  }

  /// Cheaper than ``entry(_:)`` and ``group(_:)``: for the listing of a directory.
  package func summary(of child: ChildID) -> NodeSummary {
    switch child {
    case .entry(let id):
      if let entry = editedEntries[id.number] {
        return NodeSummary(
          uuid: entry.uuid,
          name: entry.string(Array("Title".utf8)).map { values.bytes(of: $0.value) } ?? [],
          created: entry.times.creation)
      }
      return summaryOfSource(id.number)
    case .group(let id):
      if let group = editedGroups[id.number] {
        return NodeSummary(uuid: group.uuid, name: group.name, created: group.times.creation)
      }
      return summaryOfSource(id.number)
    }
  }

  private func summaryOfSource(_ node: UInt32) -> NodeSummary {
    let range = nodes[Int(node)].source
    let bytes = values.bytes(in: range)
    let base = range.range.lowerBound
    var reader = SummaryReader(values: values, base: base, isEntry: nodes[Int(node)].isEntry)
    var position = XMLElement(startTagIn: bytes, at: 0).content.lowerBound
    var child = nodes[Int(node)].isEntry ? nil : firstInSource(of: node)
    while let inner = child {
      let place = nodes[Int(inner)].source.range
      reader.read(bytes, from: position, to: place.lowerBound - base)
      position = place.upperBound - base
      child = nextInSource(after: inner, before: range.end)
    }
    reader.read(bytes, from: position, to: max(position, endTag(in: bytes)))
    return NodeSummary(uuid: reader.uuid, name: reader.name, created: reader.created)
  }
}

/// Picks UUID, name and creation time out of an element, and builds nothing else.
private struct SummaryReader {
  let values: ValueSource
  let base: Int
  let isEntry: Bool
  var uuid = VaultUUID.zero
  var name: [UInt8] = []
  var created: VaultTime?

  /// Reads the children in a part of the content.
  mutating func read(_ bytes: Span<UInt8>, from start: Int, to end: Int) {
    var position = start
    while let child = XMLElement.next(in: bytes, from: position, to: end) {
      position = child.whole.upperBound
      if child.isNamed("UUID", in: bytes) {
        uuid = VaultUUID(base64: text(child).span) ?? .zero
      } else if child.isNamed("Times", in: bytes) {
        readTimes(bytes, in: child.content)
      } else if isEntry, child.isNamed("String", in: bytes) {
        readTitle(child)
      } else if !isEntry, child.isNamed("Name", in: bytes) {
        name = text(child)
      }
    }
  }

  private mutating func readTimes(_ bytes: Span<UInt8>, in content: Range<Int>) {
    var position = content.lowerBound
    while let time = XMLElement.next(in: bytes, from: position, to: content.upperBound) {
      position = time.whole.upperBound
      guard time.isNamed("CreationTime", in: bytes) else { continue }
      created = VaultTime(text: text(time).span)
    }
  }

  private mutating func readTitle(_ child: XMLElement) {
    let pair = values.pair(at: range(child.whole))
    guard pair.hasKey(Self.title, in: values) else { return }
    name = pair.value.map { values.bytes(of: values.text(ofElementAt: $0)) } ?? []
  }

  private func text(_ child: XMLElement) -> [UInt8] {
    values.bytes(of: values.text(ofElementAt: range(child.whole)))
  }

  private func range(_ range: Range<Int>) -> SourceRange {
    SourceRange(base + range.lowerBound..<base + range.upperBound)
  }

  private static let title = Array("Title".utf8)
}

extension EditableElement {
  /// Takes over the start tag of an element of the source.
  fileprivate mutating func setTag(of element: XMLElement, base: Int) {
    let parsed = EditableElement(tagOf: element, base: base)
    tag = parsed.tag
    emptyTag = parsed.emptyTag
  }

  /// Notes where a group or entry stood, as part of the run before it if nothing is between.
  fileprivate mutating func appendNode(_ node: UInt32, lead: SourceRange, isBlank: Bool) {
    if isBlank, case .nodes(let first, _) = children.last?.content {
      children[children.count - 1].content = .nodes(first, node)
    } else {
      children.append(EditableChild(lead: lead, kind: .group, content: .nodes(node, node)))
    }
  }
}
