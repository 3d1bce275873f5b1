import Ciphers
import KDBX
import Vault

// Unlocking: the same nodes under the same names, as far as the vault still has them.

extension TreeState {
  /// Shows `vault` in the place of what was wiped.
  mutating func unlock(_ vault: Vault, sealing: SealingKey) {
    let old = self
    self = TreeState(vault, options, sealing: sealing, quota: quota)
    vaultVersion = old.vaultVersion &+ 1
    isEnding = old.isEnding
    nextOwner = old.nextOwner
    nextView = old.nextView
    nextHandle = old.nextHandle
    firstHandle = old.firstHandle
    lostWrites = old.lostWrites
    references = old.references
    log = old.log
    if let kept = old.kept {
      restore(kept)
      revealLog(kept.hasher)
    }
    noteLostNodes()
  }

  /// Shows again what was kept because it could not be saved.
  mutating func reopen() {
    if let kept { revealLog(kept.hasher) }
    kept = nil
    openness = .open
    noteLostNodes()
  }

  /// What the kernel holds and is no more: it is told to look the name up again (`ESTALE`).
  ///
  /// Names that are gone can't be told to it: only their hashes are known.
  private mutating func noteLostNodes() {
    lost = Set(references.keys.filter { meaning(of: $0) == .dead })
  }

  private mutating func restore(_ kept: KeptNodes) {
    if kept.rootHadIndex { restoreFolders(kept) }
    for (owner, items) in kept.items {
      guard case .entry = owners[owner] else { continue }
      restore(items, of: owner, kept.hasher)
    }
  }

  // MARK: - Groups and entries

  private mutating func restoreFolders(_ kept: KeptNodes) {
    var rest: [UInt64] = [0]
    while let folder = rest.popLast() {
      guard let group = groupID(folder) else { continue }
      let children = vault.children(of: group)
      var found: [KeptNodes.Owner?] = []
      var names: [[UInt8]?] = []
      for child in children {
        let (owner, name) = keptOwner(of: child, in: folder, kept)
        found.append(owner)
        names.append(name)
      }
      makeIndex(folder, of: children, keeping: names)
      invalidateNames(in: folder, kept)
      for case let owner? in found {
        guard case .group = owners[owner.number] else { continue }
        folders[owner.number, default: FolderNode()].wasUndecided = owner.wasUndecided
        if owner.hadIndex { rest.append(owner.number) }
      }
    }
  }

  /// The number that a group or entry had, and the name where it still has that; both are given
  /// again.
  ///
  /// What the kernel knows under a name that can't be told any more gets a new number: the old one
  /// must not be reached by the old name.
  private mutating func keptOwner(
    of child: Vault.Child, in folder: UInt64, _ kept: KeptNodes
  ) -> (KeptNodes.Owner?, [UInt8]?) {
    let isEntry = if case .entry = child.id { true } else { false }
    let identity = KeptNodes.identity(child.uuid, isEntry: isEntry, kept.hasher)
    let owners = (kept.owners[identity] ?? []).filter { self.owners[$0.number] == nil }
    let wishes = SiblingNames.wishes(for: child, in: place(of: folder))
    func name(for owner: KeptNodes.Owner) -> [UInt8]? {
      wishes.first { kept.hasher.hash($0, as: .name) == owner.name }
    }
    for owner in owners where owner.parent == folder {
      guard let name = name(for: owner) else { continue }
      give(owner.number, to: child.id)
      return (owner, name)
    }
    guard let owner = owners.first else { return (nil, nil) }
    if references[Slot.node(owner.number, Slot.own)] != nil {
      guard let name = name(for: owner) else { return (nil, nil) }
      events.invalidations.append(.name(in: Slot.node(owner.parent, Slot.own), name))
    }
    give(owner.number, to: child.id)
    return (owner, nil)
  }

  private mutating func give(_ owner: UInt64, to child: ChildID) {
    switch child {
    case .group(let id):
      owners[owner] = .group(id)
      groupOwners[id] = owner
      folders[owner] = folders[owner] ?? FolderNode()
    case .entry(let id):
      owners[owner] = .entry(id)
      entryOwners[id] = owner
    }
  }

  /// Names a folder's children: those who had a name keep it, the others are newcomers.
  private mutating func makeIndex(
    _ folder: UInt64, of children: [Vault.Child], keeping names: [[UInt8]?]
  ) {
    var taken = Set(names.compactMap { $0 })
    var entries: [(name: [UInt8], owner: UInt64)] = []
    entries.reserveCapacity(children.count)
    for (child, kept) in zip(children, names) {
      let name =
        kept
        ?? SiblingNames.name(for: child, in: place(of: folder)) { taken.contains($0) }
      taken.insert(name)
      entries.append((name, owner(of: child.id)))
    }
    folders[folder, default: FolderNode()].index = NameIndex(entries)
  }

  /// Has the kernel forget the names that mean another node now.
  private mutating func invalidateNames(in folder: UInt64, _ kept: KeptNodes) {
    let directory = Slot.node(folder, Slot.own)
    for entry in folders[folder]?.index?.entries ?? [] {
      guard let target = kept.target(of: entry.name, in: directory),
        target.node != Slot.node(entry.owner, Slot.own)
      else { continue }
      events.invalidations.append(.name(in: directory, entry.name))
    }
  }

  // MARK: - Items of entries

  /// Gives an entry's items the numbers that they had.
  private mutating func restore(
    _ items: [KeyedHash: NodeID], of owner: UInt64, _ hasher: NameHasher
  ) {
    guard let view = try? view(owner) else { return }
    var left = items
    var found: [(key: ItemKey, node: NodeID)] = []
    for key in Self.keys(of: view) {
      if let node = left.removeValue(forKey: hasher.hash(key)) { found.append((key, node)) }
    }
    if !left.isEmpty {
      for key in versionKeys(of: owner) {
        if let node = left.removeValue(forKey: hasher.hash(key)) { found.append((key, node)) }
      }
    }
    let follows = found.allSatisfy { item in
      Self.slot(of: item.key, in: view).map { Slot.node(owner, $0) } == item.node
    }
    guard !follows else { return }
    // From here on no number follows from a place, where something else may stand than did.
    entries[owner] = EntryNode(slots: SlotTable())
    for (key, node) in found { setNumber(of: key, owner, to: node) }
  }

  /// All items that an entry has or may have, those of its old versions too.
  mutating func knownKeys(of owner: UInt64) -> [ItemKey] {
    guard let view = try? view(owner) else { return [] }
    return Self.keys(of: view) + versionKeys(of: owner)
  }

  private static func keys(of view: EntryView) -> [ItemKey] {
    Slot.fixed.map(\.key)
      + view.fields.filter { FieldNames.standardFileName(of: $0.key) == nil }
      .map { .field($0.key) }
      + view.attachments.map { .attachment($0.name) }
  }

  private mutating func versionKeys(of owner: UInt64) -> [ItemKey] {
    let versions = (try? history(owner))?.versions ?? []
    return versions.flatMap { version -> [ItemKey] in
      let inner = EntryView(version.entry, in: vault.document.values)
      return [.version(version.name)]
        + Self.keys(of: inner).map { .inVersion(version.name, $0) }
    }
  }
}
