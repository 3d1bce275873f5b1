import KDBX

/// What the tree knows of a group's directory, or of one that is no group and no entry yet.
struct FolderNode: Sendable {
  /// The folder that it lies in, by owner number; nil for the root.
  var parent: UInt64?
  /// The names in it; nil until someone looks.
  var index: NameIndex?
  /// While it is undecided: when it was made.
  var made: Timestamp?
  /// A group that a save made of an undecided directory: it still turns into an entry when a file
  /// comes.
  var wasUndecided = false
  /// What was removed from it and may go with it into the bin.
  var removed: [RemovedChild] = []
  /// When its notes were last written in this mount.
  var notesChanged: Timestamp?
  /// Its notes, when their file was removed: with the group they go into the bin.
  var removedNotes: StoredText?
}

/// A child of a group that went into the recycle bin, as it was before.
struct RemovedChild: Sendable {
  let id: ChildID
  /// The bin that it went into.
  let bin: GroupID
  let before: Before

  enum Before: Sendable {
    case group(Group)
    case entry(Entry)
  }
}
