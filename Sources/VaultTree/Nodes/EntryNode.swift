import KDBX

/// What the tree knows of an entry that was touched in this mount; no other entry has one.
struct EntryNode: Sendable {
  /// The slots of fields and attachments as they were before the entry was touched.
  let slots: SlotTable
  /// The node numbers of items that don't have the one of their slot.
  var numbers: [ItemKey: NodeID] = [:]

  /// The names that are shown, or not, otherwise than the document says.
  var overlays: [ItemKey: Overlay] = [:]
  /// The temporary files that hold the values of fields whose names were moved aside.
  var vacated: [ItemKey: ScratchID] = [:]
  /// Custom fields that were removed, and wait, empty, for the next save to take them out: what is
  /// made again before that keeps its place.
  var stripped: Set<[UInt8]> = []
  /// Whether custom fields that were removed in this mount were protected.
  var protections: [[UInt8]: Bool] = [:]
  /// Custom fields and attachments of the vault that were removed in this mount: made again they are no
  /// new names, so an autosave needn't wait with them.
  var removedItems: Set<ItemKey> = []
  /// Whether the `attachments` directory was made, and holds nothing yet.
  var hasMadeAttachments = false
  /// When someone last removed the name of a code, by the monotonic clock.
  var codeRemovals: [ItemKey: Int64] = [:]
  /// When items last changed in this mount.
  var changed: [ItemKey: Timestamp] = [:]
  /// The entry's LastModificationTime before its first edit in this mount: the time of all items
  /// that haven't changed since.
  var firstModified: Timestamp?

  /// Counts the edits.
  var revision: UInt64 = 0
  /// The state last saved, while the entry differs from it.
  var base: Entry?
  /// Whether the history item for ``base`` has been made by a save that failed.
  var hasHistoryItem = false
  /// When this entry last got a history item, by the monotonic clock.
  var lastHistoryItem: Int64?
  /// Whether somebody asked for the save that stored what the file has (`kdbxfs save`, a lock).
  var wasAskedFor = false
  /// What the entry was before the removals that were all that happened to it since.
  var beforeRemovals: BeforeRemovals?
}

/// The slots of an entry's own fields and attachments, as they are first seen.
struct SlotTable: Sendable {
  private(set) var slots: [ItemKey: UInt64] = [:]
  private(set) var keys: [UInt64: ItemKey] = [:]

  /// No slots: every item has a number of its own.
  init() {}

  init(_ view: EntryView) {
    for field in view.fields where Slot.fixedSlot(of: .field(field.key)) == nil {
      add(.field(field.key), Slot.firstField + UInt64(field.place))
    }
    for attachment in view.attachments {
      add(.attachment(attachment.name), Slot.firstAttachment + UInt64(attachment.place))
    }
  }

  private mutating func add(_ key: ItemKey, _ slot: UInt64) {
    slots[key] = slot
    keys[slot] = key
  }
}

/// An entry's last full state.
struct BeforeRemovals: Sendable {
  let entry: Entry
  /// ``EntryNode/base`` at that time, or what the document had where new names made the difference.
  let base: Entry?
  /// ``EntryNode/hasHistoryItem`` at that time.
  let hasHistoryItem: Bool
}

/// How a name is shown otherwise than the document says.
enum Overlay: Sendable {
  /// Not there: removed, or moved aside.
  case absent
  /// Not listed any more because it went with another; still answers its removal, and, where it is
  /// reachable, a look-up and an open too.
  case ghost(isReachable: Bool)
  /// There, and not in the document.
  case fresh(FreshItem)

  var fresh: FreshItem? {
    if case .fresh(let item) = self { item } else { nil }
  }
}

/// A file under a user's name that was made in this mount and isn't in the document yet.
struct FreshItem: Sendable {
  /// What every open reads: nothing, until a value settles.
  var value = RestingBytes.empty
  var isProtected: Bool
  var made: Timestamp
  /// Where it stands among those that were made in this mount.
  var place: UInt64
  /// Whether a value has settled, or it was closed without one.
  var hasSettled = false
  /// The number of handles that have it open for writing.
  var writers = 0
  /// When the last of these was closed, by the monotonic clock.
  var closed: Int64?
  /// Whether an `fsync` asked for it: the next save of any reason stores it.
  var isAwaited = false
}
