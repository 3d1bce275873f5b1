/// Names a group in a document and its copies; never reused.
package struct GroupID: Hashable, Sendable {
  let number: UInt32
}

/// Names an entry in a document and its copies; never reused.
package struct EntryID: Hashable, Sendable {
  let number: UInt32
}

/// Names a child of a group.
package enum ChildID: Hashable, Sendable {
  case group(GroupID)
  case entry(EntryID)

  var number: UInt32 {
    switch self {
    case .group(let id): id.number
    case .entry(let id): id.number
    }
  }
}

/// What a directory needs to know of a group or entry to name it.
package struct NodeSummary: Hashable, Sendable {
  /// Zero where the file has none.
  package let uuid: VaultUUID
  /// The group's name or the entry's title.
  package let name: [UInt8]
  package let created: VaultTime?
}

/// A whole vault: its tree of groups and entries, and all else that its XML holds.
///
/// - A value: a copy is a snapshot, costs nothing, and may be read or written on another thread while
///   the original changes.
/// - What isn't edited stays the source's bytes, and goes back as it came. Opening builds no entry,
///   field or name: only where groups and entries lie.
/// - An ``Entry`` or ``Group`` that is given to it came from it or one of its copies, or was made new:
///   it holds ranges of the source.
package struct Document: Sendable {
  /// Opens the values of this document and its copies.
  package let values: ValueSource

  /// Whether both were read from the same source or came from what was: then their numbers of groups and
  /// entries mean the same.
  package func isOfOneSource(with other: Document) -> Bool { values === other.values }
  package internal(set) var version: FormatVersion
  package let root = GroupID(number: 0)

  /// Where the groups and entries are; those beyond the source's were made in this session.
  var nodes: [NodeRecord]
  /// What was edited or made in this session, by number.
  var editedEntries: [UInt32: Entry] = [:]
  var editedGroups: [UInt32: Group] = [:]
  /// The groups whose children aren't those of the source any more.
  var relaid: Set<UInt32> = []
  var editedMeta: Meta?
  var editedDeletedObjects: DeletedObjects?
  /// What the pool got in this session.
  var addedBinaries: [AddedBinary] = []

  /// How many entries are in the tree.
  package internal(set) var entryCount: Int
  /// How many groups are in the tree, with the root.
  package internal(set) var groupCount: Int

  /// Checks all of the XML, which is `xml` of the source's buffer, and notes where its groups and
  /// entries are; builds none of them.
  package init(
    source: DocumentSource, xml: Range<Int>, version: FormatVersion
  ) throws(DocumentError) {
    let values = try ValueSource(source, xml: xml, version: version)
    self.values = values
    self.version = version
    nodes = values.skeleton.nodes
    entryCount = values.skeleton.entryCount
    groupCount = nodes.count - entryCount
  }

  /// How many control characters, which XML can't hold, were passed over; the next save leaves them
  /// out, which is worth a warning.
  package var droppedControlCount: Int {
    values.skeleton.repairs.count { if case .dropControl = $0 { true } else { false } }
  }

  // MARK: - Entries and groups

  package func entry(_ id: EntryID) -> Entry {
    if let entry = editedEntries[id.number] { return entry }
    return Entry(
      EditableElement(nodes[Int(id.number)].source, in: values), values, version)
  }

  package mutating func replace(_ id: EntryID, with entry: Entry) {
    editedEntries[id.number] = entry
  }

  package func group(_ id: GroupID) -> Group {
    if let group = editedGroups[id.number] { return group }
    return Group(ownElement(of: id.number), values, version)
  }

  package mutating func replace(_ id: GroupID, with group: Group) {
    editedGroups[id.number] = group
  }

  // MARK: - The vault's own

  package var meta: Meta {
    get {
      editedMeta
        ?? Meta(
          values.skeleton.meta.map { EditableElement($0, in: values) } ?? EditableElement(.meta),
          values, version)
    }
    set { editedMeta = newValue }
  }

  package var deletedObjects: [DeletedObject] { deletedObjectList.records }

  package mutating func addDeletedObject(_ uuid: VaultUUID, at time: VaultTime) {
    var list = deletedObjectList
    list.add(uuid, at: time, version: version)
    editedDeletedObjects = list
  }

  /// Removes all records of `uuid`.
  package mutating func removeDeletedObject(_ uuid: VaultUUID) {
    var list = deletedObjectList
    list.remove(uuid)
    editedDeletedObjects = list
  }

  private var deletedObjectList: DeletedObjects {
    editedDeletedObjects
      ?? DeletedObjects(
        element: values.skeleton.deletedObjects.map { EditableElement($0, in: values) }
          ?? EditableElement(.deletedObjects),
        values: values)
  }
}
