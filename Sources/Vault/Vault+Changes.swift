package import KDBX

extension Vault {
  // MARK: - Making

  /// Makes an entry with a title, as KeePass does: the five standard fields, empty but for the
  /// title, all times `now`, never expiring.
  package mutating func createEntry(
    in group: GroupID, title: [UInt8], at now: VaultTime
  ) -> EntryID {
    var entry = Entry(uuid: .random(), version: document.version, at: now)
    for key in FieldKey.standard {
      let value = key == FieldKey.title ? title : []
      let isProtected = protectsNewField(key)
      entry.set(
        key, to: isProtected ? document.values.seal(value.span) : .plain(value),
        isProtected: isProtected)
    }
    return add(entry, to: group)
  }

  /// Makes a group with a name, as KeePass does.
  package mutating func createGroup(
    in parent: GroupID, name: [UInt8], at now: VaultTime
  ) -> GroupID {
    add(Group(uuid: .random(), name: name, version: document.version, at: now), to: parent)
  }

  /// Adds an entry that was made elsewhere, as it is.
  package mutating func add(_ entry: Entry, to group: GroupID) -> EntryID {
    let id = document.add(entry, to: group)
    changeIndex { $0.insert(.entry(id), entry.uuid) }
    return id
  }

  /// Adds a group that was made elsewhere, as it is.
  package mutating func add(_ group: Group, to parent: GroupID) -> GroupID {
    let id = document.add(group, to: parent)
    changeIndex { $0.insert(.group(id), group.uuid) }
    return id
  }

  // MARK: - Editing

  /// Changes an entry and stamps it: modified and accessed `now`, used once more.
  ///
  /// What changes nothing stamps nothing. When `change` throws, the entry stays as it was. No
  /// history item is made here: that is one a save (``commitHistory(of:base:)``).
  package mutating func edit<E: Error>(
    _ id: EntryID, at now: VaultTime, _ change: (inout Entry) throws(E) -> Void
  ) throws(E) {
    let before = document.entry(id)
    var after = before
    try change(&after)
    guard isEdited(after, from: before) else {
      // Times and the like may have been set on purpose; they are no edit.
      return put(after, for: id, before: before)
    }
    after.times.lastModification = now
    after.times.lastAccess = now
    after.times.countUse()
    put(after, for: id, before: before)
  }

  /// Changes a group and stamps it: modified and accessed `now`, used once more.
  ///
  /// When `change` throws, the group stays as it was. Groups have no history.
  package mutating func edit<E: Error>(
    _ id: GroupID, at now: VaultTime, _ change: (inout Group) throws(E) -> Void
  ) throws(E) {
    let before = document.group(id)
    var after = before
    try change(&after)
    after.times.lastModification = now
    after.times.lastAccess = now
    after.times.countUse()
    document.replace(id, with: after)
    guard after.uuid != before.uuid else { return }
    changeIndex { index in
      index.remove(.group(id), before.uuid)
      index.insert(.group(id), after.uuid)
    }
  }

  /// Puts an entry in the place of another, as it is: no time is stamped.
  package mutating func replace(_ id: EntryID, with entry: Entry) {
    put(entry, for: id, before: document.entry(id))
  }

  /// Brings an entry of another document over, with its history and contents, for ``replace(_:with:)``.
  package mutating func adopt(_ entry: Entry, from other: Document) -> Entry {
    var adoption = Adoption(from: other)
    return adoption.adopt(entry, into: &document)
  }

  private mutating func put(_ after: Entry, for id: EntryID, before: Entry) {
    document.replace(id, with: after)
    guard after.uuid != before.uuid else { return }
    changeIndex { index in
      index.remove(.entry(id), before.uuid)
      index.insert(.entry(id), after.uuid)
    }
  }

  /// Whether two states of an entry differ in what an edit changes.
  ///
  /// That is fields, attachments, tags, icon and the like, and expiry. Where it lies, and the other
  /// times, don't count.
  package func isEdited(_ entry: Entry, from base: Entry) -> Bool {
    let times = (entry.times, base.times)
    if times.0.expires != times.1.expires || times.0.expiry != times.1.expiry { return true }
    guard entry.previousParentGroup != base.previousParentGroup else {
      return !entry.sameContent(as: base, values: document.values)
    }
    var moved = base
    moved.previousParentGroup = entry.previousParentGroup
    return !entry.sameContent(as: moved, values: document.values)
  }
}

extension Times {
  /// Counts one use more, within what every program can read.
  fileprivate mutating func countUse() {
    if (0..<Int(Int32.max)).contains(usageCount) { usageCount += 1 }
  }
}
