package import KDBX

extension Vault {
  /// What a directory needs of a group or an entry in it.
  package struct Child: Hashable, Sendable {
    package let id: ChildID
    /// Zero where the file has none.
    package let uuid: VaultUUID
    /// The title or the group's name, byte for byte.
    package let name: [UInt8]
    package let created: VaultTime?

    package init(id: ChildID, uuid: VaultUUID, name: [UInt8], created: VaultTime?) {
      self.id = id
      self.uuid = uuid
      self.name = name
      self.created = created
    }
  }

  /// The groups and entries in a group, in file order, with what names them.
  ///
  /// Costs as much as there are children: nothing else is parsed.
  package func children(of group: GroupID) -> [Child] {
    document.children(of: group).map { child(for: $0) }
  }

  /// What names one group or entry.
  package func child(for id: ChildID) -> Child {
    let summary = document.summary(of: id)
    return Child(id: id, uuid: summary.uuid, name: summary.name, created: summary.created)
  }

  /// The group with this UUID; of several the first in the document.
  package func findGroup(_ uuid: VaultUUID) -> GroupID? {
    withIndex { $0.groups[uuid]?.first }
  }

  /// The entry with this UUID; of several the first in the document.
  package func findEntry(_ uuid: VaultUUID) -> EntryID? {
    withIndex { $0.entries[uuid]?.first }
  }

  /// Whether it is in the tree: not removed, nor in something removed.
  package func contains(_ child: ChildID) -> Bool {
    document.contains(child)
  }

  /// Whether `child` lies somewhere in `group`, at any depth; a group doesn't lie in itself.
  package func isInside(_ child: ChildID, _ group: GroupID) -> Bool {
    var next = document.parent(of: child)
    while let parent = next {
      if parent == group { return true }
      next = document.parent(of: .group(parent))
    }
    return false
  }

  /// All that lies in a group, at any depth: what holds something before what it holds.
  package func descendants(of group: GroupID) -> [ChildID] {
    var found: [ChildID] = []
    var rest = Array(document.children(of: group).reversed())
    while let child = rest.popLast() {
      found.append(child)
      guard case .group(let id) = child else { continue }
      rest.append(contentsOf: document.children(of: id).reversed())
    }
    return found
  }

  // MARK: - The recycle bin

  /// The recycle bin, if the vault uses one and has it.
  ///
  /// A bin that is the root counts as none (`docs/kdbx.md` 6.3).
  package var recycleBin: GroupID? {
    let meta = document.meta
    guard meta.recycleBinEnabled else { return nil }
    return binNamedInMeta(meta)
  }

  /// Whether something lies in the recycle bin, or is it.
  package func isInRecycleBin(_ child: ChildID) -> Bool {
    guard let bin = recycleBin else { return false }
    return child == .group(bin) || isInside(child, bin)
  }

  /// The group that Meta names as the bin, also where the bin is turned off.
  func binNamedInMeta(_ meta: Meta) -> GroupID? {
    let uuid = meta.recycleBinUUID
    guard !uuid.isZero, let group = findGroup(uuid), group != document.root else { return nil }
    return group
  }
}
