/// A piece of the XML that is to be written.
enum Piece: Sendable {
  /// As in the source, but for enciphering and patches.
  case source(SourceRange)
  /// Markup of ours.
  case literal(StaticString)
  /// Markup of another document.
  case raw([UInt8])
  /// A new or changed element that holds text.
  case text(TextElement)
  /// Meta, which depends on the file that is written.
  case meta
}

/// The pieces of a document or of an element, in order.
struct PieceList {
  private(set) var pieces: [Piece] = []

  mutating func append(_ range: SourceRange) {
    guard !range.isEmpty else { return }
    if case .source(let last) = pieces.last, last.end == range.start {
      pieces[pieces.count - 1] = .source(SourceRange(start: last.start, end: range.end))
    } else {
      pieces.append(.source(range))
    }
  }

  mutating func append(_ literal: StaticString) { pieces.append(.literal(literal)) }

  mutating func append(_ raw: [UInt8]) { pieces.append(.raw(raw)) }

  mutating func appendMeta() { pieces.append(.meta) }

  // MARK: - Elements

  /// Appends a whole element.
  ///
  /// Calls itself for elements in it that were taken apart to be edited, six levels at most.
  mutating func append(_ element: EditableElement) {
    if element.children.isEmpty, element.tail.isEmpty {
      if let emptyTag = element.emptyTag { return append(emptyTag) }
      switch element.tag {
      case .source: break
      case .new(let name):
        append("<")
        append(name)
        return append("/>")
      case .raw(let start, _):
        append(start)
        return append("/>")
      }
    }
    appendStart(of: element)
    for child in element.children { append(child) }
    append(element.tail)
    appendEnd(of: element)
  }

  mutating func append(_ child: EditableChild) {
    append(child.lead)
    switch child.content {
    case .source(let range): append(range)
    case .text(let element): pieces.append(.text(element))
    case .element(let element): append(element)
    case .raw(let bytes): append(bytes)
    case .nodes: break
    }
  }

  mutating func appendStart(of element: EditableElement) {
    switch element.tag {
    case .source(let range, _): append(range)
    case .new(let name):
      append("<")
      append(name)
    case .raw(let start, _): append(start)
    }
    append(">")
  }

  mutating func appendEnd(of element: EditableElement) {
    append("</")
    switch element.tag {
    case .source(_, let name): append(name)
    case .new(let name): append(name)
    case .raw(_, let name): append(name)
    }
    append(">")
  }
}

extension Document {
  /// The whole XML as pieces.
  func bodyPieces() -> [Piece] {
    let skeleton = values.skeleton
    let count = UInt32(values.xml.count)
    var list = PieceList()
    // A byte order mark isn't written.
    var position: UInt32 = values.hasByteOrderMark ? 3 : 0
    for part in topLevelParts().sorted(by: { $0.place.start < $1.place.start }) {
      // Two parts can't overlap in a document that was scanned.
      list.append(SourceRange(start: position, end: part.place.start))
      position = max(position, part.place.end)
      switch part.kind {
      case .meta: list.appendMeta()
      case .tree: appendTree(to: &list)
      case .deletedObjects:
        if let edited = editedDeletedObjects {
          list.append(edited.element)
        } else if let range = skeleton.deletedObjects {
          list.append(range)
        }
      }
    }
    list.append(SourceRange(start: position, end: count))
    return list.pieces
  }

  private struct TopLevelPart {
    enum Kind { case meta, tree, deletedObjects }
    let kind: Kind
    /// What it takes the place of; empty where it is new.
    let place: SourceRange
  }

  private func topLevelParts() -> [TopLevelPart] {
    let skeleton = values.skeleton
    var parts = [TopLevelPart(kind: .tree, place: nodes[0].source)]
    if let meta = skeleton.meta {
      parts.append(TopLevelPart(kind: .meta, place: meta))
    } else if editedMeta != nil {
      let start = skeleton.rootStart
      parts.append(TopLevelPart(kind: .meta, place: SourceRange(start: start, end: start)))
    }
    if let deleted = skeleton.deletedObjects {
      parts.append(TopLevelPart(kind: .deletedObjects, place: deleted))
    } else if editedDeletedObjects != nil {
      let end = skeleton.rootEnd
      parts.append(TopLevelPart(kind: .deletedObjects, place: SourceRange(start: end, end: end)))
    }
    return parts
  }

  // MARK: - The tree

  /// A group that is being taken apart.
  private struct Frame {
    /// What is still to come, the next last.
    var steps: [Step]
  }

  private enum Step {
    case source(SourceRange)
    case start(EditableElement)
    case child(EditableChild)
    case node(UInt32)
    case end(EditableElement)
  }

  /// Appends the tree: in one range what wasn't touched, in parts what was.
  private func appendTree(to list: inout PieceList) {
    let touched = touchedNodes()
    var stack: [Frame] = []
    append(root.number, touched, to: &list, &stack)
    while var frame = stack.popLast() {
      guard let step = frame.steps.popLast() else { continue }
      stack.append(frame)
      switch step {
      case .source(let range): list.append(range)
      case .start(let element): list.appendStart(of: element)
      case .child(let child): list.append(child)
      case .end(let element):
        list.append(element.tail)
        list.appendEnd(of: element)
      case .node(let node): append(node, touched, to: &list, &stack)
      }
    }
  }

  /// Appends a node, or what it is to be taken apart into to `stack`.
  private func append(
    _ node: UInt32, _ touched: [Bool], to list: inout PieceList, _ stack: inout [Frame]
  ) {
    let record = nodes[Int(node)]
    if !touched[Int(node)] {
      list.append(record.source)
    } else if record.isEntry {
      list.append(entry(EntryID(number: node)).element)
    } else if relaid.contains(node) || editedGroups[node] != nil {
      stack.append(Frame(steps: relaidSteps(of: node).reversed()))
    } else {
      stack.append(Frame(steps: sourceSteps(of: node, touched).reversed()))
    }
  }

  /// Which nodes aren't as in the source, or hold something that isn't.
  private func touchedNodes() -> [Bool] {
    var touched = [Bool](repeating: false, count: nodes.count)
    for node in Array(editedEntries.keys) + Array(editedGroups.keys) + Array(relaid) {
      var current = node
      while current != NodeRecord.none, !touched[Int(current)] {
        touched[Int(current)] = true
        current = nodes[Int(current)].parent
      }
    }
    return touched
  }

  /// The steps of a group whose own parts and children are as in the source.
  private func sourceSteps(of group: UInt32, _ touched: [Bool]) -> [Step] {
    var steps: [Step] = []
    let range = nodes[Int(group)].source
    var position = range.start
    var child = nodes[Int(group)].firstChild
    while child != NodeRecord.none {
      let record = nodes[Int(child)]
      if touched[Int(child)] {
        steps.append(.source(SourceRange(start: position, end: record.source.start)))
        steps.append(.node(child))
        position = record.source.end
      }
      child = record.next
    }
    steps.append(.source(SourceRange(start: position, end: range.end)))
    return steps
  }

  /// The steps of a group that was made, edited, or whose children changed.
  ///
  /// What is still in its place comes there, between the same parts; what is new comes where the
  /// list of children has it.
  private func relaidSteps(of group: UInt32) -> [Step] {
    let element = editedGroups[group]?.element ?? ownElement(of: group)
    var layout = GroupLayout(pending: nodes[Int(group)].firstChild)
    layout.steps.append(.start(element))
    if let first = element.children.first { layout.space = values.trailingSpace(in: first.lead) }
    for child in element.children {
      if case .nodes(let first, let last) = child.content {
        lay(first, last, lead: child.lead, in: group, &layout)
      } else {
        layout.steps.append(.child(child))
      }
    }
    layPending(upTo: NodeRecord.none, &layout)
    layout.steps.append(.end(element))
    return layout.steps
  }

  private struct GroupLayout {
    var steps: [Step] = []
    /// The next child that has no step yet.
    var pending: UInt32
    /// The white space that what is new gets before it.
    var space = SourceRange.none
  }

  /// Lays what stood in the source from `first` to `last`.
  private func lay(
    _ first: UInt32, _ last: UInt32, lead: SourceRange, in group: UInt32,
    _ layout: inout GroupLayout
  ) {
    let end = nodes[Int(group)].source.end
    var node = first
    var lead = lead
    while true {
      let record = nodes[Int(node)]
      layout.space = values.trailingSpace(in: lead)
      if record.isInPlace, record.parent == group {
        layPending(upTo: node, &layout)
        layout.steps.append(.source(lead))
        layout.steps.append(.node(node))
        layout.pending = record.next
      } else if !values.isBlank(lead) {
        layout.steps.append(.source(lead))
      }
      guard node != last, let next = nextInSource(after: node, before: end) else { return }
      lead = SourceRange(start: record.source.end, end: nodes[Int(next)].source.start)
      node = next
    }
  }

  private func layPending(upTo end: UInt32, _ layout: inout GroupLayout) {
    while layout.pending != end, layout.pending != NodeRecord.none {
      layout.steps.append(.source(layout.space))
      layout.steps.append(.node(layout.pending))
      layout.pending = nodes[Int(layout.pending)].next
    }
  }
}

extension ValueSource {
  var hasByteOrderMark: Bool {
    let bytes = xml
    return bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF
  }
}
