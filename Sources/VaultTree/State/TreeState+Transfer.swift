import KDBX
import Vault

// Renames that move a value: done when the value has been judged.

extension TreeState {
  /// Whether both ends are still what the plan was made for.
  mutating func stands(_ transfer: Transfer) throws(TreeError) -> Bool {
    guard try stands(transfer.source) else { return false }
    return try stands(transfer.target)
  }

  private mutating func stands(_ end: FileEnd) throws(TreeError) -> Bool {
    let found = try find(end.name, in: end.directory.meaning)
    guard found?.node == end.node else { return false }
    switch end.place {
    case .item(let owner, _): return (entries[owner]?.revision ?? 0) == end.stamp
    case .scratch(_, let file): return file.changeCount == end.stamp
    }
  }

  /// Moves a judged value: stores it in the target and takes the source away.
  mutating func finish(_ transfer: Transfer, _ value: NewValue) throws(TreeError) {
    guard let (owner, key) = transfer.target.item else { return }
    let time = now()
    let isMove =
      if let source = transfer.source.item { try !isNewName(source.key, source.owner) } else {
        false
      }
    try storeMoved(value, in: key, owner, at: time, isInDocument: isMove)
    if transfer.target.directory.isAttachments { noteAttachment(owner) }
    switch transfer.source.place {
    case .item(let oldOwner, let old):
      try takeAway(old, oldOwner, at: time)
      try moveNumber(of: old, oldOwner, to: key, owner)
      noteKind(.change, owner)
      if case .attachment = old { try noteLastAttachment(oldOwner) }
    case .scratch(let id, _):
      let number = try giveUpNumber(of: id)
      try removeScratchName(transfer.source.name, in: transfer.source.directory)
      try touch(owner)
      setNumber(of: key, owner, to: number)
    }
  }

  /// Stores a value under a name that may be new: at once where it comes from the document itself.
  private mutating func storeMoved(
    _ value: NewValue, in key: ItemKey, _ owner: UInt64, at time: Timestamp, isInDocument: Bool
  ) throws(TreeError) {
    try store(value, in: key, owner, at: time)
    guard isInDocument, let fresh = entries[owner]?.overlays[key]?.fresh else { return }
    try storeNow(fresh, key, owner)
  }

  /// Puts a new field or attachment into the document.
  mutating func storeNow(
    _ fresh: FreshItem, _ key: ItemKey, _ owner: UInt64
  ) throws(TreeError) {
    let time = entries[owner]?.changed[key] ?? fresh.made
    try watchingCodes(of: owner) { (state) throws(TreeError) in
      try state.edit(owner, .bookkeeping, at: time) { (entry) throws(TreeError) in
        Self.store(fresh, as: key, in: &entry)
      }
      state.entries[owner]?.overlays[key] = nil
      state.forgetView(owner)
    }
  }

  /// Takes away what has gone elsewhere: a field's value, a new name.
  private mutating func takeAway(
    _ key: ItemKey, _ owner: UInt64, at time: Timestamp
  ) throws(TreeError) {
    try touch(owner)
    let isInDocument = try !isNewName(key, owner)
    guard entries[owner]?.overlays[key]?.fresh == nil else {
      entries[owner]?.overlays[key] = isInDocument ? .absent : nil
      noteKind(.change, owner)
      return noteEdit(owner)
    }
    guard !key.isCode else { return }
    try watchingCodes(of: owner) { (state) throws(TreeError) in
      try state.clear(key, owner, at: time)
    }
    entries[owner]?.overlays[key] = .absent
    noteKind(.change, owner)
  }

  /// Takes the number of a temporary file that becomes a field.
  private mutating func giveUpNumber(of id: ScratchID) throws(TreeError) -> NodeID {
    guard let scratch = scratches[id] else { throw .noEntry }
    // Other names that it has get a number of their own.
    let number = newNumber(.scratch(id))
    scratches[id]?.node = number
    if scratch.linkCount > 1 { tellOtherNames(of: id) }
    return scratch.node
  }

  private mutating func tellOtherNames(of id: ScratchID) {
    for (directory, names) in scratchNames {
      for (name, other) in names where other == id {
        guard let node = directory.node(self) else { continue }
        events.invalidations.append(.name(in: node, name))
      }
    }
  }

  // MARK: - Exchange

  /// Swaps two files: at once where nothing has to be judged.
  mutating func exchange(
    _ source: FileEnd, _ target: FileEnd
  ) throws(TreeError) -> RenamePlan {
    if case .scratch(let first, _) = source.place, case .scratch(let second, _) = target.place {
      scratchNames[source.directory]?[source.name] = second
      scratchNames[target.directory]?[target.name] = first
      return .done
    }
    return .exchange(
      Transfer(source: source, target: target), Transfer(source: target, target: source))
  }

  /// Swaps two files whose values have been judged for each other's place.
  ///
  /// `resting` is what a temporary file among them gets.
  mutating func finishExchange(
    _ there: (Transfer, NewValue?), _ back: (Transfer, NewValue?)
  ) throws(TreeError) {
    let time = now()
    // A code can't be given away.
    for end in [there.0.source, there.0.target] where end.item?.key.isCode == true {
      throw .invalid
    }
    try putExchanged(there, at: time)
    try putExchanged(back, at: time)
    try swapNumbers(there.0.source, there.0.target)
  }

  private mutating func putExchanged(
    _ half: (transfer: Transfer, value: NewValue?), at time: Timestamp
  ) throws(TreeError) {
    guard let (owner, key) = half.transfer.target.item, let value = half.value else { return }
    try store(value, in: key, owner, at: time)
  }

  private mutating func swapNumbers(_ first: FileEnd, _ second: FileEnd) throws(TreeError) {
    guard let firstNode = first.node, let secondNode = second.node else { return }
    try takeNumber(first, secondNode)
    try takeNumber(second, firstNode)
  }

  private mutating func takeNumber(_ end: FileEnd, _ node: NodeID) throws(TreeError) {
    switch end.place {
    case .item(let owner, let key):
      try touch(owner)
      entries[owner]?.numbers[key] = node
      overrides[node] = .item(owner, key)
    case .scratch(let id, _):
      scratches[id]?.node = node
      overrides[node] = .scratch(id)
    }
  }
}

extension FileDirectory {
  /// The node of the directory.
  func node(_ state: TreeState) -> NodeID? {
    switch self {
    case .entry(let owner), .folder(let owner): return Slot.node(owner, Slot.own)
    case .attachments(let owner):
      if let number = state.entries[owner]?.numbers[.attachments] { return number }
      return Slot.fixedSlot(of: .attachments).map { Slot.node(owner, $0) }
    }
  }

  var meaning: NodeMeaning {
    switch self {
    case .entry(let owner): .entry(owner)
    case .folder(let owner): .folder(owner)
    case .attachments(let owner): .item(owner, .attachments)
    }
  }
}
