import KDBX

/// What a rename still needs, once names are checked: values judged without the tree's lock.
enum RenamePlan: Sendable {
  /// It has been done.
  case done
  /// One value goes into another place.
  case transfer(Transfer)
  /// Two files change places.
  case exchange(Transfer, Transfer)
}

/// A value on its way into another file.
struct Transfer: Sendable {
  let source: FileEnd
  let target: FileEnd
}

/// One end of a rename.
struct FileEnd: Sendable {
  enum Place: Sendable {
    case item(UInt64, ItemKey)
    case scratch(ScratchID, ScratchFile)
  }

  let name: [UInt8]
  let directory: FileDirectory
  let place: Place
  /// Its node; nil for a target that isn't there.
  let node: NodeID?
  /// What the document has of a target, or what a source shows; for a temporary file its own content
  /// counts.
  let value: RestingBytes
  /// Changes when the value does.
  let stamp: UInt64

  /// The item, if it is one.
  var item: (owner: UInt64, key: ItemKey)? {
    if case .item(let owner, let key) = place { (owner, key) } else { nil }
  }
}
