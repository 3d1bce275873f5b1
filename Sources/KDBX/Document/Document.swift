package import Ciphers
package import Secrets

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
}

/// What a directory needs to know of a group or entry to name it.
package struct NodeSummary: Hashable, Sendable {
  /// Zero where the file has none.
  package let uuid: VaultUUID
  /// The group's name or the entry's title.
  package let name: [UInt8]
  package let created: VaultTime?
}

/// A content that a file of KDBX 4 stores in its inner header.
package struct PlannedBinary: Sendable {
  package let content: AttachmentContent
  /// The flag byte to write.
  package let flags: UInt8
  /// The number of bytes of the content.
  package let count: Int
}

/// What is settled before a document is written: the numbers of the attachments.
package struct WritePlan: Sendable {
  /// For the inner header, in order; empty in KDBX 3.
  package let binaries: [PlannedBinary]
  /// At least the document's own; 4.1 where something in a 4.0 document needs it.
  package let version: FormatVersion
}

/// A whole vault: its tree of groups and entries, and all else that its XML holds.
///
/// A value: a copy is a snapshot, costs nothing, and may be read or written on another thread while
/// the original changes. What isn't edited stays the source's bytes, and goes back as it came.
package struct Document: Sendable {
  /// Opens the values of this document and its copies.
  package let values: ValueSource
  package let version: FormatVersion
  package let root: GroupID

  /// Checks all of the XML, which is `xml` of the source's buffer, and notes where its groups and
  /// entries are; builds none of them.
  package init(
    source: DocumentSource, xml: Range<Int>, version: FormatVersion
  ) throws(DocumentError) { fatalError("not yet") }

  // MARK: - Tree

  /// The groups and entries in a group, in file order.
  package func children(of group: GroupID) -> [ChildID] { fatalError("not yet") }
  /// The group that something is in; `nil` for the root, and for what was removed.
  package func parent(of child: ChildID) -> GroupID? { fatalError("not yet") }
  /// How many entries and groups are in the tree.
  package var entryCount: Int { fatalError("not yet") }
  package var groupCount: Int { fatalError("not yet") }
  /// Everything in the tree in document order, without the root.
  package func forEachNode<E: Error>(
    _ body: (ChildID) throws(E) -> Void
  ) throws(E) { fatalError("not yet") }
  package var allEntries: [EntryID] { fatalError("not yet") }
  /// All groups, the root first.
  package var allGroups: [GroupID] { fatalError("not yet") }

  package func entry(_ id: EntryID) -> Entry { fatalError("not yet") }
  package func group(_ id: GroupID) -> Group { fatalError("not yet") }
  /// Cheaper than ``entry(_:)`` and ``group(_:)``: for the listing of a directory.
  package func summary(of child: ChildID) -> NodeSummary { fatalError("not yet") }

  package mutating func replace(_ id: EntryID, with entry: Entry) { fatalError("not yet") }
  package mutating func replace(_ id: GroupID, with group: Group) { fatalError("not yet") }
  /// Adds an entry behind the last entry of the group, before its groups.
  package mutating func add(_ entry: Entry, to parent: GroupID) -> EntryID {
    fatalError("not yet")
  }
  /// Adds a group behind all else in its new parent.
  package mutating func add(_ group: Group, to parent: GroupID) -> GroupID {
    fatalError("not yet")
  }
  /// Moves something with all that is in it; also brings back what was removed.
  ///
  /// - Precondition: `parent` isn't `child` itself nor lies in it.
  package mutating func move(_ child: ChildID, to parent: GroupID) { fatalError("not yet") }
  /// Takes something with all that is in it out of the tree; it can still be read.
  package mutating func remove(_ child: ChildID) { fatalError("not yet") }

  // MARK: - The vault's own

  package var meta: Meta {
    get { fatalError("not yet") }
    set { fatalError("not yet") }
  }
  package var deletedObjects: [DeletedObject] { fatalError("not yet") }
  package mutating func addDeletedObject(_ uuid: VaultUUID, at time: VaultTime) {
    fatalError("not yet")
  }
  /// Removes all records of `uuid`.
  package mutating func removeDeletedObject(_ uuid: VaultUUID) { fatalError("not yet") }

  // MARK: - Attachments

  /// The number of bytes of a content.
  package func count(of content: AttachmentContent) throws(DocumentError) -> Int {
    fatalError("not yet")
  }
  /// Appends the bytes of a content.
  package func open(
    _ content: AttachmentContent, into output: inout WipedBuffer
  ) throws(DocumentError) { fatalError("not yet") }
  /// Appends the bytes of `range` of a content; what lies beyond its end is left out.
  package func open(
    _ content: AttachmentContent, range: Range<Int>, into output: inout WipedBuffer
  ) throws(DocumentError) { fatalError("not yet") }
  /// Puts a content into the pool; one that is there already, with the same flag, is used again.
  package mutating func addBinary(
    _ bytes: SealedBytes, isProtected: Bool
  ) -> AttachmentContent { fatalError("not yet") }

  // MARK: - Writing

  /// Settles which contents are written under which numbers.
  ///
  /// Contents that were referred to when the file was read and no longer are get left out; those
  /// that never were stay.
  package func writePlan() -> WritePlan { fatalError("not yet") }
  /// Appends the XML, with protected values enciphered by `innerStream` from its start on.
  ///
  /// `headerHash` is the hash that KDBX 3 keeps in Meta; `nil` in KDBX 4, where it is left out.
  package func writeXML(
    _ plan: WritePlan, innerStream: InnerStream, headerHash: [UInt8]?,
    into output: inout WipedBuffer
  ) throws(DocumentError) { fatalError("not yet") }
  /// Whether `other`, read back from a file, holds what this document does.
  package func hasSameContent(as other: Document) -> Bool { fatalError("not yet") }
}
