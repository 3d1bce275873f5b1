import KDBX
import Vault

// `rename` of groups, entries, and what is neither yet.

extension TreeState {
  mutating func renameDirectory(
    _ owner: UInt64, from directory: NodeMeaning, to name: [UInt8], in newDirectory: NodeMeaning,
    _ target: FoundNode?, _ flags: RenameFlags
  ) throws(TreeError) {
    guard case .folder(let old) = directory else { throw .noEntry }
    guard case .folder(let new) = newDirectory else {
      if case .item(_, let key) = newDirectory, key.isReadOnly { throw .readOnlyFile }
      if case .view = newDirectory { throw .readOnlyFile }
      // An entry in an entry, a group in an entry.
      throw .notPermitted
    }
    if isInside(new, owner) { throw .invalid }
    guard let oldName = self.name(of: owner) else { throw .noEntry }
    if flags.contains(.exchange) {
      return try exchangeDirectories(owner, in: old, oldName, target, in: new, name)
    }
    let title = try newTitle(name, from: oldName, in: new)
    try makeWay(for: target)
    try place(owner, from: old, in: new, name, title)
  }

  /// The title that a new name gives; nil where the name stays, and with it the title.
  private func newTitle(
    _ name: [UInt8], from oldName: [UInt8], in folder: UInt64
  ) throws(TreeError) -> [UInt8]? {
    guard name != oldName else {
      guard !place(of: folder).reserved.contains(name) else { throw .invalid }
      return nil
    }
    return try Self.decodedName(name, in: place(of: folder))
  }

  /// Only an empty directory that is no group and no entry yet makes way for another.
  private mutating func makeWay(for target: FoundNode?) throws(TreeError) {
    guard let target else { return }
    switch target.meaning {
    case .folder(let owner):
      guard try isEmpty(target.meaning) else { throw .notEmpty }
      guard case .undecided = owners[owner], let parent = folders[owner]?.parent else {
        throw .exists
      }
      removeName(of: owner, inFolder: parent)
      folders[owner] = nil
      owners[owner] = .lent
    case .entry: throw .notEmpty
    case .view, .link, .generated: throw .readOnlyFile
    case .item, .scratch, .groupNotes: throw .notDirectory
    case .dead: throw .noEntry
    }
  }

  /// Puts a folder or entry under a name in a folder that has no such name.
  private mutating func place(
    _ owner: UInt64, from old: UInt64, in new: UInt64, _ name: [UInt8], _ title: [UInt8]?
  ) throws(TreeError) {
    makeIndex(new)
    if old != new {
      let group = try decideGroup(new)
      if let child = child(of: owner) { try move(child, to: group) }
      folders[owner]?.parent = new
    }
    if let title { try retitle(owner, title) }
    if old == new {
      folders[old]?.index?.rename(owner, to: name)
    } else {
      removeName(of: owner, inFolder: old)
      insertName(name, owner, inFolder: new)
    }
    folders[old]?.removed = []
    folders[new]?.removed = []
    events.invalidate(Slot.node(owner, Slot.own))
  }

  private mutating func move(_ child: ChildID, to group: GroupID) throws(TreeError) {
    do throws(VaultError) {
      try vault.move(child, to: group, at: Self.vaultTime(now()))
    } catch {
      switch error {
      case .intoItself, .tooDeep: throw .invalid
      case .isRoot: throw .notPermitted
      case .notInVault: throw .noEntry
      }
    }
    if case .entry = child { forgetView(owner(of: child)) }
    noteStructure()
    noteArrival(child)
  }

  private mutating func retitle(_ owner: UInt64, _ title: [UInt8]) throws(TreeError) {
    let time = now()
    switch child(of: owner) {
    case .group(let id):
      vault.edit(id, at: Self.vaultTime(time)) { $0.name = title }
      noteStructure()
    case .entry(let id):
      let old = vault.document.entry(id).string(FieldKey.title)
      let isProtected = old?.isProtected ?? vault.protectsNewField(FieldKey.title)
      let value =
        isProtected ? vault.document.values.seal(title.span) : StoredText.plain(title)
      try edit(owner, .change, at: time) { (entry) throws(TreeError) in
        entry.set(FieldKey.title, to: value, isProtected: isProtected)
      }
    case nil: break
    }
  }

  /// Two directories change places and titles.
  private mutating func exchangeDirectories(
    _ owner: UInt64, in old: UInt64, _ oldName: [UInt8], _ target: FoundNode?,
    in new: UInt64, _ name: [UInt8]
  ) throws(TreeError) {
    let other: UInt64
    switch target?.meaning {
    case .folder(let folder): other = folder
    case .entry(let entry): other = entry
    case .view, .link, .generated: throw .readOnlyFile
    case .item, .scratch, .groupNotes: throw .notPermitted
    case .dead, nil: throw .noEntry
    }
    if isInside(old, other) { throw .invalid }
    let title = try newTitle(name, from: oldName, in: new)
    let otherTitle = try newTitle(oldName, from: name, in: old)
    removeName(of: owner, inFolder: old)
    removeName(of: other, inFolder: new)
    try placeExchanged(owner, from: old, in: new, name, title)
    try placeExchanged(other, from: new, in: old, oldName, otherTitle)
  }

  private mutating func placeExchanged(
    _ owner: UInt64, from old: UInt64, in new: UInt64, _ name: [UInt8], _ title: [UInt8]?
  ) throws(TreeError) {
    if old != new {
      let group = try decideGroup(new)
      if let child = child(of: owner) { try move(child, to: group) }
      folders[owner]?.parent = new
    }
    insertName(name, owner, inFolder: new)
    if let title { try retitle(owner, title) }
    folders[new]?.removed = []
    events.invalidate(Slot.node(owner, Slot.own))
  }
}
