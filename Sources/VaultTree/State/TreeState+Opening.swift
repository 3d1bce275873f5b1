import KDBX
import Vault

// Opening and making files.

extension TreeState {
  /// Opens a file, not yet emptied where it is temporary.
  ///
  /// Of a file that has gone the kernel may hold the name a while longer: ``TreeError/stale`` has it look
  /// the name up again, and make the file if that was asked for.
  mutating func open(
    _ node: NodeID, _ meaning: NodeMeaning, _ flags: OpenFlags
  ) throws(TreeError) -> FileHandle {
    let changes = flags.contains(.write) || flags.contains(.truncate)
    switch meaning {
    case .folder, .entry, .view: throw .isDirectory
    case .link: throw .invalid
    case .generated(let file):
      guard !changes else { throw .readOnlyFile }
      return try open(node, openGenerated(file), flags, .nothing, nil)
    case .dead: throw .stale
    case .scratch(let id):
      guard let scratch = scratches[id], scratch.target == nil else { throw .stale }
      if changes { try checkWritable() }
      let draft = HandleDraft(.empty, count: 0)
      return add(node, flags, scratch: scratch.file, rule: .scratch, nil, draft)
    case .groupNotes(let owner):
      if changes { try checkWritable() }
      guard let group = groupID(owner) else { throw .stale }
      let notes = RestingBytes.text(vault.document.group(group).notes ?? .empty)
      return try open(node, notes, flags, .field, subject(of: meaning))
    case .item(let owner, let key):
      if key.isDirectory { throw .isDirectory }
      guard let value = try reachableValue(of: key, owner)?.bytes else { throw .stale }
      if key.isReadOnly {
        guard !changes else { throw .readOnlyFile }
      } else if changes {
        try checkWritable()
        if flags.contains(.write) { try countWriter(key, owner, 1) }
      }
      return try open(node, value, flags, WriteRule(key), subject(of: meaning))
    }
  }

  private mutating func open(
    _ node: NodeID, _ value: RestingBytes, _ flags: OpenFlags, _ rule: WriteRule,
    _ subject: AccessSubject?
  ) throws(TreeError) -> FileHandle {
    var draft = HandleDraft(value, count: try value.count(in: vault.document))
    if flags.contains(.truncate) {
      draft.content.clear()
      draft.isReplaced = true
      draft.isTruncatedAlone = true
      draft.isMarkedUnsettled = true
      markUnsettled(node)
    }
    return add(node, flags, scratch: nil, rule: rule, subject, draft)
  }

  private mutating func add(
    _ node: NodeID, _ flags: OpenFlags, scratch: ScratchFile?, rule: WriteRule,
    _ subject: AccessSubject?, _ draft: consuming HandleDraft
  ) -> FileHandle {
    let handle = FileHandle(
      newHandle(), node, flags, scratch: scratch, rule: rule, values: vault.document.values,
      opened: flags.contains(.write) ? options.monotonic() : nil, subject: subject, draft: draft)
    handles[handle.id] = handle
    return handle
  }

  mutating func newHandle() -> HandleID {
    nextHandle += 1
    return HandleID(rawValue: nextHandle - 1)
  }

  mutating func markUnsettled(_ node: NodeID) {
    unsettled[node, default: 0] += 1
    events.invalidate(node)
  }

  mutating func unmarkUnsettled(_ node: NodeID) {
    guard let count = unsettled[node] else { return }
    unsettled[node] = count > 1 ? count - 1 : nil
    events.invalidate(node)
  }

  /// Counts who has a new file open for writing.
  mutating func countWriter(
    _ key: ItemKey, _ owner: UInt64, _ difference: Int
  ) throws(TreeError) {
    guard var fresh = entries[owner]?.overlays[key]?.fresh else { return }
    fresh.writers += difference
    if fresh.writers <= 0 { fresh.closed = options.monotonic() }
    entries[owner]?.overlays[key] = .fresh(fresh)
  }

  // MARK: - Making

  /// Makes a file, or opens the one that is there.
  mutating func create(
    _ name: [UInt8], in directory: NodeMeaning, _ flags: OpenFlags
  ) throws(TreeError) -> FileHandle {
    if let found = try find(name, in: directory) {
      guard !flags.contains(.exclusive) else { throw .exists }
      return try open(found.node, found.meaning, flags)
    }
    let flags = flags.union(.truncate)
    let found = try makeFile(name, in: directory, isExclusive: flags.contains(.exclusive))
    return try open(found.node, found.meaning, flags)
  }

  /// Makes an empty file that isn't there yet.
  private mutating func makeFile(
    _ name: [UInt8], in directory: NodeMeaning, isExclusive: Bool
  ) throws(TreeError) -> FoundNode {
    let (directory, isTemporary) = try prepareNewFile(name, in: directory, isExclusive)
    if isTemporary {
      let id = makeScratch(name, in: directory)
      guard let scratch = scratches[id] else { throw .noEntry }
      return FoundNode(node: scratch.node, meaning: .scratch(id))
    }
    guard let owner = directory.entryOwner else { throw .notPermitted }
    let key = try newKey(named: name, in: directory)
    try touch(owner)
    let time = now()
    let fresh = newItem(key, owner, at: time)
    entries[owner]?.overlays[key] = .fresh(fresh)
    entries[owner]?.changed[key] = time
    noteKind(.change, owner)
    if directory.isAttachments { noteAttachment(owner) }
    return FoundNode(node: try number(of: key, owner), meaning: .item(owner, key))
  }

  /// A new field or attachment, with nothing in it.
  mutating func newItem(_ key: ItemKey, _ owner: UInt64, at time: Timestamp) -> FreshItem {
    nextFresh += 1
    return FreshItem(isProtected: protects(key, owner), made: time, place: nextFresh)
  }

  /// Sees to it that a directory can hold a new file: an undecided one becomes an entry, unless the
  /// name is temporary, which decides nothing.
  ///
  /// Nothing has changed when it throws.
  mutating func prepareNewFile(
    _ name: [UInt8], in meaning: NodeMeaning, _ isExclusive: Bool
  ) throws(TreeError) -> (FileDirectory, isTemporary: Bool) {
    guard let directory = FileDirectory(meaning) else {
      switch meaning {
      case .item(_, let key) where key.isReadOnly && key.isDirectory: throw .readOnlyFile
      case .view: throw .readOnlyFile
      case .dead: throw .noEntry
      default: throw .notDirectory
      }
    }
    try checkWritable()
    if try isTemporary(name, in: directory, isExclusive: isExclusive) {
      if case .folder(let owner) = directory, !isUndecided(owner) { throw .notPermitted }
      if directory.isAttachments, let owner = directory.entryOwner { noteAttachment(owner) }
      return (directory, true)
    }
    guard case .folder(let folder) = directory else { return (directory, false) }
    return (try decide(folder, forFile: name), false)
  }

  private mutating func decide(
    _ folder: UInt64, forFile name: [UInt8]
  ) throws(TreeError) -> FileDirectory {
    if isUndecided(folder), let parent = parent(of: folder), isUndecided(parent),
      canBecomeEntry(parent), self.name(of: folder) == ReservedName.attachments
    {
      // A file in `attachments` makes the directory above it an entry.
      _ = try newKey(named: name, in: .attachments(parent))
      try decideEntry(parent)
      return .attachments(parent)
    }
    guard canBecomeEntry(folder) else { throw .notPermitted }
    _ = try newKey(named: name, in: .entry(folder))
    try decideEntry(folder)
    return .entry(folder)
  }

  /// What a new file under a user's name is; refused is what a vault can't hold under that name.
  func newKey(named name: [UInt8], in directory: FileDirectory) throws(TreeError) -> ItemKey {
    guard !directory.isAttachments else {
      return .attachment(try Self.decodedName(name, in: .attachments))
    }
    if let key = FieldNames.standardKey(of: name) { return .field(key) }
    switch name {
    case ReservedName.tags: return .tags
    case ReservedName.expires: return .expires
    case ReservedName.totp: return .totp
    case ReservedName.hotp: return .hotp
    case ReservedName.json, ReservedName.env: throw .readOnlyFile
    case FieldNames.nameless:
      // Only what was moved aside or removed comes back without a name.
      guard let owner = directory.entryOwner, entries[owner]?.overlays[.field([])] != nil else {
        throw .invalid
      }
      return .field([])
    default:
      let key = try Self.decodedName(name, in: .entry)
      guard !FieldKey.isStandard(key) else { throw .invalid }
      return .field(key)
    }
  }

  /// What a name that the user gives spells, if the rules would show it just so.
  static func decodedName(
    _ name: [UInt8], in place: NamePlace
  ) throws(TreeError) -> [UInt8] {
    if let problem = TextCheck.firstProblem(in: name.span) { throw TreeError(problem) }
    let decoded = NameCoding.decoded(name)
    guard !decoded.isEmpty, NameCoding.encoded(decoded, in: place) == name,
      TextCheck.firstProblem(in: decoded.span) == nil
    else { throw .invalid }
    return decoded
  }
}

extension WriteRule {
  /// What a file of an entry can hold.
  init(_ key: ItemKey) {
    self =
      switch key {
      case .field: .field
      case .attachment: .attachment
      case .tags: .formatted(.tags, limit: 1 << 20)
      case .expires: .formatted(.expiry, limit: 1 << 20)
      case .totp, .hotp: .formatted(.code, limit: 1 << 20)
      case .attachments, .history, .version, .inVersion, .json, .env: .nothing
      }
  }
}

extension TreeError {
  init(_ problem: TextProblem) {
    self =
      switch problem {
      case .notUTF8: .illegalSequence
      case .forbiddenCharacter: .invalid
      }
  }
}
