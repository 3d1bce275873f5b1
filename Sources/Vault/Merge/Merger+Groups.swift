import KDBX

extension Merger {
  /// Merges a group of theirs with ours, or adds it where we lack it and didn't delete it.
  mutating func mergeOrAdd(_ id: GroupID) {
    guard let ours = theirsInOurs[id] else {
      if isWanted(id) { _ = ensure(id) }
      return
    }
    groupPairs[id] = ours
    mergeProperties(of: id, into: ours)
  }

  /// Our group for one of theirs, made with their properties where there is none.
  mutating func ensure(_ id: GroupID) -> GroupID {
    if let ours = groupPairs[id] { return ours }
    // The root group always has its other one.
    let parent =
      theirs.document.parent(of: .group(id)).map { ensure($0) } ?? vault.document.root
    guard vault.document.canMove(nil, to: parent) else { return parent }
    let group = adoption.adopt(theirs.document.group(id), into: &vault.document)
    let made = vault.add(group, to: parent)
    groupPairs[id] = made
    report.added.insert(.group(made))
    if deletedHere[group.uuid] != nil { keep(group.uuid) }
    return made
  }

  private mutating func mergeProperties(of id: GroupID, into ours: GroupID) {
    let mine = vault.document.group(ours)
    let other = theirs.document.group(id)
    let parts = ElementParts(other, in: theirs.document)
    let decision = decide(
      ElementParts(mine, in: vault.document), parts,
      base: inBase(ours: ours).flatMap { old in
        base.map { ElementParts($0.group(old), in: $0) }
      },
      isTheirsLater: isLater(other.times, mine.times))
    if !decision.conflicts.isEmpty {
      report.notes.append(
        .groupConflict(mine.uuid, decision.conflicts, theirsWon: decision.isTheirsLater))
    }
    guard !decision.allTaken.isEmpty else { return }
    var merged = mine
    let adopted = adoption.adopt(other, into: &vault.document)
    for part in decision.allTaken { merged.take(part, from: adopted, in: vault.document) }
    var times = merged.times
    times.stamp(
      mergedWith: other.times,
      isAsTheirs: Self.covers(ElementParts(merged, in: vault.document), parts), at: now)
    merged.times = times
    vault.document.replace(ours, with: merged)
    report.changed.insert(.group(ours))
  }
}
