import KDBX
package import Vault

// A merged vault takes the place of the tree's: what is known keeps its number, its handles and, where
// its title stays, its name.

/// A state of the vault that is to be merged with another.
package struct MergeSnapshot: Sendable {
  package let vault: Vault
  /// Which state of the tree's it is.
  let version: UInt64
}

extension TreeState {
  /// Gives the vault with all in it that has settled.
  mutating func prepareMerge() -> MergeSnapshot {
    storeNewNames(.save)
    stripRemovedFields()
    return MergeSnapshot(vault: vault, version: vaultVersion)
  }

  /// Takes `merged`, which was made of the vault that `snapshot` holds; says whether it was still the
  /// tree's.
  mutating func takeMerged(
    _ merged: Vault, _ report: MergeReport, of snapshot: MergeSnapshot, needsSave: Bool
  ) -> Bool {
    guard vaultVersion == snapshot.version else { return false }
    var shown: [UInt64: ShownNames] = [:]
    for case .entry(let id) in report.changed {
      // Untouched, its numbers would follow from the new state.
      guard let owner = entryOwners[id], (try? touch(owner)) != nil else { continue }
      shown[owner] = shownNames(of: owner)
    }
    let places = placesBefore(report)
    vault = merged
    forgetWhatWasSeen()
    for child in report.removed { forgetMerged(child) }
    for (owner, place) in places { moveMerged(owner, from: place) }
    for child in inOrder(report.added) { showNewcomer(child) }
    for case .group(let id) in report.changed { noteChangedGroup(id) }
    for (owner, names) in shown { noteChangedEntry(owner, names, report) }
    if needsSave { noteStructure() } else { savedStructure = structure }
    return true
  }

  // MARK: - Groups and places

  /// Where something stood, and under which title.
  private struct OldPlace {
    var folder: UInt64
    var name: [UInt8]
    var title: [UInt8]
  }

  /// Where what may move or change its title stands, as far as anybody has seen it.
  private mutating func placesBefore(_ report: MergeReport) -> [(UInt64, OldPlace)] {
    var places: [(UInt64, OldPlace)] = []
    for child in inOrder(report.changed.union(report.moved).union(report.removed)) {
      guard let owner = knownOwner(of: child), let parent = vault.document.parent(of: child),
        let folder = groupOwners[parent], let name = folders[folder]?.index?.name(of: owner)
      else { continue }
      let title = vault.child(for: child).name
      places.append((owner, OldPlace(folder: folder, name: name, title: title)))
    }
    return places
  }

  private func knownOwner(of child: ChildID) -> UInt64? {
    switch child {
    case .group(let id): groupOwners[id]
    case .entry(let id): entryOwners[id]
    }
  }

  /// The oldest first, so that names don't depend on chance.
  private func inOrder(_ children: Set<ChildID>) -> [ChildID] {
    let ages = children.map { id in
      let child = vault.child(for: id)
      return (id: id, created: child.created ?? .earliest, uuid: child.uuid)
    }
    return ages.sorted { ($0.created, $0.uuid) < ($1.created, $1.uuid) }.map(\.id)
  }

  /// Shows a folder or entry where it is now, under the name that its title gives; one that stays in
  /// its place with its title keeps its name.
  private mutating func moveMerged(_ owner: UInt64, from old: OldPlace) {
    guard let child = child(of: owner) else { return tellName(old.name, in: old.folder) }
    let folder = parent(of: owner)
    let title = vault.child(for: child).name
    guard folder != old.folder || title != old.title else { return }
    removeName(of: owner, inFolder: old.folder)
    tellName(old.name, in: old.folder)
    if let folder { insertNewcomer(child, inFolder: folder) }
    noteArrival(child)
  }

  private mutating func showNewcomer(_ child: ChildID) {
    guard let parent = vault.document.parent(of: child), let folder = groupOwners[parent] else {
      return
    }
    insertNewcomer(child, inFolder: folder)
  }

  /// Tells that a name in a folder went, or means another node.
  private mutating func tellName(_ name: [UInt8], in folder: UInt64) {
    let node = Slot.node(folder, Slot.own)
    events.invalidations += [.name(in: node, name), .listing(node), .attributes(node)]
  }

  /// Forgets what is gone for good; who holds it open finds nothing any more.
  private mutating func forgetMerged(_ child: ChildID) {
    arrivals.remove(child)
    if case .entry(let id) = child { newEntries.remove(id) }
    guard let owner = knownOwner(of: child) else { return }
    for (folder, node) in folders where node.index?.name(of: owner) != nil {
      removeName(of: owner, inFolder: folder)
    }
    switch child {
    case .entry(let id):
      endVacancies(of: entries.removeValue(forKey: owner))
      entryOwners[id] = nil
    case .group(let id):
      for (inner, folder) in folders where folder.parent == owner { dropUndecided(inner) }
      folders[owner] = nil
      groupOwners[id] = nil
    }
    owners[owner] = .lent
    events.invalidate(Slot.node(owner, Slot.own))
  }

  private mutating func noteChangedGroup(_ id: GroupID) {
    guard let owner = groupOwners[id] else { return }
    folders[owner]?.notesChanged = nil
    events.invalidate(Slot.node(owner, Slot.own))
    events.invalidate(Slot.node(owner, Slot.groupNotes))
  }

  // MARK: - Entries

  /// The names that an entry shows, and the nodes that they lead to.
  private struct ShownNames {
    var own: [[UInt8]: NodeID] = [:]
    var attachments: [[UInt8]: NodeID] = [:]
    var values: [ItemKey: RestingBytes] = [:]
  }

  private mutating func shownNames(of owner: UInt64) -> ShownNames {
    var names = ShownNames()
    for item in (try? listedNames(of: .entry(owner))) ?? [] { names.own[item.name] = item.node }
    for item in (try? listedNames(of: .item(owner, .attachments))) ?? [] {
      names.attachments[item.name] = item.node
    }
    for key in entries[owner]?.overlays.keys.map({ $0 }) ?? [] {
      if let value = try? storedValue(of: key, owner) { names.values[key] = value }
    }
    return names
  }

  /// An entry says something else now: its open edits start from there, and what the kernel holds of
  /// it is told.
  private mutating func noteChangedEntry(
    _ owner: UInt64, _ before: ShownNames, _ report: MergeReport
  ) {
    guard case .entry(let id) = owners[owner] else { return }
    rebase(owner, id, report.fileStates[id])
    showMerged(owner, before)
    entries[owner]?.beforeRemovals = nil
    entries[owner]?.revision += 1
    entries[owner]?.firstModified = nil
    forgetView(owner)
    showMergedCodes(owner)
    let after = shownNames(of: owner)
    let node = Slot.node(owner, Slot.own)
    events.invalidate(node)
    for item in Set(before.own.values).union(after.own.values) { events.invalidate(item) }
    tell(before.own, after.own, in: node)
    let history = historyNode(owner)
    events.invalidations += [.attributes(history), .listing(history)]
    guard let attachments = try? number(of: .attachments, owner) else { return }
    for item in Set(before.attachments.values).union(after.attachments.values) {
      events.invalidate(item)
    }
    tell(before.attachments, after.attachments, in: attachments)
  }

  private mutating func tell(
    _ before: [[UInt8]: NodeID], _ after: [[UInt8]: NodeID], in directory: NodeID
  ) {
    var hasOtherNames = false
    for name in Set(before.keys).union(after.keys) where before[name] != after[name] {
      events.invalidations.append(.name(in: directory, name))
      hasOtherNames = true
    }
    if hasOtherNames { events.invalidations.append(.listing(directory)) }
  }

  /// Gives an edited entry the state to be compared with at the next save: what the file has of it.
  private mutating func rebase(_ owner: UInt64, _ id: EntryID, _ fileState: Entry?) {
    guard let old = entries[owner]?.base, let fileState else { return }
    let merged = vault.document.entry(id)
    guard vault.isEdited(merged, from: fileState) else {
      entries[owner]?.base = nil
      entries[owner]?.hasHistoryItem = false
      return
    }
    // The merge has made the old state a version where they changed the entry, too.
    entries[owner]?.hasHistoryItem = merged.history.contains { item in
      item.times.lastModification == old.times.lastModification
        && !vault.isEdited(item, from: old)
    }
    entries[owner]?.base = fileState
  }

  /// Shows what the document has under names that were taken away or made anew here, where the merge
  /// put another value there.
  private mutating func showMerged(_ owner: UInt64, _ before: ShownNames) {
    for (key, overlay) in entries[owner]?.overlays ?? [:] {
      if key.isGenerated || entries[owner]?.vacated[key] != nil { continue }
      guard (try? isNewName(key, owner)) == false else { continue }
      let value = try? storedValue(of: key, owner)
      let wasThere = before.values[key]
      let isSame =
        if let value, let wasThere { (try? isSame(value, wasThere)) == true } else { false }
      let isFresh = overlay.fresh != nil
      if isFresh || !isSame { entries[owner]?.overlays[key] = nil }
    }
  }

  /// Shows the codes again that went with their secret, where there is one now.
  private mutating func showMergedCodes(_ owner: UInt64) {
    guard let codes = try? codes(owner) else { return }
    for (key, state) in [(ItemKey.totp, codes.time), (.hotp, codes.counter)] {
      if state == .present, case .ghost = entries[owner]?.overlays[key] {
        entries[owner]?.overlays[key] = nil
      }
    }
  }

  private func isSame(_ left: RestingBytes, _ right: RestingBytes) throws(TreeError) -> Bool {
    switch (left, right) {
    case (.text(let left), .text(let right)): vault.document.values.equal(left, right)
    case (.content(let left), .content(let right)): left == right
    default: false
    }
  }
}
