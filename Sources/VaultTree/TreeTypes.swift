package import KDBX

/// The inode number of a node: running, kept over moves and renames, never given twice
/// (`docs/tree.md`).
package struct NodeID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package func _rawHashValue(seed: Int) -> Int { mixed(rawValue, seed) }

  /// Where the numbers of the directories below `.kdbxfs` begin.
  static let firstView: UInt64 = 1 << 62

  /// Whether it is `.kdbxfs` or a directory below it: its listing is made anew at each look, so that
  /// none may be kept.
  package var isView: Bool { rawValue >= Self.firstView }

  /// The root group's directory; FUSE gives the root of a mount the number 1.
  package static let root = NodeID(rawValue: 1)
}

/// The number of an open file or directory: running, never given twice.
package struct HandleID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package func _rawHashValue(seed: Int) -> Int { mixed(rawValue, seed) }
}

/// A hash for numbers that are ours, which nobody can choose so that they collide: a tenth of what the hash
/// costs that Swift's dictionaries take, and they are asked for nodes and handles several times a request.
private func mixed(_ number: UInt64, _ seed: Int) -> Int {
  let product = (number ^ UInt64(bitPattern: Int64(seed))) &* 0x9E37_79B9_7F4A_7C15
  return Int(truncatingIfNeeded: product ^ product >> 32)
}

/// A moment as file attributes have it.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Since 1970, UTC; negative before.
  package var seconds: Int64
  /// 0 ..< 1,000,000,000.
  package var nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// What kind of file a node is.
package enum NodeKind: Hashable, Sendable {
  case directory, file, symbolicLink
}

/// What `stat` shows of a node; owner and group are the mounting user's and not the tree's business.
package struct NodeAttributes: Hashable, Sendable {
  package var node: NodeID
  package var kind: NodeKind
  /// The permission bits: 0700 for a directory, 0600 for a file, 0400 for a read-only one, 0777 for
  /// a symbolic link.
  package var permissions: UInt32
  /// The number of bytes that a read returns; exact, also of generated files.
  package var size: Int
  /// 1, but for temporary files with hard links among themselves.
  package var linkCount: Int
  package var modified: Timestamp
  package var changed: Timestamp
  package var accessed: Timestamp
  /// Whether some handle holds writes that have not settled, or the file's content is made anew at
  /// each open (`totp`): then the answer must not be cached (time-out 0).
  package var unsettled: Bool
  /// Whether the name that led to it may lead to something else next time, without anybody being told:
  /// then that must not be cached either.
  package var isView: Bool

  package init(
    node: NodeID, kind: NodeKind, permissions: UInt32, size: Int, linkCount: Int = 1,
    modified: Timestamp, changed: Timestamp, accessed: Timestamp, unsettled: Bool,
    isView: Bool = false
  ) {
    self.node = node
    self.kind = kind
    self.permissions = permissions
    self.size = size
    self.linkCount = linkCount
    self.modified = modified
    self.changed = changed
    self.accessed = accessed
    self.unsettled = unsettled
    self.isView = isView
  }
}

/// One name of a listing; `.` and `..` are the mount's business.
package struct DirectoryEntry: Hashable, Sendable {
  package var name: [UInt8]
  /// As of now, not of the time when the directory was opened.
  package var attributes: NodeAttributes
  /// The name went, or means another node, since the directory was opened: the kernel must not be
  /// given a node for it (an answer to READDIRPLUS says node number 0).
  package var isGone: Bool

  package var node: NodeID { attributes.node }
  package var kind: NodeKind { attributes.kind }

  package init(name: [UInt8], attributes: NodeAttributes, isGone: Bool = false) {
    self.name = name
    self.attributes = attributes
    self.isGone = isGone
  }
}

/// How a file is opened.
package struct OpenFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  // The one of `OptionSet` isn't specialised for another module: it looked for the conformance at each open.
  @inlinable package func contains(_ flags: OpenFlags) -> Bool {
    rawValue & flags.rawValue == flags.rawValue
  }

  @inlinable package static var read: OpenFlags { OpenFlags(rawValue: 1) }
  @inlinable package static var write: OpenFlags { OpenFlags(rawValue: 2) }
  /// `O_TRUNC`.
  @inlinable package static var truncate: OpenFlags { OpenFlags(rawValue: 4) }
  /// `O_APPEND`; each write says it again.
  @inlinable package static var append: OpenFlags { OpenFlags(rawValue: 8) }
  /// `O_EXCL`; only means something to ``VaultTree/create(_:in:flags:)``.
  @inlinable package static var exclusive: OpenFlags { OpenFlags(rawValue: 16) }
}

/// The flags of `renameat2`.
package struct RenameFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Refuse a target that exists.
  package static let noReplace = RenameFlags(rawValue: 1)
  /// Swap two names that both exist.
  package static let exchange = RenameFlags(rawValue: 2)
}

/// What an attribute change asks for; what is `nil` or `false` stays.
package struct AttributeChange: Hashable, Sendable {
  /// A new size in bytes (`truncate`, `ftruncate`).
  package var size: Int?
  /// The mode is to change: taken, without effect.
  package var changesMode: Bool
  /// The owner or group is to become one that isn't the mounting user's: refused.
  package var changesOwner: Bool
  /// A time is to change: taken, without effect.
  package var changesTimes: Bool

  package init(
    size: Int? = nil, changesMode: Bool = false, changesOwner: Bool = false,
    changesTimes: Bool = false
  ) {
    self.size = size
    self.changesMode = changesMode
    self.changesOwner = changesOwner
    self.changesTimes = changesTimes
  }
}

/// What an `fsync` of a handle needs beyond what ``VaultTree/synchronize(_:)`` has done.
package enum SyncNeed: Hashable, Sendable {
  /// Nothing: a temporary file.
  case nothing
  /// The vault is to be saved; the `fsync` is answered when it is.
  case save
}

/// What the kernel may hold cached that is no longer so.
package enum Invalidation: Hashable, Sendable {
  /// Attributes and content of a node; may be told to the kernel at once.
  case attributes(NodeID)
  /// The listing of a directory, otherwise than by the request that is being answered; may be told
  /// to the kernel at once (`notify_inval_inode(ino, 0, 0)`).
  case listing(NodeID)
  /// All of a node: attributes, content, listing, mapped pages.
  ///
  /// Told when the vault is locked, by who serves no request.
  case everything(NodeID)
  /// A name in a directory; must not be told inside a request's handler (`docs/tree.md`).
  case name(in: NodeID, [UInt8])
}

/// What the tree is told once, when the vault is mounted.
package struct TreeOptions: Sendable {
  /// No change at all: every one answers ``TreeError/readOnly``.
  package var isReadOnly = false
  /// `-o exact`: what is written is the value, a final line feed too.
  package var isExact = false
  /// `-o show_hidden`: names that are usually only reachable are listed too.
  package var showsHidden = false
  /// `-o purge`: what was removed in this mount may be removed for good.
  package var allowsPurge = false
  /// The wall clock.
  package var now: @Sendable () -> Timestamp
  /// Nanoseconds of a clock that never goes back and counts sleep (CLOCK_BOOTTIME).
  package var monotonic: @Sendable () -> Int64
  /// Looks who has sent a request, for the log; nil where none is kept.
  package var identify: (@Sendable (RequestOrigin) -> Accessor)?
  /// What the log calls a user.
  package var userName: @Sendable (UInt32) -> String = { "\($0)" }

  package init(
    now: @escaping @Sendable () -> Timestamp, monotonic: @escaping @Sendable () -> Int64
  ) {
    self.now = now
    self.monotonic = monotonic
  }
}

/// What the vault's file system has room for, for `statfs`.
package struct TreeStatistics: Hashable, Sendable {
  /// Bytes that temporary files and attachments can hold in all.
  package var capacity: Int
  /// Bytes of that which are free.
  package var free: Int
  /// The longest file name in bytes.
  package var nameLength: Int
}

/// Why a vault is being saved; decides what is stored (`docs/editing.md`).
package enum SaveReason: Hashable, Sendable {
  /// A while after a change, by itself.
  case autosave
  /// An `fsync` of a file or directory.
  case fsync
  /// `kdbxfs save`.
  case save
  /// The vault is to be locked.
  case lock
  /// The mount is to end.
  case unmount

  /// Whether all that waits is stored and each changed entry gets its history item: new names
  /// however young, undecided directories as groups.
  package var storesAll: Bool {
    switch self {
    case .autosave, .fsync: false
    case .save, .lock, .unmount: true
    }
  }
}

/// A state of the vault that is to be written to its file.
///
/// A value: it doesn't change while the tree goes on. Give it back to
/// ``VaultTree/finishSave(_:succeeded:)`` exactly once.
package struct PreparedSave: Sendable {
  /// What is to be written.
  package let document: Document
  package let reason: SaveReason
  /// Faults of the file that were mended in entries that were edited: to be said.
  package let mended: Set<Fault>
  /// Counts the changes that `document` holds; what is newer stays pending.
  let generation: UInt64

  init(document: Document, reason: SaveReason, mended: Set<Fault>, generation: UInt64) {
    self.document = document
    self.reason = reason
    self.mended = mended
    self.generation = generation
  }
}

/// What waits to be saved, and what an autosave should wait for.
package struct PendingState: Hashable, Sendable {
  /// Whether a save now (of any reason) would write the file.
  package var hasChanges: Bool
  /// Whether some handle holds writes that have not settled.
  package var hasOpenWriters: Bool
  /// Whether a field's name was moved aside and nothing has taken its place yet.
  package var hasVacatedFields: Bool
  /// The nanoseconds (of ``TreeOptions/monotonic``) at which a new name has been closed long enough
  /// for an autosave to store it; `nil` when none waits.
  package var nextNewNameDue: Int64?
  /// The number of temporary files.
  package var scratchCount: Int
  /// The number of bytes in temporary files.
  package var scratchBytes: Int
}
