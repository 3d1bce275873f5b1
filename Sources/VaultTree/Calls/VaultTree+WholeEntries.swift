package import KDBX
package import Vault

/// Why a whole group or entry can't be changed as a command asks.
package enum WholeEntryError: Error, Hashable {
  case tree(TreeError)
  /// It lies in the recycle bin already, or is it.
  case isInBin
  /// The recycle bin lies in it, and would go for good with all that is there.
  case holdsBin
  /// It doesn't lie in the recycle bin.
  case notInBin
  /// Nothing tells where it lay, or that isn't there any more.
  case unknownOrigin
  /// Another one of that kind stands there, or nothing of it can go there.
  case cannotGo
  /// It hasn't been changed since it was saved.
  case unchanged
  /// It was never saved.
  case isNew
  /// Why what is at a path can't be changed: of several it is that one.
  indirect case at([UInt8], WholeEntryError)
}

// What commands do with whole groups and entries: each call is one change, done whole or not at all.

extension VaultTree {
  /// Runs `body`, and refuses where nothing can be changed, unless it is only `reading`.
  private func change<R: Sendable>(
    reading: Bool = false, _ body: (inout TreeState) throws(WholeEntryError) -> R
  ) throws(WholeEntryError) -> R {
    try locked { state in
      Result<R, WholeEntryError> { () throws(WholeEntryError) in
        do throws(TreeError) {
          guard state.openness.answers else { throw .locked }
          if !reading { try state.checkWritable() }
        } catch {
          throw .tree(error)
        }
        return try body(&state)
      }
    }.get()
  }

  /// Removes groups and entries with all that is in them: into the recycle bin where the vault has one
  /// turned on, for good otherwise.
  package func removeWhole(_ paths: [[UInt8]]) throws(WholeEntryError) {
    try change { (state) throws(WholeEntryError) in
      var children: [ChildID] = []
      for path in paths {
        let child = try state.child(at: path)
        guard !state.vault.isInRecycleBin(child) else { throw .at(path, .isInBin) }
        guard !state.vault.holdsRecycleBin(child) else { throw .at(path, .holdsBin) }
        // What lies in something that goes, goes with it.
        if !children.contains(child) { children.append(child) }
      }
      let tops = children.filter { child in
        !children.contains { state.holds($0, child) }
      }
      let now = TreeState.vaultTime(state.now())
      for child in tops { state.origins[child] = state.vault.document.parent(of: child) }
      try state.changeWhole { (vault, report) throws(WholeEntryError) in
        for child in tops { try vault.removeWhole(child, at: now, &report) }
      }
    }
  }

  /// Takes a group or entry out of the recycle bin: to the group at `target`, or else to where it lay.
  ///
  /// `path` may begin at the root, or in the bin. Gives the path where it is now.
  package func restore(
    _ path: [UInt8], to target: [UInt8]?
  ) throws(WholeEntryError) -> [UInt8] {
    try change { (state) throws(WholeEntryError) in
      let child = try state.binnedChild(at: path)
      var group: GroupID?
      if let target {
        group = try state.group(at: target)
      } else {
        group = state.origin(of: child)
      }
      guard let group else { throw .at(path, .unknownOrigin) }
      let now = TreeState.vaultTime(state.now())
      try state.changeWhole { (vault, report) throws(WholeEntryError) in
        do throws(VaultError) { try vault.move(child, to: group, at: now) } catch {
          throw .at(path, .cannotGo)
        }
        report.moved.insert(child)
      }
      state.origins[child] = nil
      return (try? state.path(of: state.owner(of: child))) ?? []
    }
  }

  /// Removes for good what lies in the recycle bin: at `paths`, or all of it; only what came there before
  /// `limit`, if that is given.
  ///
  /// Gives the paths of what went, or would go in a dry run.
  package func purge(
    _ paths: [[UInt8]], before limit: VaultTime?, isDryRun: Bool
  ) throws(WholeEntryError) -> [[UInt8]] {
    try change(reading: isDryRun) { (state) throws(WholeEntryError) in
      guard let bin = state.vault.recycleBin else { return [] }
      var children = state.vault.document.children(of: bin)
      if !paths.isEmpty {
        children = []
        for path in paths { children.append(try state.binnedChild(at: path)) }
      }
      let old = children.filter { child in
        guard let limit else { return true }
        return state.vault.whenMoved(child).map { $0 < limit } ?? true
      }
      let gone = old.compactMap { try? state.path(of: state.owner(of: $0)) }
      guard !isDryRun, !old.isEmpty else { return gone }
      let now = TreeState.vaultTime(state.now())
      try state.changeWhole { (vault, report) throws(WholeEntryError) in
        for child in old { try vault.removeWhole(child, at: now, &report) }
      }
      return gone
    }
  }

  /// Gives an entry the state back that it had at the last save; where it lies doesn't change.
  ///
  /// `saved` is the vault as that save left it, for edits that came with the vault: from before a lock,
  /// or out of the state folder. Without it those are not known to be edits.
  package func revert(_ path: [UInt8], saved: Document?) throws(WholeEntryError) {
    try change { (state) throws(WholeEntryError) in
      guard case .entry(let id) = try state.child(at: path) else {
        throw .at(path, .tree(.invalid))
      }
      guard !state.newEntries.contains(id) else { throw .at(path, .isNew) }
      // The entry has no state to go back to before its edits are stored.
      _ = state.prepareMerge()
      let base = state.entries[state.owner(of: .entry(id))]?.base
      try state.changeWhole { (vault, report) throws(WholeEntryError) in
        let edited = vault.document.entry(id)
        var before = base
        if before == nil, let saved {
          before = vault.state(of: edited, in: saved)
          if before == nil { throw .at(path, .isNew) }
        }
        guard let before, vault.isEdited(edited, from: before) else { throw .at(path, .unchanged) }
        vault.replace(id, with: before)
        report.changed.insert(.entry(id))
        report.fileStates[id] = before
      }
    }
  }

  /// The vault with all in it that has settled, stored or not: for a look at what waits to be saved.
  package func settledVault() throws(TreeError) -> Vault {
    try locked { (state) throws(TreeError) in
      // A copy: nothing is stored because somebody looks.
      var copy = state
      copy.storeUndecided()
      return copy.prepareMerge().vault
    }
  }
}

extension TreeState {
  /// Changes the vault in one go, and shows what came of it.
  fileprivate mutating func changeWhole(
    _ body: (inout Vault, inout MergeReport) throws(WholeEntryError) -> Void
  ) throws(WholeEntryError) {
    let snapshot = prepareMerge()
    var changed = snapshot.vault
    var report = MergeReport()
    try body(&changed, &report)
    _ = takeMerged(changed, report, of: snapshot, needsSave: true)
  }

  /// The group or entry that a path leads to; the root is none.
  fileprivate mutating func child(at path: [UInt8]) throws(WholeEntryError) -> ChildID {
    do throws(TreeError) {
      switch try find(path: path).meaning {
      case .folder(let owner), .entry(let owner), .link(let owner, _):
        guard owner != 0, let child = child(of: owner) else { throw .invalid }
        return child
      case .item, .groupNotes, .scratch, .view, .generated: throw .invalid
      case .dead: throw .noEntry
      }
    } catch {
      throw .at(path, .tree(error))
    }
  }

  /// The group at a path; the root's is empty.
  fileprivate mutating func group(at path: [UInt8]) throws(WholeEntryError) -> GroupID {
    guard !path.isEmpty else { return vault.document.root }
    guard case .group(let id) = try child(at: path) else { throw .at(path, .cannotGo) }
    return id
  }

  /// The same for something in the recycle bin, whose path may begin there.
  fileprivate mutating func binnedChild(at path: [UInt8]) throws(WholeEntryError) -> ChildID {
    guard let bin = vault.recycleBin else { throw .at(path, .notInBin) }
    if let child = try? child(at: path), vault.isInside(child, bin) { return child }
    let owner = owner(of: .group(bin))
    if let start = try? self.path(of: owner),
      let child = try? child(at: start + [UInt8(ascii: "/")] + path)
    {
      return child
    }
    _ = try child(at: path)
    throw .at(path, .notInBin)
  }

  /// The group that something in the bin lay in before; nil where that isn't known, or has gone.
  fileprivate func origin(of child: ChildID) -> GroupID? {
    if let group = origins[child], isUsable(group) { return group }
    let uuid =
      switch child {
      case .entry(let id): vault.document.entry(id).previousParentGroup
      case .group(let id): vault.document.group(id).previousParentGroup
      }
    guard let uuid, let group = vault.findGroup(uuid), isUsable(group) else { return nil }
    return group
  }

  private func isUsable(_ group: GroupID) -> Bool {
    vault.contains(.group(group)) && !vault.isInRecycleBin(.group(group))
  }

  /// Whether a group holds something else, at any depth.
  fileprivate func holds(_ outer: ChildID, _ inner: ChildID) -> Bool {
    guard case .group(let group) = outer else { return false }
    return vault.isInside(inner, group)
  }
}

extension Vault {
  /// Removes something, and notes what came of it.
  fileprivate mutating func removeWhole(
    _ child: ChildID, at now: VaultTime, _ report: inout MergeReport
  ) throws(WholeEntryError) {
    let hadBin = recycleBin != nil
    var all = [child]
    if case .group(let group) = child { all += descendants(of: group) }
    do throws(VaultError) {
      switch try remove(child, at: now) {
      case .recycled(let bin):
        if !hadBin { report.added.insert(.group(bin)) }
        report.moved.insert(child)
      case .deleted: report.removed.formUnion(all)
      }
    } catch {
      throw .tree(.notPermitted)
    }
  }

  /// When something came to its place.
  fileprivate func whenMoved(_ child: ChildID) -> VaultTime? {
    let times =
      switch child {
      case .entry(let id): document.entry(id).times
      case .group(let id): document.group(id).times
      }
    return times.locationChanged ?? times.lastModification
  }
}

extension Vault {
  /// The state that an entry has in an earlier document of the same vault, brought over into this one;
  /// nil where it isn't in there.
  fileprivate mutating func state(of entry: Entry, in earlier: Document) -> Entry? {
    guard let id = Vault(earlier).findEntry(entry.uuid) else { return nil }
    return adopt(earlier.entry(id), from: earlier)
  }
}
