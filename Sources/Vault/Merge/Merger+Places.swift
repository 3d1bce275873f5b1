import KDBX

extension Merger {
  /// Moves our group to where they moved theirs, if that was later.
  mutating func mergePlace(of id: GroupID) {
    guard let ours = theirsInOurs[id], ours != vault.document.root,
      let there = theirs.document.parent(of: .group(id))
    else { return }
    var mine = vault.document.group(ours)
    let other = theirs.document.group(id)
    let wasIn = placeInBase(inBase(ours: ours).map { .group($0) })
    guard
      isMovedThere(
        .group(ours), to: there, wasIn: wasIn, mine: mine.times.locationChanged,
        theirs: other.times.locationChanged)
    else { return }
    let target = ensure(there)
    guard vault.document.canMove(.group(ours), to: target) else {
      report.notes.append(.notMoved(mine.uuid))
      return
    }
    vault.document.move(.group(ours), to: target)
    mine.times.locationChanged = other.times.locationChanged
    mine.previousParentGroup = other.previousParentGroup
    vault.document.replace(ours, with: mine)
    report.moved.insert(.group(ours))
  }

  /// Moves our entry to where they moved theirs, if that was later.
  mutating func mergePlace(of id: EntryID, _ ours: EntryID, wasIn: GroupID?) {
    guard let there = theirs.document.parent(of: .entry(id)) else { return }
    var mine = vault.document.entry(ours)
    let other = theirs.document.entry(id)
    guard
      isMovedThere(
        .entry(ours), to: there, wasIn: wasIn, mine: mine.times.locationChanged,
        theirs: other.times.locationChanged)
    else { return }
    vault.document.move(.entry(ours), to: ensure(there))
    mine.times.locationChanged = other.times.locationChanged
    mine.previousParentGroup = other.previousParentGroup
    vault.document.replace(ours, with: mine)
    report.moved.insert(.entry(ours))
  }

  /// Whether something of ours goes where they have it.
  ///
  /// `there` is the group of theirs that it is in there, `wasIn` the one of the base, nil where no
  /// base has it; the times say when it was moved on each side.
  private func isMovedThere(
    _ child: ChildID, to there: GroupID, wasIn: GroupID?, mine: VaultTime?, theirs: VaultTime?
  ) -> Bool {
    guard let here = vault.document.parent(of: child), groupPairs[there] != here else {
      return false
    }
    let isTheirsLater = (theirs ?? .earliest) > (mine ?? .earliest)
    guard let base, let wasIn else { return isTheirsLater }
    let old = place(wasIn, in: base)
    let hasMovedHere = place(here, in: vault.document) != old
    let hasMovedThere = place(there, in: self.theirs.document) != old
    return hasMovedThere && (!hasMovedHere || isTheirsLater)
  }
}
