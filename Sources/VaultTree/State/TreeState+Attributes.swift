import KDBX
import Vault

// What `stat` shows.

extension TreeState {
  /// The attributes of a node.
  mutating func attributes(
    _ node: NodeID, _ meaning: NodeMeaning
  ) throws(TreeError) -> NodeAttributes {
    switch meaning {
    case .folder(let owner):
      let accessed = groupID(owner).flatMap { vault.document.group($0).times.lastAccess }
      return directory(
        node, modified: modified(folder: owner), accessed: Timestamp(accessed))
    case .entry(let owner):
      let view = try view(owner)
      let modified = Timestamp(view.modified) ?? started
      return directory(node, modified: modified, accessed: Timestamp(view.accessed))
    case .item(let owner, let key): return try attributes(node, key, owner)
    case .groupNotes(let owner): return try notesAttributes(node, owner)
    case .scratch(let id): return try scratchAttributes(node, id)
    case .view(let view): return viewAttributes(node, view)
    case .link(let owner, let link): return try linkAttributes(node, owner, link)
    case .generated(let file): return generatedAttributes(file)
    case .dead: throw .noEntry
    }
  }

  private func directory(
    _ node: NodeID, modified: Timestamp, accessed: Timestamp?
  ) -> NodeAttributes {
    NodeAttributes(
      node: node, kind: .directory, permissions: 0o700, size: 0, modified: modified,
      changed: modified, accessed: accessed ?? modified, unsettled: false)
  }

  private mutating func attributes(
    _ node: NodeID, _ key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> NodeAttributes {
    if key.isDirectory {
      guard try isReachable(key, owner) else { throw .noEntry }
      let times = try times(of: key, owner)
      return directory(node, modified: times.modified, accessed: times.accessed)
    }
    guard let shown = try reachableValue(of: key, owner) else { throw .noEntry }
    let times = try times(of: key, owner)
    return NodeAttributes(
      node: node, kind: .file, permissions: key.isReadOnly ? 0o400 : 0o600,
      size: try shown.bytes.count(in: vault.document), modified: times.modified,
      changed: times.modified, accessed: times.accessed,
      unsettled: shown.isResolved || key.hasPassingSize || unsettled[node] != nil)
  }

  private mutating func times(
    of key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> (modified: Timestamp, accessed: Timestamp) {
    let name: [UInt8]
    switch key {
    case .version(let version), .inVersion(let version, _): name = version
    default:
      let modified = try modified(key, owner)
      return (modified, Timestamp(try view(owner).accessed) ?? modified)
    }
    guard let version = try version(named: name, owner) else { throw .noEntry }
    let modified = Timestamp(version.modified) ?? started
    return (modified, Timestamp(version.accessed) ?? modified)
  }

  private func notesAttributes(
    _ node: NodeID, _ owner: UInt64
  ) throws(TreeError) -> NodeAttributes {
    guard let id = groupID(owner) else { throw .noEntry }
    let group = vault.document.group(id)
    let modified = folders[owner]?.notesChanged ?? modified(folder: owner)
    return NodeAttributes(
      node: node, kind: .file, permissions: 0o600,
      size: vault.document.values.count(of: group.notes ?? .empty), modified: modified,
      changed: modified, accessed: Timestamp(group.times.lastAccess) ?? modified,
      unsettled: unsettled[node] != nil)
  }

  private func scratchAttributes(
    _ node: NodeID, _ id: ScratchID
  ) throws(TreeError) -> NodeAttributes {
    guard let scratch = scratches[id] else { throw .noEntry }
    return NodeAttributes(
      node: node, kind: scratch.target == nil ? .file : .symbolicLink,
      permissions: scratch.target == nil ? 0o600 : 0o777,
      size: scratch.target?.count ?? scratch.file.count, linkCount: scratch.linkCount,
      modified: scratch.modified, changed: scratch.modified, accessed: scratch.modified,
      // Whoever has it open changes it for all.
      unsettled: true)
  }
}
