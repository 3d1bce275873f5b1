import KDBX

/// Merges another state of a vault into it, by the rules of `docs/merging.md`.
///
/// The work in order: the vault's own properties, which say how long a history may be; groups of
/// theirs are found or made, then moved; entries merged, added and moved; what they removed is
/// removed; last come icons that they removed and the list of what was deleted.
struct Merger {
  /// Ours; what is merged so far.
  var vault: Vault
  let theirs: Vault
  let base: Document?
  let now: VaultTime
  /// Brings over what is taken from theirs.
  var adoption: Adoption
  var report = MergeReport()

  /// What of theirs is what of ours; grows as it is taken over.
  var groupPairs: [GroupID: GroupID] = [:]
  /// What of ours is what of the base, and what of theirs is.
  let oursInBase: Pairing?
  let theirsInBase: Pairing?
  let theirsInOurs: Pairing
  let oursInTheirs: Pairing
  /// When each UUID was deleted at the latest, here and there.
  let deletedHere: [VaultUUID: VaultTime]
  let deletedThere: [VaultUUID: VaultTime]
  /// What is kept though one side deleted it.
  var resurrected: Set<VaultUUID> = []

  init(_ vault: Vault, theirs: Document, base: Document?, at now: VaultTime) {
    let ours = vault.document
    self.vault = vault
    self.theirs = Vault(theirs)
    self.base = base
    self.now = now
    adoption = Adoption(from: theirs)
    oursInBase = base.map { Pairing(ours, $0) }
    theirsInBase = base.map { Pairing(theirs, $0) }
    theirsInOurs = Pairing(theirs, ours)
    oursInTheirs = Pairing(ours, theirs)
    deletedHere = Self.deletions(in: ours)
    deletedThere = Self.deletions(in: theirs)
  }

  mutating func run() {
    let (ours, theirs) = (vault.document, theirs.document)
    adoption.raiseVersion(of: &vault.document)
    mergeMeta()
    for group in theirs.allGroups { mergeOrAdd(group) }
    for group in theirs.allGroups { mergePlace(of: group) }
    for entry in theirs.allEntries { mergeOrAdd(entry) }
    for entry in ours.allEntries where oursInTheirs[entry] == nil { removeIfDeleted(entry) }
    // What lies in a group comes before it.
    for group in ours.allGroups.reversed() where oursInTheirs[group] == nil {
      removeIfDeleted(group)
    }
    mergeDeletedIcons()
    mergeDeletedObjects()
    mendGroupsInMeta(ours.meta)
  }

  // MARK: - The states

  /// Our entry or theirs as it was in the base.
  func inBase(ours id: EntryID) -> EntryID? { oursInBase.flatMap { $0[id] } }
  func inBase(ours id: GroupID) -> GroupID? { oursInBase.flatMap { $0[id] } }
  func inBase(theirs id: EntryID) -> EntryID? { theirsInBase.flatMap { $0[id] } }
  func inBase(theirs id: GroupID) -> GroupID? { theirsInBase.flatMap { $0[id] } }

  /// The group of the base that something lay in.
  func placeInBase(_ child: ChildID?) -> GroupID? {
    guard let base, let child else { return nil }
    return base.parent(of: child)
  }

  /// What tells a group from others in all three states; nil for the root.
  func place(_ group: GroupID, in document: Document) -> VaultUUID? {
    group == document.root ? nil : document.group(group).uuid
  }
}
