import KDBX
import Vault

// From names to nodes, and what a directory lists.

/// What a name leads to.
struct FoundNode: Hashable, Sendable {
  let node: NodeID
  let meaning: NodeMeaning
}

/// One name of a listing, without attributes.
package struct ListedName: Hashable, Sendable {
  package let name: [UInt8]
  package let node: NodeID
  package let kind: NodeKind
}

/// An open directory.
struct DirectoryHandle: Sendable {
  let node: NodeID
  /// The names when the directory was first read.
  var names: [ListedName]?
}

extension TreeState {
  /// What a name in a directory leads to; nil for nothing.
  mutating func find(
    _ name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) -> FoundNode? {
    switch directory {
    case .folder(let owner): return findInFolder(name, owner)
    case .entry(let owner):
      if let scratch = findScratch(name, .entry(owner)) { return scratch }
      return try found(itemKey(named: name, owner), owner)
    case .item(let owner, .attachments):
      if let scratch = findScratch(name, .attachments(owner)) { return scratch }
      return try found(attachmentKey(named: name, owner), owner)
    case .item(let owner, .history):
      let key = ItemKey.version(name)
      return try isShown(key, owner) ? found(key, owner) : nil
    case .item(let owner, .version(let version)):
      guard let view = try self.version(named: version, owner) else { throw .noEntry }
      let key = Self.versionKey(named: name, in: view)
      return try found(key.map { .inVersion(version, $0) }, owner)
    case .item(let owner, .inVersion(let version, .attachments)):
      guard let view = try self.version(named: version, owner) else { throw .noEntry }
      let key = view.attachment(named: name).map { ItemKey.attachment($0.name) }
      return try found(key.map { .inVersion(version, $0) }, owner)
    case .view(let view): return findInView(name, view)
    case .item, .groupNotes, .scratch, .link, .generated: throw .notDirectory
    case .dead: throw .noEntry
    }
  }

  private mutating func findInFolder(_ name: [UInt8], _ owner: UInt64) -> FoundNode? {
    if let child = self.owner(of: name, inFolder: owner) { return found(child) }
    if let scratch = findScratch(name, .folder(owner)) { return scratch }
    if owner == 0, name == ReservedName.control { return found(.control) }
    guard name == ReservedName.groupNotes, groupID(owner) != nil else { return nil }
    return FoundNode(
      node: Slot.node(owner, Slot.groupNotes), meaning: .groupNotes(owner))
  }

  /// The node of a folder or entry.
  func found(_ owner: UInt64) -> FoundNode {
    let node = Slot.node(owner, Slot.own)
    if case .entry = owners[owner] { return FoundNode(node: node, meaning: .entry(owner)) }
    return FoundNode(node: node, meaning: .folder(owner))
  }

  private mutating func found(
    _ key: ItemKey?, _ owner: UInt64
  ) throws(TreeError) -> FoundNode? {
    guard let key else { return nil }
    guard try isReachable(key, owner) else { return nil }
    return FoundNode(node: try number(of: key, owner), meaning: .item(owner, key))
  }

  /// Whether an item of an entry answers to its name, listed or not.
  mutating func isReachable(_ key: ItemKey, _ owner: UInt64) throws(TreeError) -> Bool {
    try isShown(key, owner) || isReachableGhost(key, owner)
  }

  /// Whether something that isn't listed any more can still be looked up: a directory whose last file
  /// was removed, which may be about to be replaced; what was written empty, or taken and dropped.
  func isReachableGhost(_ key: ItemKey, _ owner: UInt64) -> Bool {
    if case .ghost(let isReachable) = entries[owner]?.overlays[key] { isReachable } else { false }
  }

  private func findScratch(_ name: [UInt8], _ directory: FileDirectory) -> FoundNode? {
    guard let id = scratchNames[directory]?[name], let scratch = scratches[id] else { return nil }
    return FoundNode(node: scratch.node, meaning: .scratch(id))
  }

  private static func versionKey(named name: [UInt8], in view: EntryView) -> ItemKey? {
    if let key = FieldNames.standardKey(of: name) { return .field(key) }
    let key: ItemKey? =
      switch name {
      case ReservedName.tags: .tags
      case ReservedName.expires: .expires
      case ReservedName.attachments: .attachments
      default: view.field(named: name).map { .field($0.key) }
      }
    return key.flatMap { view.has($0) ? $0 : nil }
  }

  // MARK: - Listings

  /// The names of an open directory from the `offset`-th on, as they were when it was first read.
  mutating func names(
    of handle: HandleID, from offset: Int, atMost count: Int
  ) throws(TreeError) -> ArraySlice<ListedName> {
    let directory = try directory(of: handle)
    let names: [ListedName]
    if let listed = directory.names {
      names = listed
    } else {
      let meaning = meaning(of: directory.node)
      names = meaning == .dead ? [] : try listedNames(of: meaning)
      directories[handle]?.names = names
    }
    guard offset >= 0, offset < names.count else { return [] }
    return names[offset...].prefix(max(0, count))
  }

  /// The names that a directory lists, in order.
  mutating func listedNames(of directory: NodeMeaning) throws(TreeError) -> [ListedName] {
    switch directory {
    case .folder(let owner): return folderNames(owner)
    case .entry(let owner):
      var keys = try shownItems(owner)
      if options.showsHidden { keys += [.history, .json, .env] }
      return try names(of: keys, owner) + scratchNames(in: .entry(owner))
    case .item(let owner, .attachments):
      let keys = try shownAttachments(owner)
      return try names(of: keys, owner) + scratchNames(in: .attachments(owner))
    case .item(let owner, .history):
      let versions = try history(owner).versions
      return try names(of: versions.map { .version($0.name) }, owner)
    case .item(let owner, .version(let name)):
      guard let view = try version(named: name, owner) else { throw .noEntry }
      return try names(of: Self.versionKeys(of: view).map { .inVersion(name, $0) }, owner, in: view)
    case .item(let owner, .inVersion(let name, .attachments)):
      guard let view = try version(named: name, owner) else { throw .noEntry }
      let keys = view.attachments.map { ItemKey.inVersion(name, .attachment($0.name)) }
      return try names(of: keys, owner, in: view)
    case .view(let view): return viewNames(view)
    case .item, .groupNotes, .scratch, .link, .generated: throw .notDirectory
    case .dead: throw .noEntry
    }
  }

  private mutating func folderNames(_ owner: UInt64) -> [ListedName] {
    makeIndex(owner)
    var names = (folders[owner]?.index?.entries ?? []).map { entry in
      ListedName(name: entry.name, node: Slot.node(entry.owner, Slot.own), kind: .directory)
    }
    names += scratchNames(in: .folder(owner))
    if options.showsHidden, groupID(owner) != nil,
      folders[owner]?.index?.owner(of: ReservedName.groupNotes) == nil
    {
      let node = Slot.node(owner, Slot.groupNotes)
      names.append(ListedName(name: ReservedName.groupNotes, node: node, kind: .file))
    }
    if options.showsHidden, owner == 0 {
      let control = found(.control)
      names.append(ListedName(name: ReservedName.control, node: control.node, kind: .directory))
    }
    return names
  }

  private mutating func names(
    of keys: [ItemKey], _ owner: UInt64, in view: EntryView? = nil
  ) throws(TreeError) -> [ListedName] {
    let view = if let view { view } else { try self.view(owner) }
    var names: [ListedName] = []
    for key in keys {
      names.append(
        ListedName(
          name: Self.fileName(of: key, in: view), node: try number(of: key, owner),
          kind: key.isDirectory ? .directory : .file))
    }
    return names
  }

  private func scratchNames(in directory: FileDirectory) -> [ListedName] {
    guard let names = scratchNames[directory] else { return [] }
    return names.compactMap { name, id in
      guard let scratch = scratches[id] else { return nil }
      return ListedName(
        name: name, node: scratch.node, kind: scratch.target == nil ? .file : .symbolicLink)
    }.sorted { $0.node.rawValue < $1.node.rawValue }
  }

  private static func versionKeys(of view: EntryView) -> [ItemKey] {
    var keys = FieldNames.shownStandardKeys.map { ItemKey.field($0) }
    keys += view.fields
      .filter { FieldNames.standardFileName(of: $0.key) == nil }
      .map { .field($0.key) }
    return keys + [.tags, .expires, .attachments].filter { view.has($0) }
  }

  /// Whether a directory lists nothing, so that it can be removed.
  ///
  /// What isn't listed doesn't count, also where it is listed on demand.
  mutating func isEmpty(_ directory: NodeMeaning) throws(TreeError) -> Bool {
    if case .folder(let owner) = directory {
      makeIndex(owner)
      return folders[owner]?.index?.isEmpty != false
        && scratchNames[.folder(owner)]?.isEmpty != false
    }
    if case .entry(let owner) = directory {
      let shown = try shownItems(owner)
      return shown.isEmpty && scratchNames[.entry(owner)]?.isEmpty != false
    }
    return try listedNames(of: directory).isEmpty
  }
}
