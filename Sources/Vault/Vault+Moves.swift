package import KDBX

/// What became of something that was removed.
package enum Removal: Hashable, Sendable {
  /// It lies in the recycle bin now.
  case recycled(into: GroupID)
  /// It is gone, and noted in DeletedObjects.
  case deleted
}

extension Vault {
  /// The name of a recycle bin that we make.
  package static let recycleBinName = Array("Recycle Bin".utf8)
  /// The trash can among the standard icons.
  private static let recycleBinIcon = 43

  /// Moves a group or an entry with all that is in it.
  ///
  /// LocationChanged becomes `now`; in a file of 4.1 or later PreviousParentGroup names the group
  /// that it comes from. Nothing else changes, no history item is made. A move to where it is
  /// already changes nothing.
  package mutating func move(
    _ child: ChildID, to group: GroupID, at now: VaultTime
  ) throws(VaultError) {
    guard child != .group(document.root) else { throw .isRoot }
    guard let old = document.parent(of: child), contains(.group(group)) else { throw .notInVault }
    guard old != group else { return }
    guard child != .group(group) else { throw .intoItself }
    if case .group(let moved) = child, isInside(.group(group), moved) { throw .intoItself }
    guard document.canMove(child, to: group) else { throw .tooDeep }
    document.move(child, to: group)
    let origin = document.version >= .kdbx41 ? document.group(old).uuid : nil
    switch child {
    case .group(let id):
      var moved = document.group(id)
      moved.times.locationChanged = now
      if let origin { moved.previousParentGroup = origin }
      document.replace(id, with: moved)
    case .entry(let id):
      var moved = document.entry(id)
      moved.times.locationChanged = now
      if let origin { moved.previousParentGroup = origin }
      document.replace(id, with: moved)
    }
  }

  /// Removes a group or an entry with all that is in it: into the recycle bin where the vault has
  /// one turned on, for good otherwise.
  ///
  /// A missing bin is made. What lies in the bin, the bin itself and what holds it go for good.
  package mutating func remove(
    _ child: ChildID, at now: VaultTime
  ) throws(VaultError) -> Removal {
    guard child != .group(document.root) else { throw .isRoot }
    guard document.parent(of: child) != nil else { throw .notInVault }
    guard document.meta.recycleBinEnabled, !isInRecycleBin(child), !holdsRecycleBin(child) else {
      try delete(child, at: now)
      return .deleted
    }
    let bin = recycleBin ?? makeRecycleBin(at: now)
    try move(child, to: bin, at: now)
    return .recycled(into: bin)
  }

  /// Removes a group or an entry with all that is in it for good, past the recycle bin.
  ///
  /// Each of them is noted in DeletedObjects, but for one whose UUID another one has that stays (a
  /// fault in the file): other programs would delete that one. Removing the bin makes Meta name
  /// none.
  package mutating func delete(_ child: ChildID, at now: VaultTime) throws(VaultError) {
    guard child != .group(document.root) else { throw .isRoot }
    guard document.parent(of: child) != nil else { throw .notInVault }
    var meta = document.meta
    let bin = binNamedInMeta(meta)
    let removed = removedByDeleting(child)
    document.remove(child)
    changeIndex { index in
      for (id, uuid) in removed { index.remove(id, uuid) }
    }
    for (id, uuid) in removed {
      if case .entry(let entry) = id { firstStates[entry] = nil }
      guard !uuid.isZero, withIndex({ $0.count(of: uuid) }) == 0 else { continue }
      document.addDeletedObject(uuid, at: now)
    }
    guard let bin, removed.contains(where: { $0.0 == .group(bin) }) else { return }
    meta.recycleBinUUID = .zero
    meta.recycleBinChanged = now
    document.meta = meta
  }

  private func removedByDeleting(_ child: ChildID) -> [(ChildID, VaultUUID)] {
    var ids = [child]
    if case .group(let group) = child { ids += descendants(of: group) }
    return ids.map { ($0, document.summary(of: $0).uuid) }
  }

  /// Whether the recycle bin lies in it, at any depth.
  package func holdsRecycleBin(_ child: ChildID) -> Bool {
    guard case .group(let group) = child, let bin = recycleBin else { return false }
    return isInside(.group(bin), group)
  }

  /// Makes a recycle bin below the root, as KeePass does, and has Meta name it.
  private mutating func makeRecycleBin(at now: VaultTime) -> GroupID {
    var group = Group(
      uuid: .random(), name: Self.recycleBinName, version: document.version, at: now)
    group.iconID = Self.recycleBinIcon
    group.enableAutoType = false
    group.enableSearching = false
    group.isExpanded = false
    let id = add(group, to: document.root)
    var meta = document.meta
    meta.recycleBinUUID = group.uuid
    meta.recycleBinChanged = now
    document.meta = meta
    return id
  }
}
