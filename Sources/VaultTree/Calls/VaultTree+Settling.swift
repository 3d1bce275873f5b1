import Ciphers
import KDBX
import Secrets
import Synchronization
import Vault

extension VaultTree {
  /// Settles what was written since the last settling (`close`).
  ///
  /// A handle that died at a lock has nothing to settle; its `close` fails where writes were lost.
  package func flush(_ handle: HandleID) throws(TreeError) {
    let (file, hasLost, isDead, isLocked) = locked { state in
      (
        state.handles[handle], state.lostWrites.contains(handle),
        handle.rawValue < state.firstHandle, !state.openness.answers
      )
    }
    guard let file else {
      if hasLost { throw isLocked ? .locked : .stale }
      if !isDead { throw .badHandle }
      return
    }
    try file.draft.withLock { (draft) throws(TreeError) in
      if let failure = draft.failure { throw failure }
      if draft.hasWritten { try settle(file, &draft) }
    }
  }

  /// Settles, and says whether the vault must be saved (`fsync`, of directories too).
  package func synchronize(_ handle: HandleID) throws(TreeError) -> SyncNeed {
    let isDirectory = try locked { (state) throws(TreeError) in
      state.directories[handle] != nil
    }
    if isDirectory { return .save }
    let file = try openFile(handle)
    try file.draft.withLock { (draft) throws(TreeError) in
      if let failure = draft.failure { throw failure }
      if draft.isUnsettled { try settle(file, &draft) }
    }
    return locked { state in
      switch state.meaning(of: file.node) {
      case .scratch, .view, .link, .generated, .dead: return .nothing
      case .item(let owner, let key):
        state.await(key, owner)
        return .save
      case .folder, .entry, .groupNotes: return .save
      }
    }
  }

  /// Closes a handle for good.
  package func release(_ handle: HandleID) {
    // The file goes, and is wiped, when the lock has been given back.
    let (found, isReleased) = locked { state -> (FileHandle?, Bool) in
      guard let file = state.handles[handle] else {
        state.directories[handle] = nil
        state.lostWrites.remove(handle)
        return (nil, true)
      }
      // A file that was only read leaves nothing to settle.
      guard file.flags == .read, file.scratch == nil else { return (file, false) }
      state.release(file, wasRefused: false)
      return (file, true)
    }
    guard let file = found, !isReleased else { return }
    let wasRefused = file.draft.withLock { draft in
      // Nobody waits for this and sees no error: only an emptying that nothing followed settles here.
      if draft.failure == nil, draft.isTruncatedAlone { try? settle(file, &draft) }
      if draft.isMarkedUnsettled { locked { $0.unmarkUnsettled(file.node) } }
      return draft.failure != nil
    }
    file.scratch?.rest(sealedBy: sealing)
    locked { $0.release(file, wasRefused: wasRefused) }
  }

  /// Turns what a handle has gathered into an edit; the first refusal sticks to the handle.
  private func settle(_ file: FileHandle, _ draft: inout HandleDraft) throws(TreeError) {
    do throws(TreeError) {
      while try !settleOnce(file, &draft) {}
    } catch {
      draft.failure = error
      throw error
    }
    draft.hasWritten = false
    draft.isTruncatedAlone = false
    guard draft.isMarkedUnsettled else { return }
    draft.isMarkedUnsettled = false
    locked { $0.unmarkUnsettled(file.node) }
  }

  /// False when the value has changed while this one was judged, and all begins anew.
  private func settleOnce(
    _ file: FileHandle, _ draft: inout HandleDraft
  ) throws(TreeError) -> Bool {
    let target = try locked { (state) throws(TreeError) in
      try state.checkWritable()
      return try state.settleTarget(file.node)
    }
    switch target {
    case .none:
      file.scratch?.rest(sealedBy: sealing)
      return true
    case .scratch(let scratch):
      if scratch !== file.scratch { try pour(&draft, into: scratch) }
      scratch.rest(sealedBy: sealing)
      locked { $0.noteScratchChange(file.node) }
      return true
    case .value(let current, let key, let revision):
      let isAddition = file.scratch == nil && !draft.isReplaced
      let verdict = try judge(file, &draft, over: current, key)
      let hasStored = try locked { (state) throws(TreeError) in
        // What a lock has dropped meanwhile is not settled after the unlock.
        _ = try state.file(of: file.id)
        let isDone = try state.storeSettled(
          verdict.value, node: file.node, onlyAt: isAddition ? revision : nil)
        if isDone, verdict.value.isChange {
          state.note(.write, state.subject(of: state.meaning(of: file.node)), by: draft.writer)
        }
        return isDone
      }
      guard hasStored else { return false }
      file.scratch?.rest(sealedBy: sealing)
      if file.scratch == nil {
        // An addition shows the value that it has become part of, anything else what was written.
        draft.settle(as: .text(.sealed(verdict.raw)), count: verdict.raw.count)
      }
      return true
    }
  }

  /// Judges what a handle has gathered for the file that it now is.
  ///
  /// `key` is nil for a group's notes.
  private func judge(
    _ file: FileHandle, _ draft: inout HandleDraft, over current: RestingBytes, _ key: ItemKey?
  ) throws(TreeError) -> Judge.Verdict {
    let judge = Judge(isExact: options.isExact, sealing: sealing)
    // Let go of before the value is stored: a document held meanwhile would be copied.
    let document = document()
    func verdict(_ bytes: Span<UInt8>) throws(TreeError) -> Judge.Verdict {
      guard let key else { return try judge.judgeText(bytes, over: current, in: document) }
      return try judge.judge(bytes, for: key, over: current, in: document)
    }
    if let scratch = file.scratch {
      var bytes = WipedBuffer()
      try scratch.rest(sealedBy: sealing).0.open(in: document, into: &bytes)
      return try verdict(bytes.bytes)
    }
    guard !draft.isReplaced else {
      try draft.content.open { document }
      return try draft.content.withPlain(verdict)
    }
    var bytes = WipedBuffer()
    try current.open(in: document, into: &bytes)
    if file.rule.hasLines, Self.beginsLine(draft.addition.bytes, behind: bytes.bytes) {
      bytes.append(UInt8(ascii: "\n"))
    }
    bytes.append(draft.addition.bytes)
    return try verdict(bytes.bytes)
  }

  /// Whether an addition begins a new line: it ends in a line feed, and what it is added to isn't empty
  /// and ends in none.
  static func beginsLine(_ addition: Span<UInt8>, behind value: Span<UInt8>) -> Bool {
    let lineFeed = UInt8(ascii: "\n")
    guard !addition.isEmpty, !value.isEmpty else { return false }
    return addition[addition.count - 1] == lineFeed && value[value.count - 1] != lineFeed
  }

  /// A file became temporary while it was open for writing: its writes go there.
  private func pour(
    _ draft: inout HandleDraft, into scratch: ScratchFile
  ) throws(TreeError) {
    if draft.isReplaced {
      let count = draft.content.count
      try scratch.replace(with: draft.content.rest(sealedBy: sealing), count: count)
    } else {
      try scratch.write(draft.addition.bytes, at: nil, document)
    }
    let (resting, count) = scratch.rest(sealedBy: sealing)
    draft.settle(as: resting, count: count)
  }
}

/// Where a handle's writes go when it settles.
enum SettleTarget: Sendable {
  /// Nowhere: the file is gone.
  case none
  case scratch(ScratchFile)
  /// A value of the vault; `key` is nil for a group's notes.
  case value(RestingBytes, key: ItemKey?, revision: UInt64)
}

extension TreeState {
  mutating func settleTarget(_ node: NodeID) throws(TreeError) -> SettleTarget {
    switch meaning(of: node) {
    case .dead, .folder, .entry, .view, .link, .generated: return .none
    case .scratch(let id):
      guard let scratch = scratches[id] else { return .none }
      return .scratch(scratch.file)
    case .groupNotes(let owner):
      guard let group = groupID(owner) else { return .none }
      let notes = vault.document.group(group).notes ?? .empty
      return .value(.text(notes), key: nil, revision: structure)
    case .item(let owner, let key):
      let revision = entries[owner]?.revision ?? 0
      return .value(try settledValue(of: key, owner), key: key, revision: revision)
    }
  }

  /// Stores a settled value; false when `revision` is given and isn't the present one.
  mutating func storeSettled(
    _ value: NewValue, node: NodeID, onlyAt revision: UInt64?
  ) throws(TreeError) -> Bool {
    try checkWritable()
    let time = now()
    switch meaning(of: node) {
    case .item(let owner, let key):
      if let revision, revision != entries[owner]?.revision ?? 0 { return false }
      try store(value, in: key, owner, at: time)
      return true
    case .groupNotes(let owner):
      if let revision, revision != structure { return false }
      guard case .text(let text) = value, let group = groupID(owner) else { return true }
      vault.edit(group, at: Self.vaultTime(time)) { $0.notes = text }
      folders[owner]?.notesChanged = time
      folders[owner]?.removedNotes = nil
      noteStructure()
      events.invalidate(node)
      events.invalidate(Slot.node(owner, Slot.own))
      return true
    case .dead, .scratch, .folder, .entry, .view, .link, .generated:
      // It has changed into something else meanwhile.
      return false
    }
  }

  mutating func noteScratchChange(_ node: NodeID) {
    guard case .scratch(let id) = meaning(of: node) else { return }
    let time = now()
    scratches[id]?.modified = time
  }

  /// An `fsync` asked for a new file that is closed: the next save of any reason stores it.
  ///
  /// Not while it is being written: a program that syncs a temporary file under a name that we don't
  /// know for one is about to rename it.
  mutating func await(_ key: ItemKey, _ owner: UInt64) {
    guard var fresh = entries[owner]?.overlays[key]?.fresh, fresh.writers <= 0 else { return }
    fresh.isAwaited = true
    entries[owner]?.overlays[key] = .fresh(fresh)
  }

  /// Lets a handle go.
  mutating func release(_ file: FileHandle, wasRefused: Bool) {
    handles[file.id] = nil
    // What belongs to an entry that nobody touched needs no more.
    if overrides[file.node] == nil, file.scratch == nil, entries[Slot.owner(of: file.node)] == nil {
      return
    }
    switch meaning(of: file.node) {
    case .scratch(let id): dropIfGone(id)
    case .item(let owner, let key): releaseItem(key, owner, file, wasRefused)
    case .folder, .entry, .groupNotes, .view, .link, .generated, .dead: break
    }
  }

  private mutating func releaseItem(
    _ key: ItemKey, _ owner: UInt64, _ file: FileHandle, _ wasRefused: Bool
  ) {
    guard var fresh = entries[owner]?.overlays[key]?.fresh else { return }
    if file.flags.contains(.write) { fresh.writers -= 1 }
    if fresh.writers <= 0 { fresh.closed = fresh.closed ?? options.monotonic() }
    entries[owner]?.overlays[key] = .fresh(fresh)
    if fresh.hasSettled {
      events.wantsSave = true
    } else if wasRefused, fresh.writers <= 0 {
      // Never more than a name: what was to be in it was refused, aloud.
      dropFresh(key, owner)
    }
  }

  private mutating func dropFresh(_ key: ItemKey, _ owner: UInt64) {
    guard let name = try? fileName(of: key, owner), let isNew = try? isNewName(key, owner),
      (try? retireNumber(of: key, owner)) != nil
    else { return }
    entries[owner]?.overlays[key] = isNew ? nil : .absent
    let directory: FileDirectory =
      if case .attachment = key { .attachments(owner) } else { .entry(owner) }
    if case .attachment = key { try? noteLastAttachment(owner) }
    guard let node = directory.node(self) else { return }
    events.invalidations += [.name(in: node, name), .listing(node)]
  }
}
