import Ciphers
import KDBX
import Vault

/// All that the tree knows, behind one lock.
///
/// Nothing in it waits for anything: no file, no other lock but those of atomics.
struct TreeState {
  var vault: Vault {
    didSet {
      vaultVersion &+= 1
      searchIndex = nil
    }
  }
  /// Counts the changes of the vault.
  var vaultVersion: UInt64 = 0
  /// All words of the vault as it is, once somebody has looked for some.
  var searchIndex: SearchIndex?
  let options: TreeOptions
  let sealing: SealingKey
  let quota: ScratchQuota
  /// When the tree was made: the times of what has none.
  var started: Timestamp
  /// From now on nothing changes any more.
  var isEnding = false

  /// Whether it is locked.
  var openness = Openness.open
  /// What brings the same nodes back after a lock; while it is locked only.
  var kept: KeptNodes?
  /// What the kernel held at the last unlock and was no more.
  var lost: Set<NodeID> = []
  /// Handles with a lower number died at a lock.
  var firstHandle: UInt64 = 1
  /// Those of them that had unsettled writes.
  var lostWrites: Set<HandleID> = []

  /// What owner numbers were given to; the root has 0.
  var owners = OwnerTable()
  var nextOwner: UInt64 = 1
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

  /// Names that somebody asked for in vain.
  var soughtNames = SoughtNames()

  var handles: [HandleID: FileHandle] = [:]
  var directories: [HandleID: DirectoryHandle] = [:]
  var nextHandle: UInt64 = 1
  /// How many handles hold unsettled writes of a node.
  var unsettled: [NodeID: Int] = [:]

  /// Counts the new fields and attachments.
  var nextFresh: UInt64 = 0

  /// Entries that aren't in the file yet.
  var newEntries: Set<EntryID> = []
  /// What came into the recycle bin in this mount.
  var arrivals: Set<ChildID> = []
  /// Where what this mount put into the recycle bin lay before.
  var origins: [ChildID: GroupID] = [:]
  /// Counts the changes that are no edit of an entry: moves, removals, groups.
  var structure: UInt64 = 0
  var savedStructure: UInt64 = 0
  var saves: [UInt64: SaveRecord] = [:]
  var nextSave: UInt64 = 1

  /// The numbers of the directories below `.kdbxfs` that someone knows, but for the lasting ones.
  var viewNumbers: [ViewDirectory: NodeID] = [:]
  var viewDirectories: [NodeID: ViewDirectory] = [:]
  var nextView = UInt64(ViewDirectory.lasting.count)
  /// What was found in them lately.
  var viewContents: [ViewDirectory: ViewContent] = [:]
  /// The words that `.kdbxfs/generate/words` showed last, or shows next.
  var generatedWords: GeneratedWords?
  /// Who read and wrote what.
  var log = AccessLog()
  /// The log as a file, for who opens it next.
  var logText: LogText?
  /// Counts what changes what they hold.
  var viewStamp: UInt64 = 0

  /// Views of entries that were lately looked at.
  private var views = ViewCache()
  /// The codes of those among them that may have any.
  private var knownCodes: [UInt64: EntryCodes] = [:]
  private static let codesLimit = 4096
  /// The old versions of the entry whose history was looked at last.
  private var lastHistory: History?

  /// What to tell once the lock is given back.
  var events = TreeEvents()

  init(_ vault: Vault, _ options: TreeOptions, sealing: SealingKey, quota: ScratchQuota) {
    self.vault = vault
    self.options = options
    self.sealing = sealing
    self.quota = quota
    started = options.now()
    let root = vault.document.root
    owners[0] = .group(root)
    groupOwners = [root: 0]
    folders = [0: FolderNode()]
  }

  /// The time that an edit bears.
  static func vaultTime(_ time: Timestamp) -> VaultTime { VaultTime(unixSeconds: time.seconds) }

  func now() -> Timestamp { options.now() }

  /// Refuses changes where there can be none.
  func checkWritable() throws(TreeError) {
    guard !options.isReadOnly, !isEnding else { throw .readOnly }
    guard openness == .open else { throw .locked }
  }

  // MARK: - Views

  /// The entry of an owner, taken apart.
  mutating func view(_ owner: UInt64) throws(TreeError) -> EntryView {
    if let view = views[owner] { return view }
    let view = EntryView(try entry(owner), in: vault.document.values)
    views.keep(view, of: owner)
    return view
  }

  /// Forgets what was worked out of an entry; call when anything about it has changed.
  mutating func forgetView(_ owner: UInt64) {
    views.forget(owner)
    knownCodes[owner] = nil
    if lastHistory?.owner == owner { lastHistory = nil }
  }

  /// Forgets all that was worked out for who looked at it.
  mutating func forgetWhatWasSeen() {
    views = ViewCache()
    knownCodes = [:]
    lastHistory = nil
    viewContents = [:]
    generatedWords = nil
    logText = nil
    searchIndex = nil
    soughtNames = SoughtNames()
  }

  /// The entry of an owner as the document has it.
  func entry(_ owner: UInt64) throws(TreeError) -> Entry {
    vault.document.entry(try entryID(owner))
  }

  /// The entry with new fields that aren't in the document yet: what codes are made from.
  mutating func filledEntry(_ owner: UInt64) throws(TreeError) -> Entry {
    hasNewNames(owner) ? try materialized(owner) : try entry(owner)
  }

  func hasNewNames(_ owner: UInt64) -> Bool {
    entries[owner]?.overlays.values.contains { $0.fresh != nil } == true
  }

  /// Whether an entry has one-time codes.
  mutating func codes(_ owner: UInt64) throws(TreeError) -> EntryCodes {
    guard try view(owner).mayHaveCode || hasNewNames(owner) else { return EntryCodes() }
    if let codes = knownCodes[owner] { return codes }
    let entry = try filledEntry(owner)
    let codes = EntryCodes(
      time: .init(vault.oneTimeCode(of: entry, at: 0)), counter: .init(vault.counterCode(of: entry))
    )
    if knownCodes.count >= Self.codesLimit { knownCodes = [:] }
    knownCodes[owner] = codes
    return codes
  }

  /// The old versions of an entry.
  mutating func history(_ owner: UInt64) throws(TreeError) -> VersionList {
    if let history = lastHistory, history.owner == owner { return history.list }
    let list = VersionList(of: try entry(owner))
    lastHistory = History(owner: owner, list: list)
    return list
  }

  /// An old version, taken apart; nil where there is none of that name.
  mutating func version(named name: [UInt8], _ owner: UInt64) throws(TreeError) -> EntryView? {
    let list = try history(owner)
    if let version = lastHistory?.version, version.name == name { return version.view }
    guard let entry = list.version(named: name) else { return nil }
    let view = EntryView(entry, in: vault.document.values)
    lastHistory?.version = (name, view)
    return view
  }

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

/// The old versions of an entry, and the one of them that was looked at last.
private struct History: Sendable {
  let owner: UInt64
  let list: VersionList
  var version: (name: [UInt8], view: EntryView)?
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

  var isEmpty: Bool { !wantsSave && invalidations.isEmpty }

  mutating func invalidate(_ node: NodeID) { invalidations.append(.attributes(node)) }
}
