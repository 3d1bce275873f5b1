import Ciphers
import KDBX
import Vault

/// All that the tree knows, behind one lock.
///
/// Nothing in it waits for anything: no file, no other lock but those of atomics.
struct TreeState {
  var vault: Vault
  let options: TreeOptions
  let sealing: SealingKey
  let quota: ScratchQuota
  /// When the tree was made: the times of what has none.
  let started: Timestamp
  /// From now on nothing changes any more.
  var isEnding = false

  /// What owner numbers were given to; the root has 0.
  var owners: [UInt64: OwnerKind]
  var nextOwner: UInt64 = 1
  /// Counts the new fields and attachments.
  var nextFresh: UInt64 = 0
  var groupOwners: [GroupID: UInt64]
  var entryOwners: [EntryID: UInt64] = [:]
  var folders: [UInt64: FolderNode]
  /// The entries that were touched.
  var entries: [UInt64: EntryNode] = [:]
  /// The meanings of node numbers that stand for something else than they were made for.
  var overrides: [NodeID: NodeMeaning] = [:]
  /// How many references of the kernel's each node has.
  var references: [NodeID: UInt64] = [:]

  var scratches: [ScratchID: ScratchNode] = [:]
  var scratchNames: [FileDirectory: [[UInt8]: ScratchID]] = [:]

  var handles: [HandleID: FileHandle] = [:]
  var directories: [HandleID: DirectoryHandle] = [:]
  var nextHandle: UInt64 = 1
  /// How many handles hold unsettled writes of a node.
  var unsettled: [NodeID: Int] = [:]

  /// Entries that aren't in the file yet.
  var newEntries: Set<EntryID> = []
  /// What came into the recycle bin in this mount.
  var arrivals: Set<ChildID> = []
  /// Counts the changes that are no edit of an entry: moves, removals, groups.
  var structure: UInt64 = 0
  var savedStructure: UInt64 = 0
  var saves: [UInt64: SaveRecord] = [:]
  var nextSave: UInt64 = 1

  /// Views of entries that were lately looked at.
  private var views: [UInt64: EntryView] = [:]
  private static let viewLimit = 256

  /// What to tell once the lock is given back.
  var events = TreeEvents()

  init(_ vault: Vault, _ options: TreeOptions, sealing: SealingKey, quota: ScratchQuota) {
    self.vault = vault
    self.options = options
    self.sealing = sealing
    self.quota = quota
    started = options.now()
    let root = vault.document.root
    owners = [0: .group(root)]
    groupOwners = [root: 0]
    folders = [0: FolderNode()]
  }

  /// The time that an edit bears.
  static func vaultTime(_ time: Timestamp) -> VaultTime { VaultTime(unixSeconds: time.seconds) }

  func now() -> Timestamp { options.now() }

  /// Refuses changes where there can be none.
  func checkWritable() throws(TreeError) {
    guard !options.isReadOnly, !isEnding else { throw .readOnly }
  }

  // MARK: - Views

  /// The entry of an owner, taken apart.
  mutating func view(_ owner: UInt64) throws(TreeError) -> EntryView {
    if let view = views[owner] { return view }
    guard case .entry(let id) = owners[owner] else { throw .noEntry }
    let hasNewNames = entries[owner]?.overlays.values.contains { $0.fresh != nil } == true
    let filled = hasNewNames ? try materialized(owner) : nil
    let view = EntryView(vault.document.entry(id), filled: filled, in: vault)
    if views.count >= Self.viewLimit { views.removeAll(keepingCapacity: true) }
    views[owner] = view
    return view
  }

  mutating func forgetView(_ owner: UInt64) { views[owner] = nil }

  /// Takes up bookkeeping of an entry; call before the first change of anything about it.
  mutating func touch(_ owner: UInt64) throws(TreeError) {
    guard entries[owner] == nil else { return }
    let view = try view(owner)
    entries[owner] = EntryNode(slots: SlotTable(view))
  }

  func entryID(_ owner: UInt64) throws(TreeError) -> EntryID {
    guard case .entry(let id) = owners[owner] else { throw .noEntry }
    return id
  }
}

/// What an owner number was given to.
enum OwnerKind: Sendable {
  case group(GroupID)
  case entry(EntryID)
  /// A directory that is no group and no entry yet.
  case undecided
  case scratch(ScratchID)
  /// A number that stands for something of another owner's (``TreeState/overrides``), or for nothing.
  case lent
}

/// What to tell others when the lock has been given back.
struct TreeEvents {
  var invalidations: [Invalidation] = []
  var wantsSave = false

  mutating func invalidate(_ node: NodeID) { invalidations.append(.attributes(node)) }
}
