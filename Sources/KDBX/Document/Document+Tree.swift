extension Document {
  /// How many groups may lie in one another, the root counted: one file more deeply nested than
  /// ``XMLScanner/depthLimit`` couldn't be read back.
  package static let groupDepthLimit = 900

  // MARK: - Looking

  /// The groups and entries in a group, in file order.
  package func children(of group: GroupID) -> [ChildID] {
    var children: [ChildID] = []
    var child = nodes[Int(group.number)].firstChild
    while child != NodeRecord.none {
      children.append(id(child))
      child = nodes[Int(child)].next
    }
    return children
  }

  /// The group that something is in; `nil` for the root, and for what was removed.
  package func parent(of child: ChildID) -> GroupID? {
    let parent = nodes[Int(child.number)].parent
    return parent == NodeRecord.none ? nil : GroupID(number: parent)
  }

  /// Whether something is in the tree: not removed, nor in something removed.
  package func contains(_ child: ChildID) -> Bool { isInTree(child.number) }

  /// Everything in the tree in document order, without the root.
  package func forEachNode<E: Error>(
    _ body: (ChildID) throws(E) -> Void
  ) throws(E) {
    try forEachNode(below: root.number) { node throws(E) in try body(id(node)) }
  }

  package var allEntries: [EntryID] {
    var entries: [EntryID] = []
    entries.reserveCapacity(entryCount)
    forEachNode { if case .entry(let id) = $0 { entries.append(id) } }
    return entries
  }

  /// All groups, the root first.
  package var allGroups: [GroupID] {
    var groups = [root]
    groups.reserveCapacity(groupCount)
    forEachNode { if case .group(let id) = $0 { groups.append(id) } }
    return groups
  }

  /// Whether `child` may go into `parent`: not into itself, not below itself, and not too deep.
  ///
  /// `nil` asks for a new group.
  package func canMove(_ child: ChildID?, to parent: GroupID) -> Bool {
    guard let child else { return depth(of: parent.number) < Self.groupDepthLimit }
    var ancestor = parent.number
    while ancestor != NodeRecord.none {
      if ancestor == child.number { return false }
      ancestor = nodes[Int(ancestor)].parent
    }
    return depth(of: parent.number) + height(of: child.number) <= Self.groupDepthLimit
  }

  // MARK: - Changing

  /// Adds an entry behind the last entry of the group, before its groups.
  package mutating func add(_ entry: Entry, to parent: GroupID) -> EntryID {
    let id = EntryID(number: append(isEntry: true))
    editedEntries[id.number] = entry
    link(id.number, into: parent.number)
    return id
  }

  /// Adds a group behind all else in its new parent.
  package mutating func add(_ group: Group, to parent: GroupID) -> GroupID {
    let id = GroupID(number: append(isEntry: false))
    editedGroups[id.number] = group
    link(id.number, into: parent.number)
    return id
  }

  /// Moves something with all that is in it; also brings back what was removed.
  ///
  /// Does nothing where the tree would come apart: for the root, or into itself or below itself
  /// (``canMove(_:to:)``).
  package mutating func move(_ child: ChildID, to parent: GroupID) {
    guard child.number != root.number, !isBelow(parent.number, child.number) else { return }
    unlink(child.number)
    link(child.number, into: parent.number)
  }

  /// Takes something with all that is in it out of the tree; it can still be read, and moved back.
  ///
  /// Does nothing for the root.
  package mutating func remove(_ child: ChildID) {
    guard child.number != root.number else { return }
    unlink(child.number)
  }

  // MARK: - Records

  func id(_ node: UInt32) -> ChildID {
    nodes[Int(node)].isEntry ? .entry(EntryID(number: node)) : .group(GroupID(number: node))
  }

  private mutating func append(isEntry: Bool) -> UInt32 {
    // What is in memory can't have as many elements; nodes are never taken out.
    precondition(nodes.count < Int(NodeRecord.none), "a document has no more numbers for nodes")
    var node = NodeRecord(source: .none, isEntry: isEntry)
    node.isInPlace = false
    nodes.append(node)
    return UInt32(nodes.count - 1)
  }

  private mutating func link(_ node: UInt32, into parent: UInt32) {
    let previous = nodes[Int(node)].isEntry ? lastEntry(in: parent) : nodes[Int(parent)].lastChild
    let next =
      previous == NodeRecord.none
      ? nodes[Int(parent)].firstChild : nodes[Int(previous)].next
    nodes[Int(node)].parent = parent
    nodes[Int(node)].previous = previous
    nodes[Int(node)].next = next
    if previous == NodeRecord.none {
      nodes[Int(parent)].firstChild = node
    } else {
      nodes[Int(previous)].next = node
    }
    if next == NodeRecord.none {
      nodes[Int(parent)].lastChild = node
    } else {
      nodes[Int(next)].previous = node
    }
    relaid.insert(parent)
    if isInTree(parent) { count(node, by: 1) }
  }

  private mutating func unlink(_ node: UInt32) {
    let record = nodes[Int(node)]
    guard record.parent != NodeRecord.none else { return }
    if isInTree(record.parent) { count(node, by: -1) }
    if record.previous == NodeRecord.none {
      nodes[Int(record.parent)].firstChild = record.next
    } else {
      nodes[Int(record.previous)].next = record.next
    }
    if record.next == NodeRecord.none {
      nodes[Int(record.parent)].lastChild = record.previous
    } else {
      nodes[Int(record.next)].previous = record.previous
    }
    relaid.insert(record.parent)
    nodes[Int(node)].parent = NodeRecord.none
    nodes[Int(node)].previous = NodeRecord.none
    nodes[Int(node)].next = NodeRecord.none
    nodes[Int(node)].isInPlace = false
  }

  private func lastEntry(in group: UInt32) -> UInt32 {
    var child = nodes[Int(group)].lastChild
    while child != NodeRecord.none, !nodes[Int(child)].isEntry {
      child = nodes[Int(child)].previous
    }
    return child
  }

  /// Counts a node and all that is in it as added or gone.
  private mutating func count(_ node: UInt32, by step: Int) {
    var entries = nodes[Int(node)].isEntry ? 1 : 0
    var groups = 1 - entries
    forEachNode(below: node) { inner in
      if nodes[Int(inner)].isEntry { entries += 1 } else { groups += 1 }
    }
    entryCount += step * entries
    groupCount += step * groups
  }

  private func isInTree(_ node: UInt32) -> Bool { isBelow(node, root.number) }

  /// Whether `node` is `ancestor` or lies below it.
  private func isBelow(_ node: UInt32, _ ancestor: UInt32) -> Bool {
    var current = node
    while current != NodeRecord.none {
      if current == ancestor { return true }
      current = nodes[Int(current)].parent
    }
    return false
  }

  /// The number of groups from the root to `node`, both counted.
  private func depth(of node: UInt32) -> Int {
    var depth = 0
    var current = node
    while current != NodeRecord.none {
      depth += 1
      current = nodes[Int(current)].parent
    }
    return depth
  }

  /// How many groups lie in one another in `node`, itself counted if it is one.
  private func height(of node: UInt32) -> Int {
    if nodes[Int(node)].isEntry { return 0 }
    let base = depth(of: node)
    var height = 1
    forEachNode(below: node) { inner in
      // Only what could be deeper is measured: a group without groups in it ends a path.
      if !nodes[Int(inner)].isEntry { height = max(height, depth(of: inner) - base + 1) }
    }
    return height
  }

  /// Everything below a node, in document order.
  func forEachNode<E: Error>(
    below top: UInt32, _ body: (UInt32) throws(E) -> Void
  ) throws(E) {
    var node = nodes[Int(top)].firstChild
    while node != NodeRecord.none {
      try body(node)
      var next = nodes[Int(node)].firstChild
      // Back up to the first ancestor that has more.
      while next == NodeRecord.none {
        next = nodes[Int(node)].next
        if next != NodeRecord.none { break }
        node = nodes[Int(node)].parent
        if node == top || node == NodeRecord.none { return }
      }
      node = next
    }
  }
}
