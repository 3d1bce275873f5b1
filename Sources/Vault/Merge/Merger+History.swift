import KDBX

extension Merger {
  /// Adds to the merged entry's history the states that lost, and what theirs has more; says whether
  /// there was any.
  ///
  /// Items are one when they have one time and say the same. The history is sorted by time when
  /// something is added, and then trimmed by the vault's limits; the states that lost go last.
  mutating func mergeHistory(_ merge: inout EntryMerge, _ id: EntryID) -> Bool {
    // The full state of the base before what another program made of it.
    var known = merge.ours.history + [merge.merged]
    let start = known.count
    var losers: [Entry] = []
    for loser in merge.losers {
      guard let state = state(of: loser, merge, among: known) else { continue }
      losers.append(state)
      known.append(state)
    }
    let before = merge.base?.history ?? []
    for item in merge.theirs.history where !isKnown(item, in: theirs.document, among: known) {
      // What the base has, too, was taken away here.
      if let base, isKnown(item, in: theirs.document, among: before, of: base) { continue }
      var adopted = adoption.adopt(item, into: &vault.document).withoutHistory
      // What lies in the history of theirs is an old version of ours, whatever it says itself.
      adopted.uuid = merge.merged.uuid
      known.append(adopted)
    }
    guard known.count > start else { return false }
    known.remove(at: start - 1)
    let order = known.indices.sorted { left, right in
      let times = (known[left].times.lastModification, known[right].times.lastModification)
      return (times.0 ?? .earliest, left) < (times.1 ?? .earliest, right)
    }
    var merged = merge.merged
    merged.removeHistory(at: Array(merged.history.indices))
    for i in order { merged.appendHistory(known[i]) }
    let dropped = Set(vault.trim(&merged, id, sparing: losers))
    let kept = order.indices.filter { !dropped.contains($0) }.map { order[$0] }
    // What the limits take away at once takes nothing else along.
    guard kept.contains(where: { $0 >= start - 1 }) else { return false }
    merge.merged = merged
    return true
  }

  /// A state that lost, as an old version; nil where it is among `known`.
  private mutating func state(
    of loser: EntryMerge.Loser, _ merge: EntryMerge, among known: [Entry]
  ) -> Entry? {
    var state: Entry
    switch loser {
    case .ours:
      guard !isKnown(merge.ours, in: vault.document, among: known) else { return nil }
      state = merge.ours.withoutHistory
    case .theirs:
      guard !isKnown(merge.theirs, in: theirs.document, among: known, orBefore: true) else {
        return nil
      }
      state = adoption.adopt(merge.theirs.withoutHistory, into: &vault.document)
    case .base:
      guard let base, let old = merge.base, !isKnown(old, in: base, among: known) else {
        return nil
      }
      if base.values === vault.document.values {
        state = old.withoutHistory
      } else {
        var adoption = Adoption(from: base)
        state = adoption.adopt(old.withoutHistory, into: &vault.document)
      }
    }
    // KeePass and KeePassXC tell states by their time.
    if let time = state.times.lastModification, time == merge.merged.times.lastModification,
      time > .earliest
    {
      state.times.lastModification = VaultTime(unixSeconds: time.unixSeconds - 1)
    }
    state.uuid = merge.merged.uuid
    return state
  }

  /// Whether a state is among others, ours if not of another document: with the same time, and saying
  /// the same.
  ///
  /// `orBefore` takes also one that is a second older, as a state that lost is stamped.
  func isKnown(
    _ state: Entry, in document: Document, among others: [Entry], of otherDocument: Document? = nil,
    orBefore: Bool = false
  ) -> Bool {
    let time = state.times.lastModification
    let candidates = others.filter { other in
      let there = other.times.lastModification
      return there == time
        || orBefore && time != nil && there?.unixSeconds == time.map { $0.unixSeconds - 1 }
    }
    guard !candidates.isEmpty else { return false }
    let parts = ElementParts(state, in: document)
    let place = otherDocument ?? vault.document
    return candidates.contains { Self.covers(ElementParts($0, in: place), parts) }
  }
}
