import KDBX

extension Merger {
  static func deletions(in document: Document) -> [VaultUUID: VaultTime] {
    var latest: [VaultUUID: VaultTime] = [:]
    for record in document.deletedObjects {
      let time = record.deletionTime ?? .earliest
      latest[record.uuid] = max(latest[record.uuid] ?? .earliest, time)
    }
    return latest
  }

  /// Whether something on one side, which the other side deleted, was changed since: then it stays.
  ///
  /// With a base, that is whether it says something else there, or went to a place outside of the
  /// recycle bin; without one, or where the base lacks it, whether it bears a time as late as the
  /// deletion. `old` is what it was in the base.
  private func isChanged(
    _ parts: ElementParts, _ times: Times, from old: ElementParts?, hasMoved: Bool,
    isInBin: Bool, deleted: VaultTime
  ) -> Bool {
    if let old { return !parts.isSame(as: old) || (hasMoved && !isInBin) }
    let moved = isInBin ? nil : times.locationChanged
    return max(times.lastModification ?? .earliest, moved ?? .earliest) >= deleted
  }

  /// Whether something lies elsewhere than in the base.
  private func hasMoved(_ child: ChildID, in document: Document, from old: ChildID?) -> Bool {
    guard let base, let was = placeInBase(old), let parent = document.parent(of: child) else {
      return false
    }
    return place(parent, in: document) != place(was, in: base)
  }

  // MARK: - What they deleted

  // What is kept counts as changed now: their record may come again, in a file that a program wrote
  // which didn't look at ours, and must not take it then.

  /// Removes an entry that they deleted, unless it was changed here.
  mutating func removeIfDeleted(_ id: EntryID) {
    let entry = vault.document.entry(id)
    guard let deleted = deletedThere[entry.uuid] else { return }
    let old = inBase(ours: id)
    let before = old.flatMap { old in base.map { ElementParts($0.entry(old), in: $0) } }
    let isNewer = (entry.times.lastModification ?? .earliest) >= deleted
    guard
      isNewer
        || isChanged(
          ElementParts(entry, in: vault.document), entry.times, from: before,
          hasMoved: hasMoved(.entry(id), in: vault.document, from: old.map { .entry($0) }),
          isInBin: vault.isInRecycleBin(.entry(id)), deleted: deleted)
    else {
      return remove(.entry(id), entry.uuid)
    }
    keep(entry.uuid)
    guard !isNewer else { return }
    var kept = entry
    kept.times.lastModification = max(now, deleted)
    vault.document.replace(id, with: kept)
    report.changed.insert(.entry(id))
  }

  /// Removes a group that they deleted, unless something is in it or it was changed here.
  mutating func removeIfDeleted(_ id: GroupID) {
    let group = vault.document.group(id)
    guard id != vault.document.root, let deleted = deletedThere[group.uuid] else { return }
    let old = inBase(ours: id)
    let before = old.flatMap { old in base.map { ElementParts($0.group(old), in: $0) } }
    let isNewer = (group.times.lastModification ?? .earliest) >= deleted
    guard
      isNewer || !vault.document.children(of: id).isEmpty
        || isChanged(
          ElementParts(group, in: vault.document), group.times, from: before,
          hasMoved: hasMoved(.group(id), in: vault.document, from: old.map { .group($0) }),
          isInBin: vault.isInRecycleBin(.group(id)), deleted: deleted)
    else {
      return remove(.group(id), group.uuid)
    }
    keep(group.uuid)
    guard !isNewer else { return }
    var kept = group
    kept.times.lastModification = max(now, deleted)
    vault.document.replace(id, with: kept)
    report.changed.insert(.group(id))
  }

  private mutating func remove(_ child: ChildID, _ uuid: VaultUUID) {
    vault.document.remove(child)
    vault.changeIndex { $0.remove(child, uuid) }
    if case .entry(let id) = child { vault.firstStates[id] = nil }
    report.removed.insert(child)
  }

  // MARK: - What we deleted

  /// Whether an entry that only they have is to be added.
  func isWanted(_ id: EntryID) -> Bool {
    let entry = theirs.document.entry(id)
    guard let deleted = deletedHere[entry.uuid] else { return true }
    let old = inBase(theirs: id)
    return isChanged(
      ElementParts(entry, in: theirs.document), entry.times,
      from: old.flatMap { old in base.map { ElementParts($0.entry(old), in: $0) } },
      hasMoved: hasMoved(.entry(id), in: theirs.document, from: old.map { .entry($0) }),
      isInBin: theirs.isInRecycleBin(.entry(id)), deleted: deleted)
  }

  /// Whether a group that only they have is to be added for its own sake.
  func isWanted(_ id: GroupID) -> Bool {
    let group = theirs.document.group(id)
    guard let deleted = deletedHere[group.uuid] else { return true }
    let old = inBase(theirs: id)
    return isChanged(
      ElementParts(group, in: theirs.document), group.times,
      from: old.flatMap { old in base.map { ElementParts($0.group(old), in: $0) } },
      hasMoved: hasMoved(.group(id), in: theirs.document, from: old.map { .group($0) }),
      isInBin: theirs.isInRecycleBin(.group(id)), deleted: deleted)
  }

  mutating func keep(_ uuid: VaultUUID) {
    guard resurrected.insert(uuid).inserted else { return }
    report.notes.append(.keptThoughRemoved(uuid))
  }

  // MARK: - The list

  /// Makes one list of what was deleted, with the latest times, without what is kept or there.
  mutating func mergeDeletedObjects() {
    for uuid in resurrected where deletedHere[uuid] != nil {
      vault.document.removeDeletedObject(uuid)
      report.hasChangedVault = true
    }
    let live = UUIDIndex(of: vault.document)
    for (uuid, time) in deletedThere.sorted(by: { $0.key < $1.key }) where live.count(of: uuid) == 0
    {
      if let known = deletedHere[uuid] {
        guard time > known else { continue }
        vault.document.removeDeletedObject(uuid)
      }
      vault.document.addDeletedObject(uuid, at: time)
      report.hasChangedVault = true
    }
  }
}
