import Ciphers
import KDBX
import Vault

/// How far the tree can be used.
enum Openness: Hashable, Sendable {
  case open
  /// A lock has begun: what is open can be read, nothing can be changed any more.
  case closing
  /// Nothing can be read; edits that could not be saved are still there.
  case shut
  /// Nothing is there.
  case locked

  /// Whether calls are answered.
  var answers: Bool { self == .open || self == .closing }
}

// Locking: what goes, and what is kept to bring the same nodes back.

extension TreeState {
  /// Makes the tree answer nothing any more, and wipes it; with `keepingEdits` all but its edits.
  ///
  /// Every open handle is dead from now on, with what it hadn't settled; temporary files go.
  mutating func lock(keepingEdits: Bool, sealing: SealingKey) {
    if kept == nil { kept = KeptNodes(of: &self) }
    if let kept { concealLog(kept.hasher) }
    closeHandles()
    if keepingEdits {
      openness = .shut
      forgetWhatWasSeen()
    } else {
      let old = self
      self = TreeState(Vault(.empty()), options, sealing: sealing, quota: quota)
      carryOver(from: old)
      openness = .locked
    }
    events.wantsSave = false
    events.invalidations =
      [.everything(.root)] + references.keys.map { .everything($0) }
  }

  /// What a wiped tree still knows: numbers.
  private mutating func carryOver(from old: TreeState) {
    started = old.started
    vaultVersion = old.vaultVersion &+ 1
    isEnding = old.isEnding
    kept = old.kept
    nextOwner = old.nextOwner
    nextView = old.nextView
    nextHandle = old.nextHandle
    firstHandle = old.firstHandle
    lostWrites = old.lostWrites
    references = old.references
    log = old.log
  }

  private mutating func closeHandles() {
    for handle in handles.values where handle.flags.contains(.write) && handle.scratch == nil {
      if unsettled[handle.node] != nil { lostWrites.insert(handle.id) }
    }
    handles = [:]
    directories = [:]
    unsettled = [:]
    firstHandle = nextHandle
    for id in scratches.keys { dropScratch(id) }
  }

  private mutating func dropScratch(_ id: ScratchID) {
    // What a field was moved aside to goes; the field stays.
    if let vacated = scratches[id]?.vacates {
      entries[vacated.owner]?.vacated[vacated.key] = nil
      entries[vacated.owner]?.overlays[vacated.key] = nil
      forgetView(vacated.owner)
    }
    if let node = scratches[id]?.node, case .scratch = overrides[node] { overrides[node] = nil }
    owners[id.number] = .lent
    scratches[id] = nil
    scratchNames = scratchNames.filter { !$0.value.values.contains(id) }
  }

  /// An open file, or why the handle is dead.
  func file(of handle: HandleID) throws(TreeError) -> FileHandle {
    if let file = handles[handle] { return file }
    throw handle.rawValue < firstHandle ? .stale : .badHandle
  }

  /// An open directory, or why the handle is dead.
  func directory(of handle: HandleID) throws(TreeError) -> DirectoryHandle {
    if let directory = directories[handle] { return directory }
    throw handle.rawValue < firstHandle ? .stale : .badHandle
  }

  /// Refuses what the kernel holds from before a lock and is no more: it then looks up the name again,
  /// which may lead elsewhere.
  func checkNotLost(_ node: NodeID) throws(TreeError) {
    if !lost.isEmpty, lost.contains(node) { throw .stale }
  }

  // MARK: - While it is locked

  /// What a name leads to that the kernel still holds: its number, and nothing else.
  mutating func lookupLocked(
    _ name: [UInt8], in directory: NodeID
  ) throws(TreeError) -> NodeAttributes {
    guard let target = kept?.target(of: name, in: directory), references[target.node] != nil else {
      throw .locked
    }
    reference(target.node)
    return blankAttributes(target.node, target.kind)
  }

  /// What `stat` may say of a node that shows nothing; not to be cached.
  func blankAttributes(_ node: NodeID, _ kind: NodeKind) -> NodeAttributes {
    NodeAttributes(
      node: node, kind: kind, permissions: kind == .directory ? 0o700 : 0o600, size: 0,
      modified: started, changed: started, accessed: started, unsettled: true)
  }
}
