import Synchronization

extension VaultTree {
  /// Finds `name`; counts one reference of the kernel's to the node.
  package func lookup(_ name: [UInt8], in parent: NodeID) throws(TreeError) -> NodeAttributes {
    try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      guard let found = try state.find(name, in: state.meaning(of: parent)) else {
        throw .noEntry
      }
      let attributes = try state.attributes(found.node, found.meaning)
      state.reference(found.node)
      return attributes
    }
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
    guard let handle, let file = locked({ $0.handles[handle] }) else {
      return try locked { (state) throws(TreeError) in
        try state.attributes(node, state.meaning(of: node))
      }
    }
    let count = file.scratch?.count ?? file.draft.withLock { $0.count }
    return try locked { (state) throws(TreeError) in
      try state.attributes(of: file, count: count)
    }
  }

  /// Changes what can be changed; without a handle a new size is an edit at once.
  ///
  /// Modes and times are taken without effect.
  package func setAttributes(
    of node: NodeID, handle: HandleID?, _ change: AttributeChange
  ) throws(TreeError) -> NodeAttributes {
    try locked { (state) throws(TreeError) in
      if handle.flatMap({ state.handles[$0] }) == nil, state.meaning(of: node) == .dead {
        throw .noEntry
      }
      try state.checkWritable()
    }
    if change.changesOwner { throw .notPermitted }
    if let size = change.size { try resize(node, handle, to: size) }
    return try attributes(of: node, handle: handle)
  }

  /// The node that a path with `/` leads to from the root; counts no reference.
  package func resolve(path: [UInt8]) throws(TreeError) -> NodeID {
    try locked { (state) throws(TreeError) in
      var found = FoundNode(node: .root, meaning: .folder(0))
      for name in path.split(separator: UInt8(ascii: "/")) {
        guard let next = try state.find(Array(name), in: found.meaning) else { throw .noEntry }
        found = next
      }
      return found.node
    }
  }
}

extension TreeState {
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
