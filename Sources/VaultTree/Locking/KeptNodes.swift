import KDBX
import Vault

/// What is kept of the nodes while the vault is locked, to give the same numbers and names again:
/// numbers and keyed hashes, no byte of a name or value.
struct KeptNodes: Sendable {
  /// A group or an entry, by its owner number.
  struct Owner: Sendable {
    let number: UInt64
    /// The folder that it lay in.
    let parent: UInt64
    let name: KeyedHash
    /// Whether it is a directory that only a save made a group of (``FolderNode/wasUndecided``).
    let wasUndecided: Bool
    /// Whether somebody had looked at the names in it.
    let hadIndex: Bool
  }

  /// A name in a directory.
  struct Place: Hashable, Sendable {
    let directory: NodeID
    let name: KeyedHash
  }

  /// What a name led to.
  struct Target: Sendable {
    let node: NodeID
    let kind: NodeKind
  }

  let hasher = NameHasher()
  /// The groups and entries by the hash of their UUID; a faulty file may give one to several.
  private(set) var owners: [KeyedHash: [Owner]] = [:]
  /// The items of entries whose number must be told again, by the hash of their key.
  private(set) var items: [UInt64: [KeyedHash: NodeID]] = [:]
  private(set) var targets: [Place: Target] = [:]
  /// Whether somebody had looked at the names in the root.
  let rootHadIndex: Bool

  /// Takes down what `state` knows.
  init(of state: inout TreeState) {
    rootHadIndex = state.folders[0]?.index != nil
    for owner in state.owners.numbers where owner != 0 { keep(owner, of: &state) }
    for owner in state.entries.keys { keepNumbers(of: owner, in: state) }
    for node in state.references.keys { keep(node, of: &state) }
  }

  /// What a name in a directory led to.
  func target(of name: [UInt8], in directory: NodeID) -> Target? {
    targets[Place(directory: directory, name: hasher.hash(name, as: .name))]
  }

  static func identity(_ uuid: VaultUUID, isEntry: Bool, _ hasher: NameHasher) -> KeyedHash {
    hasher.hash(uuid.bytes, as: isEntry ? .entry : .group)
  }

  // MARK: - Taking down

  private mutating func keep(_ owner: UInt64, of state: inout TreeState) {
    guard let child = state.child(of: owner), let parent = state.parent(of: owner),
      let name = state.name(of: owner)
    else { return }
    let isEntry = if case .entry = child { true } else { false }
    let hash = hasher.hash(name, as: .name)
    let identity = Self.identity(state.vault.child(for: child).uuid, isEntry: isEntry, hasher)
    owners[identity, default: []].append(
      Owner(
        number: owner, parent: parent, name: hash,
        wasUndecided: state.folders[owner]?.wasUndecided ?? false,
        hadIndex: state.folders[owner]?.index != nil))
    let place = Place(directory: Slot.node(parent, Slot.own), name: hash)
    targets[place] = Target(node: Slot.node(owner, Slot.own), kind: .directory)
  }

  /// The items of an entry that was touched: no other has numbers that don't follow from it.
  private mutating func keepNumbers(of owner: UInt64, in state: TreeState) {
    guard let entry = state.entries[owner] else { return }
    for (key, slot) in entry.slots.slots {
      items[owner, default: [:]][hasher.hash(key)] = Slot.node(owner, slot)
    }
    for (key, node) in entry.numbers { items[owner, default: [:]][hasher.hash(key)] = node }
  }

  /// A directory of views that is always there; the others are made anew when someone asks for them.
  private mutating func keep(_ directory: ViewDirectory, _ node: NodeID) {
    let (parent, name): (NodeID, [UInt8])
    if directory == .control {
      (parent, name) = (.root, ReservedName.control)
    } else {
      guard let found = ViewDirectory.inControl.first(where: { $0.directory == directory }) else {
        return
      }
      (parent, name) = (Slot.view(0), found.name)
    }
    let place = Place(directory: parent, name: hasher.hash(name, as: .name))
    targets[place] = Target(node: node, kind: .directory)
  }

  /// A node that the kernel holds.
  private mutating func keep(_ node: NodeID, of state: inout TreeState) {
    switch state.meaning(of: node) {
    case .item(let owner, let key):
      guard let name = try? state.fileName(of: key, owner),
        let directory = try? state.directory(of: key, owner)
      else { return }
      items[owner, default: [:]][hasher.hash(key)] = node
      let place = Place(directory: directory, name: hasher.hash(name, as: .name))
      targets[place] = Target(node: node, kind: key.isDirectory ? .directory : .file)
    case .groupNotes(let owner):
      let place = Place(
        directory: Slot.node(owner, Slot.own),
        name: hasher.hash(ReservedName.groupNotes, as: .name))
      targets[place] = Target(node: node, kind: .file)
    case .view(let directory): keep(directory, node)
    case .folder, .entry, .scratch, .link, .generated, .dead: break
    }
  }
}

extension TreeState {
  /// The directory that an item of an entry stands in.
  fileprivate mutating func directory(
    of key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> NodeID {
    switch key {
    case .attachment: return try number(of: .attachments, owner)
    case .version: return try number(of: .history, owner)
    case .inVersion(let version, .attachment):
      return try number(of: .inVersion(version, .attachments), owner)
    case .inVersion(let version, _): return try number(of: .version(version), owner)
    case .field, .tags, .expires, .totp, .hotp, .attachments, .history, .json, .env:
      return Slot.node(owner, Slot.own)
    }
  }
}
