import KDBX

extension Merger {
  /// Adds icons of theirs that we removed and something uses again, and removes those of ours that
  /// they removed and nothing uses.
  mutating func mergeDeletedIcons() {
    let mine = ElementParts(vault.document.meta, in: vault.document)
    let other = ElementParts(theirs.document.meta, in: theirs.document)
    let removed = mine.parts.filter { part in
      guard let uuid = Self.iconUUID(part), let deleted = deletedThere[uuid], !other.has(part)
      else { return false }
      return (mine.changeTime(of: part) ?? .earliest) <= deleted
    }
    let missing = other.parts.filter { Self.iconUUID($0) != nil && !mine.has($0) }
    guard !removed.isEmpty || !missing.isEmpty else { return }
    let used = vault.document.usedIcons
    var meta = vault.document.meta
    for part in removed where !used.contains(Self.iconUUID(part) ?? .zero) {
      meta.remove(part, in: vault.document)
      report.hasChangedVault = true
    }
    let wanted = missing.filter { used.contains(Self.iconUUID($0) ?? .zero) }
    if !wanted.isEmpty {
      let adopted = adoption.adoptMeta(into: &vault.document)
      for part in wanted { meta.take(part, from: adopted, in: vault.document) }
      report.hasChangedVault = true
    }
    vault.document.meta = meta
  }
}

extension Document {
  /// The custom icons that groups, entries and old versions name.
  fileprivate var usedIcons: Set<VaultUUID> {
    var used = Set(allGroups.compactMap { group($0).customIcon })
    for id in allEntries {
      let entry = entry(id)
      used.formUnion(([entry] + entry.history).compactMap(\.customIcon))
    }
    return used
  }
}
