import Synchronization

extension VaultTree {
  /// Finds `name`; counts one reference of the kernel's to the node.
  package func lookup(_ name: [UInt8], in parent: NodeID) throws(TreeError) -> NodeAttributes {
    prepareView(parent, name)
    return try locked(
      ifLocked: { (state) throws(TreeError) in try state.lookupLocked(name, in: parent) }
    ) { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      try state.checkNotLost(parent)
      let directory = state.meaning(of: parent)
      guard let found = try state.find(name, in: directory) else {
        state.noteSought(name, in: directory)
        throw .noEntry
      }
      let attributes = try state.attributes(found.node, found.meaning)
      state.reference(found.node)
      return attributes
    }
  }

  /// Whether a name that leads nowhere goes on doing so until somebody makes it, or the tree tells that
  /// it leads somewhere.
  ///
  /// Names of the tree's own come and go with what they are made from.
  package static func staysAbsent(_ name: [UInt8], in parent: NodeID) -> Bool {
    !parent.isView && !ReservedName.all.contains(name)
  }

  /// Takes back `count` references of the kernel's.
  package func forget(_ node: NodeID, count: UInt64) { locked { $0.forget(node, count: count) } }

  /// Counts one reference of the kernel's to each of `nodes`: what an answered READDIRPLUS gave it.
  package func reference(_ nodes: [NodeID]) {
    locked { state in
      for node in nodes { state.reference(node) }
    }
  }

  /// What `stat` shows; with a handle, that handle's size.
  package func attributes(
    of node: NodeID, handle: HandleID? = nil
  ) throws(TreeError) -> NodeAttributes {
    prepareLog(node)
    let found = try locked(
      ifLocked: { (state) throws(TreeError) in
        // A handle from before the lock is gone.
        guard node == .root else { throw .locked }
        return .attributes(state.blankAttributes(node, .directory))
      }
    ) { (state) throws(TreeError) -> Looked in
      if let handle, let file = state.handles[handle] { return .open(file) }
      let meaning = state.meaning(of: node)
      if meaning == .dead, let file = state.openFile(of: node) { return .open(file) }
      if let handle, handle.rawValue < state.firstHandle { throw .stale }
      try state.checkNotLost(node)
      return .attributes(try state.attributes(node, meaning))
    }
    switch found {
    case .attributes(let attributes): return attributes
    case .open(let file):
      let count = file.scratch?.count ?? file.draft.withLock { $0.count }
      return try locked { (state) throws(TreeError) in
        try state.attributes(of: file, count: count)
      }
    }
  }

  /// What a question for attributes leads to.
  private enum Looked: Sendable {
    case attributes(NodeAttributes)
    /// An open file: its size stands behind the file's own lock.
    case open(FileHandle)
  }

  /// Changes what can be changed; without a handle a new size is an edit at once.
  ///
  /// Modes and times are taken without effect.
  package func setAttributes(
    of node: NodeID, handle: HandleID?, _ change: AttributeChange,
    by origin: RequestOrigin? = nil
  ) throws(TreeError) -> NodeAttributes {
    try locked { (state) throws(TreeError) in
      try state.checkNotLost(node)
      if handle.flatMap({ state.handles[$0] }) == nil, state.meaning(of: node) == .dead {
        throw .noEntry
      }
      try state.checkWritable()
    }
    if change.changesOwner { throw .notPermitted }
    if let size = change.size { try resize(node, handle, to: size, by: origin) }
    return try attributes(of: node, handle: handle)
  }

  /// The node that a path with `/` leads to from the root; counts no reference.
  package func resolve(path: [UInt8]) throws(TreeError) -> NodeID {
    try locked { (state) throws(TreeError) in try state.find(path: path).node }
  }
}

extension TreeState {
  /// What a path with `/` leads to from the root.
  mutating func find(path: [UInt8]) throws(TreeError) -> FoundNode {
    var found = FoundNode(node: .root, meaning: .folder(0))
    for name in path.split(separator: UInt8(ascii: "/")) {
      // A link on the way leads on to what it means.
      if case .link(let owner, _) = found.meaning { found = self.found(owner) }
      guard let next = try find(Array(name), in: found.meaning) else { throw .noEntry }
      found = next
    }
    return found
  }

  /// A handle of a file whose name has gone, which lives until it is closed.
  ///
  /// The kernel asks for its attributes without a handle, whichever call of a process' it is for.
  func openFile(of node: NodeID) -> FileHandle? { handles.values.first { $0.node == node } }

  /// The attributes of an open file, also when its name has gone.
  mutating func attributes(
    of file: FileHandle, count: Int
  ) throws(TreeError) -> NodeAttributes {
    var attributes: NodeAttributes
    do throws(TreeError) {
      attributes = try self.attributes(file.node, meaning(of: file.node))
    } catch {
      let time = now()
      attributes = NodeAttributes(
        node: file.node, kind: .file, permissions: 0o600, size: count, linkCount: 0,
        modified: time, changed: time, accessed: time, unsettled: true)
    }
    attributes.size = count
    return attributes
  }
}
