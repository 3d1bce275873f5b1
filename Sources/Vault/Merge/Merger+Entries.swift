import KDBX

extension Merger {
  /// Merges an entry of theirs with ours, or adds it where we lack it and didn't delete it.
  mutating func mergeOrAdd(_ id: EntryID) {
    if let ours = theirsInOurs[id] {
      merge(id, into: ours)
    } else {
      addIfWanted(id)
    }
  }

  private mutating func addIfWanted(_ id: EntryID) {
    guard isWanted(id) else { return }
    let entry = theirs.document.entry(id)
    if deletedHere[entry.uuid] != nil { keep(entry.uuid) }
    let parent =
      theirs.document.parent(of: .entry(id)).map { ensure($0) } ?? vault.document.root
    let adopted = adoption.adopt(entry, into: &vault.document)
    report.added.insert(.entry(vault.add(adopted, to: parent)))
    noteFuture(entry)
  }

  private mutating func noteFuture(_ entry: Entry) {
    if let time = entry.times.lastModification, time > now {
      report.notes.append(.changedInFuture(entry.uuid))
    }
  }

  private mutating func merge(_ id: EntryID, into ours: EntryID) {
    let old = inBase(ours: ours)
    var merge = EntryMerge(
      ours: vault.document.entry(ours), theirs: theirs.document.entry(id),
      base: old.flatMap { base?.entry($0) })
    let hasContent = mergeContent(&merge)
    let hasHistory = mergeHistory(&merge, ours)
    if hasContent || hasHistory {
      vault.replace(ours, with: merge.merged)
      report.changed.insert(.entry(ours))
      report.fileStates[ours] = fileState(&merge)
    }
    if hasContent { noteFuture(merge.theirs) }
    mergePlace(of: id, ours, wasIn: placeInBase(old.map { .entry($0) }))
  }

  // MARK: - Contents

  /// Takes the parts that theirs decides; says whether ours changes.
  private mutating func mergeContent(_ merge: inout EntryMerge) -> Bool {
    let mine = ElementParts(merge.ours, in: vault.document)
    let other = ElementParts(merge.theirs, in: theirs.document)
    let flags = merge.changedProtection
    guard !mine.isSame(as: other) || !flags.isEmpty else { return false }
    let old = merge.base.flatMap { entry in base.map { ElementParts(entry, in: $0) } }
    let decision = decide(
      mine, other, base: old, isTheirsLater: isLater(merge.theirs.times, merge.ours.times))
    noteLosers(&merge, mine, other, old, decision)
    guard !decision.allTaken.isEmpty || !flags.isEmpty else { return false }
    let adopted = adopted(&merge)
    for part in decision.allTaken { merge.merged.take(part, from: adopted, in: vault.document) }
    for key in flags {
      guard let field = merge.merged.string(key) else { continue }
      merge.merged.set(key, to: field.value, isProtected: !field.isProtected)
    }
    var times = merge.merged.times
    times.stamp(
      mergedWith: merge.theirs.times,
      isAsTheirs: Self.covers(ElementParts(merge.merged, in: vault.document), other), at: now)
    merge.merged.times = times
    return true
  }

  /// Notes which states lose, and so go into the history.
  private mutating func noteLosers(
    _ merge: inout EntryMerge, _ mine: ElementParts, _ other: ElementParts, _ old: ElementParts?,
    _ decision: MergeDecision
  ) {
    if let old {
      // An older copy that was brought back lacks the state that we have read or saved.
      if !Self.agree(other, old) { merge.losers.append(.base) }
      guard !decision.conflicts.isEmpty else { return }
      report.notes.append(
        .conflict(merge.ours.uuid, decision.conflicts, theirsWon: decision.isTheirsLater))
      merge.losers.append(decision.isTheirsLater ? .ours : .theirs)
      return
    }
    guard !Self.agree(mine, other) else { return }
    merge.losers.append(decision.isTheirsLater ? .ours : .theirs)
    let isTie = merge.ours.times.lastModification == merge.theirs.times.lastModification
    guard isTie,
      !isKnown(
        merge.theirs, in: theirs.document, among: merge.ours.history, orBefore: true)
    else { return }
    let differing = mine.parts(with: other).filter { !mine.isSame($0, as: other) }
    report.notes.append(.conflict(merge.ours.uuid, differing, theirsWon: false))
  }

  /// Theirs with the merged history.
  private mutating func fileState(_ merge: inout EntryMerge) -> Entry {
    let parts = ElementParts(merge.theirs, in: theirs.document)
    if ElementParts(merge.merged, in: vault.document).isSame(as: parts) { return merge.merged }
    var state = adopted(&merge).withoutHistory
    for item in merge.merged.history { state.appendHistory(item) }
    return state
  }

  /// Their entry, brought over once.
  private mutating func adopted(_ merge: inout EntryMerge) -> Entry {
    if let adopted = merge.adopted { return adopted }
    let adopted = adoption.adopt(merge.theirs, into: &vault.document)
    merge.adopted = adopted
    return adopted
  }
}
