import KDBX
import Vault

// `unlink` and `rmdir`: what goes to the recycle bin goes there as it was.

extension TreeState {
  /// Removes a file.
  mutating func remove(
    _ name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) {
    try checkWritable()
    guard let found = try find(name, in: directory) else {
      return try removeGhost(name, in: directory)
    }
    switch found.meaning {
    case .folder, .entry: throw .isDirectory
    case .view, .link, .generated: throw .readOnlyFile
    case .dead: throw .noEntry
    case .groupNotes(let owner): try removeNotes(owner)
    case .scratch:
      guard let directory = FileDirectory(directory) else { throw .noEntry }
      try removeScratchName(name, in: directory)
    case .item(let owner, let key):
      guard !key.isDirectory else { throw .isDirectory }
      guard !key.isReadOnly else { return try refuseUnlessListed() }
      if isProtectedArrival(.entry(try entryID(owner))) { throw .notPermitted }
      if isReachableGhost(key, owner) { return try removeGhost(name, in: directory) }
      // A code goes with its secret, not by itself.
      if key.isCode, entries[owner]?.overlays[key]?.fresh == nil {
        return try removeCode(key, owner)
      }
      try removeItem(key, owner)
    }
  }

  /// Refuses to remove what is made from an entry, unless `rm -r` meets it in the listing: there it stays,
  /// in silence, so that the entry goes as a whole and isn't left with nothing but that.
  private func refuseUnlessListed() throws(TreeError) {
    guard options.showsHidden else { throw .readOnlyFile }
  }

  /// How long a code makes way, and how soon someone must insist, in nanoseconds.
  private static let codeDelay: Int64 = 1_000_000_000

  /// Answers the removal of a code, which goes with its secret and not by itself.
  ///
  /// Who asks again at once wants to make the file anew (`tar x` tries for ever): it makes way for a
  /// moment.
  private mutating func removeCode(_ key: ItemKey, _ owner: UInt64) throws(TreeError) {
    try touch(owner)
    let now = options.monotonic()
    if let last = entries[owner]?.codeRemovals[key], now - last < Self.codeDelay {
      entries[owner]?.overlays[key] = .absent
      try retireNumber(of: key, owner)
    }
    entries[owner]?.codeRemovals[key] = now
  }

  /// Shows the codes again that made way, where that was long enough ago, or at once.
  mutating func showCodes(_ owner: UInt64, atOnce: Bool = false) {
    guard let removals = entries[owner]?.codeRemovals, !removals.isEmpty else { return }
    for (key, time) in removals where atOnce || options.monotonic() - time >= Self.codeDelay {
      entries[owner]?.codeRemovals[key] = nil
      if case .absent = entries[owner]?.overlays[key] { entries[owner]?.overlays[key] = nil }
    }
  }

  /// Answers the removal of what has gone with another already.
  private mutating func removeGhost(
    _ name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) {
    guard case .entry(let owner) = directory, let key = try itemKey(named: name, owner),
      case .ghost = entries[owner]?.overlays[key]
    else { throw .noEntry }
    entries[owner]?.overlays[key] = nil
    try retireNumber(of: key, owner)
  }

  private mutating func removeNotes(_ owner: UInt64) throws(TreeError) {
    guard let group = groupID(owner), let notes = vault.document.group(group).notes else { return }
    let time = now()
    if folders[owner]?.removedNotes == nil { folders[owner]?.removedNotes = notes }
    vault.edit(group, at: Self.vaultTime(time)) { $0.notes = .empty }
    folders[owner]?.notesChanged = time
    noteStructure()
    events.invalidate(Slot.node(owner, Slot.groupNotes))
  }

  /// Removes an empty directory; a group or entry goes to the recycle bin as it was before it was
  /// emptied.
  mutating func removeDirectory(
    _ name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) {
    try checkWritable()
    guard let found = try find(name, in: directory) else {
      return try removeGhost(name, in: directory)
    }
    switch found.meaning {
    case .folder(let owner):
      if let group = groupID(owner), isProtectedArrival(.group(group)) { throw .notPermitted }
      try checkBinHoldsNoArrivals(owner)
      guard try isEmpty(found.meaning) else { throw .notEmpty }
      if let group = groupID(owner) { try removeGroup(group, owner) } else { dropUndecided(owner) }
    case .entry(let owner):
      let id = try entryID(owner)
      if isProtectedArrival(.entry(id)) { throw .notPermitted }
      guard try isEmpty(found.meaning) else { throw .notEmpty }
      try removeEntry(id, owner)
    case .item(let owner, .attachments):
      guard try isEmpty(found.meaning) else { throw .notEmpty }
      try touch(owner)
      entries[owner]?.hasMadeAttachments = false
      entries[owner]?.overlays[.attachments] = nil
      try retireNumber(of: .attachments, owner)
    case .item(_, let key):
      guard key.isDirectory else { throw .notDirectory }
      try refuseUnlessListed()
    case .view, .link, .generated: throw .readOnlyFile
    case .scratch, .groupNotes: throw .notDirectory
    case .dead: throw .noEntry
    }
  }

  /// The bin stays while it holds what came into it in this mount.
  private func checkBinHoldsNoArrivals(_ owner: UInt64) throws(TreeError) {
    guard !options.allowsPurge, let group = groupID(owner), group == vault.recycleBin,
      vault.document.children(of: group).contains(where: { arrivals.contains($0) })
    else { return }
    throw .notPermitted
  }

  mutating func dropUndecided(_ owner: UInt64) {
    if let parent = folders[owner]?.parent { removeName(of: owner, inFolder: parent) }
    folders[owner] = nil
    owners[owner] = .lent
  }

  private mutating func removeEntry(_ id: EntryID, _ owner: UInt64) throws(TreeError) {
    guard let parent = parent(of: owner) else { throw .noEntry }
    var base = entries[owner]?.base
    var hasHistoryItem = entries[owner]?.hasHistoryItem == true
    if let full = entries[owner]?.beforeRemovals {
      vault.replace(id, with: full.entry)
      base = full.base
      hasHistoryItem = full.hasHistoryItem
    } else if entries[owner]?.stripped.isEmpty == false {
      // What was moved elsewhere leaves no empty field behind.
      vault.replace(id, with: try materialized(owner))
    }
    let before = vault.document.entry(id)
    let removal = try recycle(.entry(id))
    removeName(of: owner, inFolder: parent)
    let old = entries.removeValue(forKey: owner)
    endVacancies(of: old)
    entryOwners[id] = nil
    owners[owner] = .lent
    forgetView(owner)
    guard case .recycled(let bin) = removal else { return forget(.entry(id)) }
    if let old { try carryOver(old, base: base, hasHistoryItem, to: id) }
    folders[parent]?.removed.append(
      RemovedChild(id: .entry(id), bin: bin, before: .entry(before)))
    try showInBin(.entry(id), bin)
  }

  /// Keeps what the next history item is made of.
  private mutating func carryOver(
    _ old: EntryNode, base: Entry?, _ hasHistoryItem: Bool, to id: EntryID
  ) throws(TreeError) {
    let owner = owner(of: .entry(id))
    try touch(owner)
    entries[owner]?.base = base
    entries[owner]?.hasHistoryItem = hasHistoryItem
    entries[owner]?.lastHistoryItem = old.lastHistoryItem
    entries[owner]?.wasAskedFor = old.wasAskedFor
    entries[owner]?.protections = old.protections
    entries[owner]?.revision = old.revision + 1
  }

  /// Temporary files that hold a value of an entry that is gone hold it for themselves.
  mutating func endVacancies(of entry: EntryNode?) {
    for id in entry?.vacated.values ?? [:].values { scratches[id]?.vacates = nil }
  }

  private mutating func removeGroup(_ id: GroupID, _ owner: UInt64) throws(TreeError) {
    guard let parent = parent(of: owner) else { throw .noEntry }
    if let notes = folders[owner]?.removedNotes {
      vault.edit(id, at: Self.vaultTime(now())) { $0.notes = notes }
    }
    let before = vault.document.group(id)
    let removed = folders[owner]?.removed ?? []
    let removal = try recycle(.group(id))
    removeName(of: owner, inFolder: parent)
    folders[owner] = nil
    groupOwners[id] = nil
    owners[owner] = .lent
    guard case .recycled(let bin) = removal else { return forget(.group(id)) }
    for child in removed where child.bin == bin { bringBack(child, to: id) }
    folders[parent]?.removed.append(
      RemovedChild(id: .group(id), bin: bin, before: .group(before)))
    try showInBin(.group(id), bin)
  }

  /// Moves something into the bin, or removes it for good where that is due.
  private mutating func recycle(_ child: ChildID) throws(TreeError) -> Removal {
    // Those who are there keep their names: the newcomer takes the suffix.
    if let bin = vault.recycleBin {
      makeIndex(owner(of: .group(bin)))
    } else {
      makeIndex(0)
    }
    noteStructure()
    origins[child] = vault.document.parent(of: child)
    do throws(VaultError) {
      return try vault.remove(child, at: Self.vaultTime(now()))
    } catch {
      throw .noEntry
    }
  }

  /// Shows in the bin what came into it, and the bin itself if it has just been made.
  private mutating func showInBin(_ child: ChildID, _ bin: GroupID) throws(TreeError) {
    arrivals.insert(child)
    let root: UInt64 = 0
    let owner = owner(of: .group(bin))
    if parent(of: owner) == root, folders[root]?.index != nil,
      folders[root]?.index?.name(of: owner) == nil
    {
      insertNewcomer(.group(bin), inFolder: root)
    }
    insertNewcomer(child, inFolder: owner)
    events.invalidations.append(.listing(Slot.node(owner, Slot.own)))
  }

  /// Puts what was removed from a group, on the way to removing it, back into it.
  private mutating func bringBack(_ child: RemovedChild, to group: GroupID) {
    guard vault.document.parent(of: child.id) == child.bin else { return }
    do throws(VaultError) {
      try vault.move(child.id, to: group, at: Self.vaultTime(now()))
    } catch {
      return
    }
    arrivals.remove(child.id)
    let owner = owner(of: child.id)
    removeName(of: owner, inFolder: self.owner(of: .group(child.bin)))
    switch (child.id, child.before) {
    case (.entry(let id), .entry(let before)):
      // A save may have given it an old version meanwhile.
      var entry = vault.document.entry(id)
      entry.times.locationChanged = before.times.locationChanged
      entry.previousParentGroup = before.previousParentGroup
      vault.replace(id, with: entry)
      forgetView(owner)
    case (.group(let id), .group(let before)):
      vault.changeDocument { $0.replace(id, with: before) }
    default: break
    }
  }

  /// Forgets what is gone for good.
  private mutating func forget(_ child: ChildID) {
    arrivals.remove(child)
    if case .entry(let id) = child { newEntries.remove(id) }
  }
}
