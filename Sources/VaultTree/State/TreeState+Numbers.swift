import KDBX

// Node numbers: running, kept over moves and renames, never given twice.

extension TreeState {
  /// A node number that nothing has had yet.
  mutating func newNumber(_ kind: OwnerKind = .lent) -> NodeID {
    let owner = newOwner(kind)
    return Slot.node(owner, Slot.own)
  }

  mutating func newOwner(_ kind: OwnerKind) -> UInt64 {
    let owner = nextOwner
    nextOwner += 1
    owners[owner] = kind
    return owner
  }

  /// The owner number of a group or entry of the document.
  mutating func owner(of child: ChildID) -> UInt64 {
    switch child {
    case .group(let id):
      if let owner = groupOwners[id] { return owner }
      let owner = newOwner(.group(id))
      groupOwners[id] = owner
      return owner
    case .entry(let id):
      if let owner = entryOwners[id] { return owner }
      let owner = newOwner(.entry(id))
      entryOwners[id] = owner
      return owner
    }
  }

  /// The group or entry of an owner number; nil while it is neither.
  func child(of owner: UInt64) -> ChildID? {
    switch owners[owner] {
    case .group(let id): .group(id)
    case .entry(let id): .entry(id)
    case .undecided, .scratch, .lent, nil: nil
    }
  }

  /// The node number of an item of an entry, whether the item is there or not.
  mutating func number(of key: ItemKey, _ owner: UInt64) throws(TreeError) -> NodeID {
    if let entry = entries[owner] {
      if let number = entry.numbers[key] { return number }
      if let slot = Slot.fixedSlot(of: key) ?? entry.slots.slots[key] {
        return Slot.node(owner, slot)
      }
    } else {
      let view = try view(owner)
      if let slot = Self.slot(of: key, in: view) { return Slot.node(owner, slot) }
      try touch(owner)
    }
    let number = newNumber()
    setNumber(of: key, owner, to: number)
    return number
  }

  /// Gives an item a node number; the one that it had stands for nothing any more.
  mutating func setNumber(of key: ItemKey, _ owner: UInt64, to number: NodeID) {
    if let old = entries[owner]?.numbers[key] { overrides[old] = nil }
    entries[owner]?.numbers[key] = number
    overrides[number] = .item(owner, key)
  }

  /// Has an item take a new number when it comes again: the kernel holds the old one for dead.
  mutating func retireNumber(of key: ItemKey, _ owner: UInt64) throws(TreeError) {
    try touch(owner)
    setNumber(of: key, owner, to: newNumber())
  }

  /// What a node number stands for.
  mutating func meaning(of node: NodeID) -> NodeMeaning {
    if node.isView { return viewMeaning(of: node) }
    if let meaning = overrides[node] { return meaning }
    let (owner, slot) = (Slot.owner(of: node), Slot.slot(of: node))
    switch owners[owner] {
    case .group:
      if slot == Slot.own { return .folder(owner) }
      if let link = Slot.link(of: slot) { return .link(owner, link) }
      return slot == Slot.groupNotes ? .groupNotes(owner) : .dead
    case .undecided:
      return slot == Slot.own ? .folder(owner) : .dead
    case .scratch(let id):
      return slot == Slot.own ? .scratch(id) : .dead
    case .entry:
      if slot == Slot.own { return .entry(owner) }
      if let link = Slot.link(of: slot) { return .link(owner, link) }
      guard let key = key(ofSlot: slot, owner) else { return .dead }
      // An entry that nobody touched has all its items where they are first seen.
      if entries[owner] != nil {
        guard let number = try? number(of: key, owner), number == node else { return .dead }
      }
      return .item(owner, key)
    case .lent, nil:
      return .dead
    }
  }

  private mutating func key(ofSlot slot: UInt64, _ owner: UInt64) -> ItemKey? {
    if let key = Slot.fixedKey(of: slot) { return key }
    if let entry = entries[owner] { return entry.slots.keys[slot] }
    guard let view = try? view(owner) else { return nil }
    if slot >= Slot.firstAttachment {
      let place = Int(slot - Slot.firstAttachment)
      return place < view.attachments.count ? .attachment(view.attachments[place].name) : nil
    }
    guard slot >= Slot.firstField else { return nil }
    let place = Int(slot - Slot.firstField)
    return view.fields.first { $0.place == place }.map { .field($0.key) }
  }

  /// The slot of an item of an entry that was not touched; nil where it has none.
  static func slot(of key: ItemKey, in view: EntryView) -> UInt64? {
    if let slot = Slot.fixedSlot(of: key) { return slot }
    return switch key {
    case .field(let key): view.field(key).map { Slot.firstField + UInt64($0.place) }
    case .attachment(let name):
      view.attachment(name).map { Slot.firstAttachment + UInt64($0.place) }
    default: nil
    }
  }

  // MARK: - References of the kernel's

  mutating func reference(_ node: NodeID) { references[node, default: 0] += 1 }

  mutating func forget(_ node: NodeID, count: UInt64) {
    guard let held = references[node] else { return }
    guard held <= count else {
      references[node] = held - count
      return
    }
    references[node] = nil
    lost.remove(node)
    if node.isView { return forgetViewDirectory(node) }
    if case .scratch(let id) = overrides[node] ?? scratchMeaning(node) { dropIfGone(id) }
  }

  private func scratchMeaning(_ node: NodeID) -> NodeMeaning? {
    guard case .scratch(let id) = owners[Slot.owner(of: node)] else { return nil }
    return .scratch(id)
  }
}
