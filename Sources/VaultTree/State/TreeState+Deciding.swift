import KDBX
import Vault

// Directories that are no group and no entry yet, until something in them decides.

extension TreeState {
  /// Whether the first file put into a folder makes it an entry.
  mutating func canBecomeEntry(_ owner: UInt64) -> Bool {
    switch owners[owner] {
    case .undecided: return true
    case .group:
      guard folders[owner]?.wasUndecided == true else { return false }
      makeIndex(owner)
      // An undecided `attachments` in it decides nothing by itself.
      let children = folders[owner]?.index?.entries ?? []
      return children.allSatisfy { child in
        child.name == ReservedName.attachments && isUndecided(child.owner)
      }
    default: return false
    }
  }

  /// Whether a folder is still open to become a group or an entry, stored or not.
  func isUndecided(_ owner: UInt64) -> Bool {
    switch owners[owner] {
    case .undecided: true
    case .group: folders[owner]?.wasUndecided == true
    default: false
    }
  }

  /// Makes an undecided folder a group; what it lies in becomes one first.
  ///
  /// A group that a save made of such a folder is one for good then, unless a save asks again.
  @discardableResult
  mutating func decideGroup(
    _ owner: UInt64, bySaving: Bool = false
  ) throws(TreeError) -> GroupID {
    if let group = groupID(owner) {
      if !bySaving { folders[owner]?.wasUndecided = false }
      return group
    }
    guard case .undecided = owners[owner], let parent = folders[owner]?.parent,
      let name = folders[parent]?.index?.name(of: owner)
    else { throw .noEntry }
    let parentGroup = try decideGroup(parent, bySaving: bySaving)
    // A file that is nested more deeply couldn't be read back.
    guard vault.document.canMove(nil, to: parentGroup) else { throw .invalid }
    let group = vault.createGroup(
      in: parentGroup, name: NameCoding.decoded(name), at: Self.vaultTime(now()))
    owners[owner] = .group(group)
    groupOwners[group] = owner
    folders[owner]?.wasUndecided = bySaving
    noteStructure()
    noteArrival(.group(group))
    return group
  }

  /// Makes a folder that can become one an entry.
  ///
  /// A group that a save has made of it is noted as deleted.
  mutating func decideEntry(_ owner: UInt64) throws(TreeError) {
    guard let parent = parent(of: owner), let name = name(of: owner) else { throw .noEntry }
    let group = try decideGroup(parent)
    let time = Self.vaultTime(now())
    let attachments = folders[owner]?.index?.owner(of: ReservedName.attachments)
    if let stored = groupID(owner) {
      groupOwners[stored] = nil
      do throws(VaultError) { try vault.delete(.group(stored), at: time) } catch {
        throw .noEntry
      }
    }
    let entry = vault.createEntry(in: group, title: NameCoding.decoded(name), at: time)
    owners[owner] = .entry(entry)
    entryOwners[entry] = owner
    newEntries.insert(entry)
    scratchNames[.entry(owner)] = scratchNames.removeValue(forKey: .folder(owner))
    folders[owner] = nil
    try hideUnwrittenFields(owner)
    if let attachments { try adoptAttachments(attachments, owner) }
    // What fills the entry makes each file anew, often with O_EXCL (`cp -r`).
    try touch(owner)
    for field in FieldNames.shownStandardKeys {
      entries[owner]?.overlays[.field(field)] = .absent
    }
    noteStructure()
    noteArrival(.entry(entry))
    let node = Slot.node(owner, Slot.own)
    events.invalidations += [.attributes(node), .listing(node)]
  }

  /// Hides the four files of a new entry that nobody has written yet.
  ///
  /// Whoever copies an entry makes them one by one, exclusively. The next mount shows all four.
  private mutating func hideUnwrittenFields(_ owner: UInt64) throws(TreeError) {
    try touch(owner)
    for key in FieldNames.shownStandardKeys {
      entries[owner]?.overlays[.field(key)] = .absent
    }
  }

  /// Makes the undecided directory `attachments` of what has become an entry its own.
  private mutating func adoptAttachments(
    _ folder: UInt64, _ owner: UInt64
  ) throws(TreeError) {
    try touch(owner)
    if let stored = groupID(folder) { groupOwners[stored] = nil }
    owners[folder] = .lent
    folders[folder] = nil
    setNumber(of: .attachments, owner, to: Slot.node(folder, Slot.own))
    entries[owner]?.hasMadeAttachments = true
    let names = scratchNames.removeValue(forKey: .folder(folder))
    scratchNames[.attachments(owner)] = names
  }

  /// Takes down a change that is no edit of an entry.
  mutating func noteStructure() {
    forgetViewContents()
    structure += 1
    events.wantsSave = true
  }

  /// Takes down what has come into the recycle bin in this mount.
  mutating func noteArrival(_ child: ChildID) {
    if vault.isInRecycleBin(child) { arrivals.insert(child) } else { arrivals.remove(child) }
  }

  /// Whether something came into the bin in this mount, by itself or with what it lies in: then it
  /// can't be removed for good through the tree.
  func isProtectedArrival(_ child: ChildID) -> Bool {
    guard !options.allowsPurge, !arrivals.isEmpty, vault.isInRecycleBin(child) else {
      return false
    }
    var next: ChildID? = child
    while let current = next {
      if arrivals.contains(current) { return true }
      next = vault.document.parent(of: current).map { .group($0) }
    }
    return false
  }
}
