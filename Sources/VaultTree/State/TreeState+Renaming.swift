import KDBX
import Vault

// `rename`: of files here, of directories in a file of its own.

extension TreeState {
  /// Does a rename, or says which values it needs.
  mutating func planRename(
    _ name: [UInt8], in directory: NodeMeaning, to newName: [UInt8], in newDirectory: NodeMeaning,
    _ flags: RenameFlags
  ) throws(TreeError) -> RenamePlan {
    try checkWritable()
    guard let found = try find(name, in: directory) else { throw .noEntry }
    let target = try findTarget(newName, in: newDirectory)
    if let target, target.node == found.node { return .done }
    if target != nil, flags.contains(.noReplace) { throw .exists }
    if target == nil, flags.contains(.exchange) { throw .noEntry }
    switch found.meaning {
    case .folder(let owner), .entry(let owner):
      try renameDirectory(
        owner, from: directory, to: newName, in: newDirectory, target, flags)
      return .done
    case .groupNotes: throw .notPermitted
    case .view, .link, .generated: throw .readOnlyFile
    case .dead: throw .noEntry
    case .item(_, let key) where key.isReadOnly: throw .readOnlyFile
    case .item(_, .attachments): throw .notPermitted
    case .item(let owner, _):
      if isProtectedArrival(.entry(try entryID(owner))) { throw .notPermitted }
    case .scratch: break
    }
    guard let directory = FileDirectory(directory) else { throw .noEntry }
    let source = try end(name, directory, found)
    return try renameFile(source, to: newName, in: newDirectory, target, flags)
  }

  /// What stands under the new name; a group's own notes don't stand in a child's way.
  private mutating func findTarget(
    _ name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) -> FoundNode? {
    let found = try find(name, in: directory)
    if case .groupNotes = found?.meaning { return nil }
    return found
  }

  private mutating func end(
    _ name: [UInt8], _ directory: FileDirectory, _ found: FoundNode
  ) throws(TreeError) -> FileEnd {
    switch found.meaning {
    case .item(let owner, let key):
      return FileEnd(
        name: name, directory: directory, place: .item(owner, key), node: found.node,
        value: try shownValue(of: key, owner), stamp: entries[owner]?.revision ?? 0)
    case .scratch(let id):
      guard let scratch = scratches[id] else { throw .noEntry }
      return FileEnd(
        name: name, directory: directory, place: .scratch(id, scratch.file), node: found.node,
        value: .empty, stamp: scratch.file.changeCount)
    case .folder, .entry, .groupNotes, .view, .link, .generated, .dead: throw .isDirectory
    }
  }

  private mutating func renameFile(
    _ source: FileEnd, to newName: [UInt8], in newDirectory: NodeMeaning, _ found: FoundNode?,
    _ flags: RenameFlags
  ) throws(TreeError) -> RenamePlan {
    if let found {
      switch found.meaning {
      // No file directly in a group.
      case .folder, .entry: throw flags.contains(.exchange) ? .notPermitted : .isDirectory
      case .item(_, let key) where key.isReadOnly: throw .readOnlyFile
      case .item(_, .attachments): throw .isDirectory
      case .view, .link, .generated: throw .readOnlyFile
      case .item, .groupNotes, .scratch, .dead: break
      }
    }
    let (directory, isTemporary) = try prepareTarget(newName, in: newDirectory, found)
    if let found {
      let target = try end(newName, directory, found)
      if flags.contains(.exchange) { return try exchange(source, target) }
      switch (source.place, target.place) {
      case (.scratch(let id, _), .scratch):
        try removeScratchName(newName, in: directory)
        return try moveScratch(id, source, to: newName, in: directory)
      case (.item(let owner, let key), .scratch):
        try removeScratchName(newName, in: directory)
        return try vacate(key, owner, source, as: newName, in: directory)
      case (_, .item(let owner, let key)):
        return .transfer(
          Transfer(source: source, target: try newEnd(newName, directory, key, owner, found.node)))
      }
    }
    if isTemporary {
      switch source.place {
      case .scratch(let id, _): return try moveScratch(id, source, to: newName, in: directory)
      case .item(let owner, let key):
        return try vacate(key, owner, source, as: newName, in: directory)
      }
    }
    guard let owner = directory.entryOwner else { throw .notPermitted }
    let key = try newKey(named: newName, in: directory)
    if try renameKey(source, to: key, owner) { return .done }
    return .transfer(
      Transfer(source: source, target: try newEnd(newName, directory, key, owner, nil)))
  }

  private mutating func prepareTarget(
    _ name: [UInt8], in meaning: NodeMeaning, _ found: FoundNode?
  ) throws(TreeError) -> (FileDirectory, isTemporary: Bool) {
    guard found != nil, let directory = FileDirectory(meaning) else {
      return try prepareNewFile(name, in: meaning, false)
    }
    return (directory, false)
  }

  /// The end that a value goes into: what counts there is what the document has.
  private mutating func newEnd(
    _ name: [UInt8], _ directory: FileDirectory, _ key: ItemKey, _ owner: UInt64, _ node: NodeID?
  ) throws(TreeError) -> FileEnd {
    FileEnd(
      name: name, directory: directory, place: .item(owner, key), node: node,
      value: try settledValue(of: key, owner), stamp: entries[owner]?.revision ?? 0)
  }

  /// What a new value is compared with, and added to: what the document has, or a new file's value.
  mutating func settledValue(of key: ItemKey, _ owner: UInt64) throws(TreeError) -> RestingBytes {
    if try isNewName(key, owner) {
      return entries[owner]?.overlays[key]?.fresh?.value ?? .empty
    }
    return try storedValue(of: key, owner)
  }

  // MARK: - Temporary files

  private mutating func moveScratch(
    _ id: ScratchID, _ source: FileEnd, to name: [UInt8], in directory: FileDirectory
  ) throws(TreeError) -> RenamePlan {
    scratchNames[source.directory]?[source.name] = nil
    scratchNames[directory, default: [:]][name] = id
    if source.directory != directory, case .attachments(let owner) = source.directory {
      try noteLastAttachment(owner)
    }
    return .done
  }

  /// Moves a file's name aside to a temporary one: the value stays in the vault until something takes
  /// the place or the temporary file is removed.
  private mutating func vacate(
    _ key: ItemKey, _ owner: UInt64, _ source: FileEnd, as name: [UInt8],
    in directory: FileDirectory
  ) throws(TreeError) -> RenamePlan {
    try touch(owner)
    if let fresh = entries[owner]?.overlays[key]?.fresh, fresh.hasSettled,
      !key.isUnlistedWhenEmpty, try isNewName(key, owner)
    {
      // An editor that is killed now loses no value that was never saved, either.
      try storeNow(fresh, key, owner)
    }
    let number = try number(of: key, owner)
    let modified = try modified(key, owner)
    let isFresh = entries[owner]?.overlays[key]?.fresh != nil
    let isInDocument = try !isNewName(key, owner)
    let count = try source.value.count(in: vault.document)
    try retireNumber(of: key, owner)
    let id = makeScratch(name, in: directory, source.value, count: count, node: number)
    scratches[id]?.modified = modified
    entries[owner]?.overlays[key] = isInDocument ? .absent : nil
    if isInDocument, !isFresh {
      entries[owner]?.vacated[key] = id
      scratches[id]?.vacates = ScratchNode.Vacated(owner: owner, key: key)
    }
    forgetView(owner)
    if case .attachment = key { try noteLastAttachment(owner) }
    if directory.isAttachments, let owner = directory.entryOwner { noteAttachment(owner) }
    return .done
  }

  // MARK: - Other keys

  /// Gives a custom field or an attachment another key in its place; says whether that is possible.
  private mutating func renameKey(
    _ source: FileEnd, to key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> Bool {
    guard let (oldOwner, old) = source.item, oldOwner == owner else { return false }
    switch (old, key) {
    case (.field(let field), .field):
      guard FieldNames.standardFileName(of: field) == nil else { return false }
    case (.attachment, .attachment): break
    default: return false
    }
    try touch(owner)
    let isNew = try isNewName(key, owner)
    // A new field takes the place of an empty one as any value does.
    let isFresh = entries[owner]?.overlays[old]?.fresh != nil
    guard isNew || (!isFresh && isStripped(key, owner)) else { return false }
    let time = now()
    try watchingCodes(of: owner) { (state) throws(TreeError) in
      if let fresh = state.entries[owner]?.overlays[old]?.fresh {
        try state.renameFresh(fresh, old, to: key, owner)
      } else {
        try state.renameStored(old, to: key, owner, at: time)
      }
    }
    let changed = entries[owner]?.changed.removeValue(forKey: old)
    entries[owner]?.changed[key] = changed
    try moveNumber(of: old, owner, to: key, owner)
    return true
  }

  /// Whether the document still has an empty field of that key, which the next save takes out.
  private func isStripped(_ key: ItemKey, _ owner: UInt64) -> Bool {
    guard case .field(let field) = key else { return false }
    return entries[owner]?.stripped.contains(field) == true
  }

  private mutating func renameFresh(
    _ fresh: FreshItem, _ old: ItemKey, to key: ItemKey, _ owner: UInt64
  ) throws(TreeError) {
    // Something of that key in the document is a field's whose name was moved aside.
    let isNew = try isNewName(old, owner)
    entries[owner]?.overlays[old] = isNew ? nil : .absent
    entries[owner]?.overlays[key] = .fresh(fresh)
    noteKind(.change, owner)
    noteEdit(owner)
  }

  private mutating func renameStored(
    _ old: ItemKey, to key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    try edit(owner, .change, at: time) { (entry) throws(TreeError) in
      switch (old, key) {
      case (.field(let old), .field(let new)):
        entry.removeString(new)
        entry.renameString(from: old, to: new)
      case (.attachment(let old), .attachment(let new)):
        entry.renameAttachment(from: old, to: new)
      default: break
      }
    }
    entries[owner]?.overlays[key] = nil
    if case .field(let new) = key { entries[owner]?.stripped.remove(new) }
  }

  /// A file takes its number along to another place; what was there is dead.
  mutating func moveNumber(
    of old: ItemKey, _ oldOwner: UInt64, to key: ItemKey, _ owner: UInt64
  ) throws(TreeError) {
    try touch(owner)
    try touch(oldOwner)
    let number = try number(of: old, oldOwner)
    try retireNumber(of: old, oldOwner)
    setNumber(of: key, owner, to: number)
  }
}
