/// A merge as `docs/merging.md` says it, slow and plain, written from those rules alone.
///
/// What it says beside the result (conflicts, what was kept) is left to other tests.
struct ReferenceMerge {
  let ours: ReferenceVault
  let theirs: ReferenceVault
  let base: ReferenceVault?
  let now: Int
  private(set) var merged: ReferenceVault
  private var kept: Set<Int> = []

  private typealias Parts = [String: String]

  static func merge(
    _ ours: ReferenceVault, _ theirs: ReferenceVault, base: ReferenceVault?, at now: Int
  ) -> ReferenceVault {
    var merge = ReferenceMerge(ours: ours, theirs: theirs, base: base, now: now, merged: ours)
    merge.run()
    return merge.merged
  }

  private mutating func run() {
    mergeMeta()
    for number in theirs.groupsInOrder where ours.groups[number] != nil { mergeGroup(number) }
    for number in theirs.groupsInOrder where ours.groups[number] == nil {
      if isWanted(group: number) { makeGroup(number) }
    }
    for number in theirs.groupsInOrder { moveGroup(number) }
    for number in theirs.entries.keys.sorted() {
      if ours.entries[number] != nil {
        mergeEntry(number)
        moveEntry(number)
      } else {
        addEntry(number)
      }
    }
    removeDeleted()
    for (number, time) in theirs.deleted
    where merged.entries[number] == nil && merged.groups[number] == nil {
      merged.deleted[number] = max(merged.deleted[number] ?? time, time)
    }
    for number in kept { merged.deleted[number] = nil }
  }

  // MARK: - Parts

  private static func isSame(_ part: String, _ left: Parts, _ right: Parts) -> Bool {
    let standard = ["f:Title", "f:UserName", "f:Password", "f:URL", "f:Notes"]
    if part.hasPrefix("e:") || standard.contains(part) {
      return left[part] ?? "" == right[part] ?? ""
    }
    return left[part] == right[part]
  }

  private static func saysNothing(_ part: String, _ parts: Parts) -> Bool {
    if parts[part] != nil { return false }
    if part.hasPrefix("e:") { return true }
    return part.hasPrefix("c:") && !parts.keys.contains { $0.hasPrefix("c:") }
  }

  private static func all(_ left: Parts, _ right: Parts) -> Set<String> {
    Set(left.keys).union(right.keys)
  }

  private static func saysTheSame(_ left: Parts, _ right: Parts) -> Bool {
    all(left, right).allSatisfy { isSame($0, left, right) }
  }

  private static func agree(_ left: Parts, _ right: Parts) -> Bool {
    all(left, right).allSatisfy {
      isSame($0, left, right) || saysNothing($0, left) || saysNothing($0, right)
    }
  }

  private static func saysAll(of part: Parts, _ whole: Parts) -> Bool {
    all(part, whole).allSatisfy { isSame($0, part, whole) || saysNothing($0, part) }
  }

  /// The merged parts, and whether there was a conflict.
  private static func merge(
    _ mine: Parts, _ other: Parts, _ old: Parts?, isTheirsLater: Bool
  ) -> (parts: Parts, hasConflict: Bool) {
    var result = mine
    var hasConflict = false
    for part in all(mine, other) where !isSame(part, mine, other) {
      var takesTheirs: Bool
      if saysNothing(part, other) {
        takesTheirs = false
      } else if saysNothing(part, mine) {
        takesTheirs = true
      } else if let old {
        if isSame(part, other, old) {
          takesTheirs = false
        } else if isSame(part, mine, old) {
          takesTheirs = true
        } else {
          hasConflict = true
          takesTheirs = isTheirsLater
        }
      } else {
        takesTheirs = isTheirsLater
      }
      if takesTheirs { result[part] = other[part] }
    }
    return (result, hasConflict)
  }

  private func stamp(_ parts: Parts, _ mine: (Parts, Int), _ other: (Parts, Int)) -> Int {
    if Self.saysTheSame(parts, mine.0) { return mine.1 }
    if Self.saysAll(of: other.0, parts) { return other.1 }
    return max(now, max(mine.1, other.1) + 1)
  }

  // MARK: - Entries

  private mutating func mergeEntry(_ number: Int) {
    guard var entry = ours.entries[number], let other = theirs.entries[number] else { return }
    let (mine, there) = (entry.state, other.state)
    let old = base?.entries[number]?.state
    let isTheirsLater = there.modified > mine.modified
    let (parts, hasConflict) = Self.merge(
      mine.parts, there.parts, old?.parts, isTheirsLater: isTheirsLater)
    entry.state = ReferenceState(
      parts: parts,
      modified: stamp(parts, (mine.parts, mine.modified), (there.parts, there.modified)))
    if !Self.saysTheSame(parts, mine.parts) {
      entry.accessed = max(entry.accessed, other.accessed)
      entry.uses = max(entry.uses, other.uses)
    }
    var losers: [(state: ReferenceState, isTheirs: Bool)] = []
    let lost = isTheirsLater ? (state: mine, isTheirs: false) : (state: there, isTheirs: true)
    if Self.saysTheSame(mine.parts, there.parts) {
      // Both made the same of it.
    } else if let old {
      if !Self.agree(there.parts, old.parts) { losers.append((old, false)) }
      if hasConflict { losers.append(lost) }
    } else if !Self.agree(mine.parts, there.parts) {
      losers.append(lost)
    }
    let known = base?.entries[number]?.history ?? []
    let theirHistory = other.history.filter { item in
      base == nil || !known.contains { Self.isVersion(item, $0) } || !isMissing(item, entry)
    }
    entry.history = history(of: entry, losers, theirHistory)
    merged.entries[number] = entry
  }

  /// Whether `known` is the version `state`, or says more of the same time.
  private static func isVersion(_ state: ReferenceState, _ known: ReferenceState) -> Bool {
    known.modified == state.modified && saysAll(of: state.parts, known.parts)
  }

  private func isMissing(_ item: ReferenceState, _ entry: ReferenceEntry) -> Bool {
    !(entry.history + [entry.state]).contains { Self.isVersion(item, $0) }
  }

  private func history(
    of entry: ReferenceEntry, _ losers: [(state: ReferenceState, isTheirs: Bool)],
    _ theirs: [ReferenceState]
  ) -> [ReferenceState] {
    var versions = entry.history
    var spared: [ReferenceState] = []
    func has(_ state: ReferenceState, orSecondLess: Bool) -> Bool {
      (versions + [entry.state]).contains { known in
        let isTime =
          known.modified == state.modified
          || orSecondLess && known.modified == state.modified - 1
        return isTime && Self.saysAll(of: state.parts, known.parts)
      }
    }
    for (lost, isTheirs) in losers where !has(lost, orSecondLess: isTheirs) {
      var state = lost
      if state.modified == entry.state.modified { state.modified -= 1 }
      versions.append(state)
      spared.append(state)
    }
    for item in theirs where !has(item, orSecondLess: false) { versions.append(item) }
    guard versions.count > entry.history.count else { return versions }
    let order = versions.indices.sorted {
      (versions[$0].modified, $0) < (versions[$1].modified, $1)
    }
    let result = trimmed(order.map { versions[$0] }, sparing: spared)
    // Versions are equal only as values, so what came is counted.
    let came = versions[entry.history.count...]
    let survived = came.contains { item in
      result.count(where: { $0 == item }) > entry.history.count(where: { $0 == item })
    }
    return survived ? result : entry.history
  }

  private func trimmed(
    _ versions: [ReferenceState], sparing spared: [ReferenceState]
  ) -> [ReferenceState] {
    guard let limit = merged.meta["e:HistoryMaxItems"].flatMap({ Int($0) }), limit >= 0 else {
      return versions
    }
    var kept = versions
    var place = 0
    while kept.count > limit, place < kept.count {
      if spared.contains(kept[place]) { place += 1 } else { kept.remove(at: place) }
    }
    return kept
  }

  private mutating func addEntry(_ number: Int) {
    guard let entry = theirs.entries[number], isWanted(entry: number) else { return }
    if ours.deleted[number] != nil { kept.insert(number) }
    makeGroup(entry.place.parent)
    merged.entries[number] = entry
  }

  // MARK: - Groups and places

  private mutating func mergeGroup(_ number: Int) {
    guard let mine = ours.groups[number], let other = theirs.groups[number] else { return }
    let parts = Self.merge(
      mine.parts, other.parts, base?.groups[number]?.parts,
      isTheirsLater: other.modified > mine.modified
    ).parts
    let modified = stamp(parts, (mine.parts, mine.modified), (other.parts, other.modified))
    merged.groups[number]?.parts = parts
    merged.groups[number]?.modified = modified
  }

  /// Makes a group of theirs, and those around it, unless they are there.
  private mutating func makeGroup(_ number: Int) {
    guard number != ReferenceVault.root, merged.groups[number] == nil,
      let group = theirs.groups[number]
    else { return }
    makeGroup(group.place.parent)
    merged.groups[number] = group
    if ours.deleted[number] != nil { kept.insert(number) }
  }

  /// Where something goes: nil where it stays.
  private func place(
    _ mine: ReferencePlace, _ other: ReferencePlace, _ old: ReferencePlace?
  ) -> ReferencePlace? {
    guard other.parent != mine.parent else { return nil }
    let isLater = other.changed > mine.changed
    guard let old else { return isLater ? other : nil }
    guard other.parent != old.parent else { return nil }
    return mine.parent == old.parent || isLater ? other : nil
  }

  private mutating func moveEntry(_ number: Int) {
    guard let mine = ours.entries[number], let other = theirs.entries[number],
      let place = place(mine.place, other.place, base?.entries[number]?.place)
    else { return }
    makeGroup(place.parent)
    merged.entries[number]?.place = place
  }

  private mutating func moveGroup(_ number: Int) {
    guard let mine = ours.groups[number], let other = theirs.groups[number],
      let place = place(mine.place, other.place, base?.groups[number]?.place)
    else { return }
    makeGroup(place.parent)
    var next = place.parent
    while next != ReferenceVault.root {
      if next == number { return }
      next = merged.groups[next]?.place.parent ?? ReferenceVault.root
    }
    merged.groups[number]?.place = place
  }

  // MARK: - Deletions

  private func isChanged(
    _ parts: Parts, _ modified: Int, _ place: ReferencePlace, isInBin: Bool,
    old: (parts: Parts, parent: Int)?, deleted: Int
  ) -> Bool {
    if let old {
      return !Self.saysTheSame(parts, old.parts) || (place.parent != old.parent && !isInBin)
    }
    return modified >= deleted || (place.changed >= deleted && !isInBin)
  }

  private func old(entry number: Int) -> (parts: Parts, parent: Int)? {
    base?.entries[number].map { ($0.state.parts, $0.place.parent) }
  }

  private func old(group number: Int) -> (parts: Parts, parent: Int)? {
    base?.groups[number].map { ($0.parts, $0.place.parent) }
  }

  private func isWanted(entry number: Int) -> Bool {
    guard let entry = theirs.entries[number] else { return false }
    guard let deleted = ours.deleted[number] else { return true }
    return isChanged(
      entry.state.parts, entry.state.modified, entry.place,
      isInBin: theirs.isInBin(group: entry.place.parent), old: old(entry: number),
      deleted: deleted)
  }

  private func isWanted(group number: Int) -> Bool {
    guard let group = theirs.groups[number] else { return false }
    guard let deleted = ours.deleted[number] else { return true }
    return isChanged(
      group.parts, group.modified, group.place, isInBin: theirs.isInBin(group: number),
      old: old(group: number), deleted: deleted)
  }

  private mutating func removeDeleted() {
    for (number, entry) in ours.entries where theirs.entries[number] == nil {
      guard let deleted = theirs.deleted[number] else { continue }
      let isInBin = merged.isInBin(group: entry.place.parent)
      if entry.state.modified >= deleted
        || isChanged(
          entry.state.parts, entry.state.modified, entry.place, isInBin: isInBin,
          old: old(entry: number), deleted: deleted)
      {
        kept.insert(number)
        if entry.state.modified < deleted {
          merged.entries[number]?.state.modified = max(now, deleted)
        }
      } else {
        merged.entries[number] = nil
      }
    }
    for number in ours.groupsInOrder.reversed() where theirs.groups[number] == nil {
      guard let group = ours.groups[number], let deleted = theirs.deleted[number] else { continue }
      let isEmpty =
        !merged.entries.values.contains { $0.place.parent == number }
        && !merged.groups.values.contains { $0.place.parent == number }
      if group.modified >= deleted || !isEmpty
        || isChanged(
          group.parts, group.modified, group.place, isInBin: merged.isInBin(group: number),
          old: old(group: number), deleted: deleted)
      {
        kept.insert(number)
        if group.modified < deleted { merged.groups[number]?.modified = max(now, deleted) }
      } else {
        merged.groups[number] = nil
      }
    }
  }

  // MARK: - The vault

  private mutating func mergeMeta() {
    let (mine, other) = (ours.meta, theirs.meta)
    func isLater(_ unit: String) -> Bool {
      (theirs.metaTimes[unit] ?? 0) > (ours.metaTimes[unit] ?? 0)
    }
    func take(_ part: String) { merged.meta[part] = other[part] }
    for part in Self.all(mine, other) where !Self.isSame(part, mine, other) {
      guard !Self.saysNothing(part, other) else { continue }
      if let time = RandomEdits.unit(of: part) {
        let hasChangedThere = base.map { !Self.isSame(part, other, $0.meta) } ?? true
        let isOursUnchanged = base.map { Self.isSame(part, mine, $0.meta) } ?? false
        let isByTime = base != nil || part != "e:HistoryMaxItems"
        guard hasChangedThere, isOursUnchanged || (isByTime && isLater(time)) else { continue }
        take(part)
        merged.metaTimes[time] = max(merged.metaTimes[time] ?? 0, theirs.metaTimes[time] ?? 0)
      } else if Self.saysNothing(part, mine) {
        take(part)
      } else if let base {
        if Self.isSame(part, other, base.meta) { continue }
        let isConflict = !Self.isSame(part, mine, base.meta)
        // Custom data without times: by the time of the settings; what one side removed stays.
        let isItem = part.hasPrefix("c:") && mine[part] != nil && other[part] != nil
        let isNew = mine[part] == nil
        if !isConflict || isNew || (isItem && isLater("SettingsChanged")) { take(part) }
      } else if part.hasPrefix("c:"), other[part] != nil {
        if mine[part] == nil || isLater("SettingsChanged") { take(part) }
      }
    }
  }
}
