import Ciphers
import KDBX
import Secrets
import Vault

// Temporary files: which names they may have, and how long they live.

extension TreeState {
  /// Whether a name would be temporary in a directory.
  ///
  /// A name that is a field in the vault never is.
  mutating func isTemporary(
    _ name: [UInt8], in directory: FileDirectory, isExclusive: Bool = false
  ) throws(TreeError) -> Bool {
    if let key = try itemKey(named: name, in: directory), let owner = directory.entryOwner,
      try !isNewName(key, owner)
    {
      return false
    }
    var failure: TreeError?
    let (sought, now) = (soughtNames, options.monotonic())
    let isTemporary = TemporaryNames.isTemporary(
      name, isExclusive: isExclusive,
      stands: { name in
        do throws(TreeError) {
          return try stands(name, in: directory)
        } catch {
          failure = error
          return false
        }
      }, wasSought: { sought.wasSought($0, in: directory, at: now) })
    if let failure { throw failure }
    return isTemporary
  }

  /// Whether a user's name stands in a directory, or did until it was moved aside or removed.
  private mutating func stands(
    _ name: [UInt8], in directory: FileDirectory
  ) throws(TreeError) -> Bool {
    guard let owner = directory.entryOwner, let key = try itemKey(named: name, in: directory),
      !key.isDirectory, !key.isReadOnly
    else { return false }
    if entries[owner]?.overlays[key] != nil { return true }
    return try isShown(key, owner)
  }

  private mutating func itemKey(
    named name: [UInt8], in directory: FileDirectory
  ) throws(TreeError) -> ItemKey? {
    switch directory {
    case .entry(let owner): try itemKey(named: name, owner)
    case .attachments(let owner): try attachmentKey(named: name, owner)
    case .folder: nil
    }
  }

  /// Makes a temporary file.
  ///
  /// `node` is a number that it takes over from the field that it was.
  @discardableResult
  mutating func makeScratch(
    _ name: [UInt8], in directory: FileDirectory, _ base: RestingBytes = .empty, count: Int = 0,
    node: NodeID? = nil, target: [UInt8]? = nil
  ) -> ScratchID {
    let id = ScratchID(number: nextOwner)
    let number = newNumber(.scratch(id))
    if let node { overrides[node] = .scratch(id) }
    scratches[id] = ScratchNode(
      node: node ?? number,
      file: ScratchFile(
        base, count: count, isBesideAttachments: directory.isAttachments, quota: quota),
      target: target, modified: now())
    scratchNames[directory, default: [:]][name] = id
    return id
  }

  /// Takes a name of a temporary file away; the file goes with its last name and its last user.
  mutating func removeScratchName(
    _ name: [UInt8], in directory: FileDirectory
  ) throws(TreeError) {
    guard let id = scratchNames[directory]?.removeValue(forKey: name) else { return }
    if scratchNames[directory]?.isEmpty == true { scratchNames[directory] = nil }
    if case .attachments(let owner) = directory { try noteLastAttachment(owner) }
    scratches[id]?.linkCount -= 1
    guard scratches[id]?.linkCount == 0 else { return }
    try endVacancy(of: id)
    dropIfGone(id)
  }

  /// The value of a field goes with the temporary file that holds it, unless something has taken the
  /// field's place.
  private mutating func endVacancy(of id: ScratchID) throws(TreeError) {
    guard let vacated = scratches[id]?.vacates else { return }
    scratches[id]?.vacates = nil
    let (owner, key) = (vacated.owner, vacated.key)
    guard entries[owner]?.vacated.removeValue(forKey: key) != nil,
      case .absent = entries[owner]?.overlays[key]
    else { return }
    let time = now()
    try watchingCodes(of: owner) { (state) throws(TreeError) in
      try state.clear(key, owner, at: time)
    }
  }

  /// Forgets a temporary file that has no name any more and isn't open.
  ///
  /// The kernel may still hold its number, which it gives back in its own time: nobody waits for that
  /// who needs the room.
  mutating func dropIfGone(_ id: ScratchID) {
    guard let scratch = scratches[id], scratch.linkCount == 0,
      !handles.values.contains(where: { $0.node == scratch.node })
    else { return }
    scratches[id] = nil
    if case .scratch(id) = overrides[scratch.node] { overrides[scratch.node] = nil }
    owners[id.number] = .lent
  }
}

extension FileDirectory {
  /// The entry that it belongs to; nil for a directory that is none yet.
  var entryOwner: UInt64? {
    switch self {
    case .entry(let owner), .attachments(let owner): owner
    case .folder: nil
    }
  }

  var isAttachments: Bool {
    if case .attachments = self { true } else { false }
  }

  /// The directory of files that a node is; nil for a group's or an old version's.
  init?(_ meaning: NodeMeaning) {
    switch meaning {
    case .entry(let owner): self = .entry(owner)
    case .item(let owner, .attachments): self = .attachments(owner)
    case .folder(let owner): self = .folder(owner)
    case .item, .groupNotes, .scratch, .view, .link, .generated, .dead: return nil
    }
  }
}
