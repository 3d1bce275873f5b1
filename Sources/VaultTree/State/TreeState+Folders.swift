import KDBX
import Vault

// Groups' directories: the names in them, and who lies where.

extension TreeState {
  /// The group of a folder; nil while it is undecided.
  func groupID(_ owner: UInt64) -> GroupID? {
    if case .group(let id) = owners[owner] { id } else { nil }
  }

  func place(of owner: UInt64) -> NamePlace { owner == 0 ? .top : .group }

  /// Reads the names in a folder, if no one has looked yet.
  mutating func makeIndex(_ owner: UInt64) {
    guard folders[owner]?.index == nil else { return }
    var names: [(name: [UInt8], owner: UInt64)] = []
    if let group = groupID(owner) {
      let children = vault.children(of: group)
      let shown = SiblingNames.names(for: children, in: place(of: owner))
      names.reserveCapacity(children.count)
      for (child, name) in zip(children, shown) { names.append((name, self.owner(of: child.id))) }
    }
    folders[owner, default: FolderNode()].index = NameIndex(names)
  }

  /// What a name in a folder leads to.
  mutating func owner(of name: [UInt8], inFolder owner: UInt64) -> UInt64? {
    makeIndex(owner)
    return folders[owner]?.index?.owner(of: name)
  }

  /// The folder that a folder or entry lies in, by owner number; nil for the root.
  mutating func parent(of owner: UInt64) -> UInt64? {
    if case .undecided = owners[owner] { return folders[owner]?.parent }
    guard let child = child(of: owner), let parent = vault.document.parent(of: child) else {
      return nil
    }
    return self.owner(of: .group(parent))
  }

  /// The name of a folder or entry in its folder.
  mutating func name(of owner: UInt64) -> [UInt8]? {
    guard let parent = parent(of: owner) else { return nil }
    makeIndex(parent)
    return folders[parent]?.index?.name(of: owner)
  }

  /// Whether a folder lies in another, at any depth, or is it.
  mutating func isInside(_ owner: UInt64, _ folder: UInt64) -> Bool {
    var next: UInt64? = owner
    while let current = next {
      if current == folder { return true }
      next = parent(of: current)
    }
    return false
  }

  /// Adds a name to a folder whose index is made.
  mutating func insertName(_ name: [UInt8], _ owner: UInt64, inFolder folder: UInt64) {
    folders[folder]?.index?.insert(name, owner)
  }

  mutating func removeName(of owner: UInt64, inFolder folder: UInt64) {
    folders[folder]?.index?.remove(owner)
  }

  /// Shows something in a folder that it got by another way than a name given by the user.
  mutating func insertNewcomer(_ child: ChildID, inFolder folder: UInt64) {
    guard let index = folders[folder]?.index else { return }
    let owner = owner(of: child)
    let name = SiblingNames.name(for: vault.child(for: child), in: place(of: folder)) {
      index.owner(of: $0) != nil
    }
    insertName(name, owner, inFolder: folder)
    let node = Slot.node(folder, Slot.own)
    events.invalidations += [.listing(node), .attributes(node), .name(in: node, name)]
  }

  /// The time of a folder: the group's LastModificationTime, or when it was made.
  func modified(folder owner: UInt64) -> Timestamp {
    guard let group = groupID(owner) else { return folders[owner]?.made ?? started }
    return Timestamp(vault.document.group(group).times.lastModification) ?? started
  }
}
