extension VaultTree {
  /// Opens a directory; its listing stays as it is at the first read until the handle is released.
  package func openDirectory(_ node: NodeID) throws(TreeError) -> HandleID {
    prepareView(node)
    return try locked { (state) throws(TreeError) in
      try state.checkNotLost(node)
      let meaning = state.meaning(of: node)
      switch meaning {
      case .folder(let owner):
        // Who looks anew removes anew: what went before this went by itself.
        state.folders[owner]?.removed = []
      case .entry(let owner): state.showCodes(owner, atOnce: true)
      case .item(_, let key) where key.isDirectory: break
      case .view: break
      case .item, .groupNotes, .scratch, .link, .generated: throw .notDirectory
      case .dead: throw .noEntry
      }
      let handle = state.newHandle()
      state.directories[handle] = DirectoryHandle(node: node)
      return handle
    }
  }

  /// The names of an open directory from the `offset`-th on, in an order that stays over the
  /// handle's life; counts no reference (see ``reference(_:)``).
  ///
  /// Attributes cost a look at each entry: ask for no more than one answer holds.
  package func list(
    _ handle: HandleID, from offset: Int = 0, atMost count: Int = .max
  ) throws(TreeError) -> [DirectoryEntry] {
    try locked { (state) throws(TreeError) in
      let names = try state.names(of: handle, from: offset, atMost: count)
      let directory = try state.directory(of: handle)
      let meaning = state.meaning(of: directory.node)
      return names.map { name in state.entry(for: name, in: meaning) }
    }
  }

  /// The same without attributes, and without a look at any entry.
  package func listNames(
    _ handle: HandleID, from offset: Int = 0, atMost count: Int = .max
  ) throws(TreeError) -> [ListedName] {
    try locked { (state) throws(TreeError) in
      Array(try state.names(of: handle, from: offset, atMost: count))
    }
  }

  package func releaseDirectory(_ handle: HandleID) {
    locked { $0.directories[handle] = nil }
  }

  /// Makes a directory; counts one reference of the kernel's.
  package func makeDirectory(
    _ name: [UInt8], in parent: NodeID
  ) throws(TreeError) -> NodeAttributes {
    try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      let made = try state.makeDirectory(name, in: state.meaning(of: parent))
      state.reference(made.node)
      return try state.attributes(made.node, made.meaning)
    }
  }

  /// Removes an empty directory.
  package func removeDirectory(
    _ name: [UInt8], in parent: NodeID, by origin: RequestOrigin? = nil
  ) throws(TreeError) {
    let accessor = accessor(origin)
    try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      let directory = state.meaning(of: parent)
      let subject = try? state.subject(of: name, in: directory)
      try state.removeDirectory(name, in: directory)
      state.note(.remove, subject, by: accessor)
    }
  }
}

extension TreeState {
  /// One line of a listing with attributes as of now.
  fileprivate mutating func entry(
    for listed: ListedName, in directory: NodeMeaning
  ) -> DirectoryEntry {
    if let found = try? find(listed.name, in: directory), found.node == listed.node,
      let attributes = try? attributes(found.node, found.meaning)
    {
      return DirectoryEntry(name: listed.name, attributes: attributes)
    }
    let attributes = NodeAttributes(
      node: listed.node, kind: listed.kind, permissions: 0, size: 0, modified: started,
      changed: started, accessed: started, unsettled: true)
    return DirectoryEntry(name: listed.name, attributes: attributes, isGone: true)
  }
}
