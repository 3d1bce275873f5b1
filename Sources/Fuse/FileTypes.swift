/// The number by which the kernel knows a file; 1 is the root of the mount.
package struct InodeNumber: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let root = InodeNumber(rawValue: 1)
}

/// The number that a file system gave an open file or directory; the kernel only repeats it.
package struct HandleNumber: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt64

  package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A moment as `stat` has it.
package struct FileTime: Hashable, Sendable {
  /// Since 1970, UTC; negative before.
  package var seconds: Int64
  /// 0 ..< 1,000,000,000.
  package var nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32 = 0) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }
}

/// What kind of file a name leads to.
package enum FileKind: Hashable, Sendable {
  case directory, regular, symbolicLink
}

/// What `stat` shows.
package struct FileAttributes: Hashable, Sendable {
  package var inode: InodeNumber
  package var kind: FileKind
  /// The low twelve bits of the mode.
  package var permissions: UInt32
  package var linkCount: Int
  package var owner: UInt32
  package var group: UInt32
  /// In bytes.
  package var size: Int
  package var accessed: FileTime
  package var modified: FileTime
  package var changed: FileTime

  package init(
    inode: InodeNumber, kind: FileKind, permissions: UInt32, linkCount: Int = 1,
    owner: UInt32, group: UInt32, size: Int,
    accessed: FileTime, modified: FileTime, changed: FileTime
  ) {
    self.inode = inode
    self.kind = kind
    self.permissions = permissions
    self.linkCount = linkCount
    self.owner = owner
    self.group = group
    self.size = size
    self.accessed = accessed
    self.modified = modified
    self.changed = changed
  }
}

/// What a name leads to, and for how long the kernel may believe it without asking again.
package struct Entry: Hashable, Sendable {
  package var attributes: FileAttributes
  /// How long the attributes may be cached; 0: not at all.
  package var attributesValidForSeconds: Double
  /// How long the name may be taken to lead there; 0: not at all.
  package var nameValidForSeconds: Double

  package init(
    _ attributes: FileAttributes, attributesValidForSeconds: Double, nameValidForSeconds: Double
  ) {
    self.attributes = attributes
    self.attributesValidForSeconds = attributesValidForSeconds
    self.nameValidForSeconds = nameValidForSeconds
  }
}

/// How a file is opened; the flags of `open(2)` that reach a file system.
package struct FileOpenFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  @inlinable
  package init(rawValue: UInt32) { self.rawValue = rawValue }

  // The one of `OptionSet` isn't specialised for another module: it looked for the conformance at each open.
  @inlinable package func contains(_ flags: FileOpenFlags) -> Bool {
    rawValue & flags.rawValue == flags.rawValue
  }

  @inlinable package static var read: FileOpenFlags { FileOpenFlags(rawValue: 1) }
  @inlinable package static var write: FileOpenFlags { FileOpenFlags(rawValue: 2) }
  /// `O_TRUNC`: comes with the open itself, no `setAttributes` follows.
  @inlinable package static var truncate: FileOpenFlags { FileOpenFlags(rawValue: 4) }
  /// `O_APPEND`: each write says it again.
  @inlinable package static var append: FileOpenFlags { FileOpenFlags(rawValue: 8) }
  /// `O_EXCL`, with `create` only.
  @inlinable package static var exclusive: FileOpenFlags { FileOpenFlags(rawValue: 16) }
}

/// The flags of `renameat2(2)`.
package struct FileRenameFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) { self.rawValue = rawValue }

  /// `RENAME_NOREPLACE`: refuse a target that exists.
  package static let noReplace = FileRenameFlags(rawValue: 1)
  /// `RENAME_EXCHANGE`: swap two names that both exist.
  package static let exchange = FileRenameFlags(rawValue: 2)
}

/// What `chmod`, `chown`, `truncate`, `utimensat` ask for; what is `nil` stays.
package struct AttributeChanges: Hashable, Sendable {
  /// The new value of a time.
  package enum TimeChange: Hashable, Sendable {
    case now
    case at(FileTime)
  }

  /// In bytes; never negative.
  package var size: Int?
  /// The low twelve bits of the mode.
  package var permissions: UInt32?
  package var owner: UInt32?
  package var group: UInt32?
  package var accessed: TimeChange?
  package var modified: TimeChange?

  package init() {}
}

/// How an open directory may be cached by the kernel.
package struct DirectoryCaching: Hashable, Sendable {
  /// The listing read through this handle is kept for later handles.
  package var fillsCache: Bool
  /// What earlier handles left in the cache is still true; otherwise it is dropped.
  package var keepsCache: Bool

  package init(fillsCache: Bool, keepsCache: Bool) {
    self.fillsCache = fillsCache
    self.keepsCache = keepsCache
  }

  package static let none = DirectoryCaching(fillsCache: false, keepsCache: false)
}

/// What `statfs` shows, in blocks of ``blockSize`` bytes.
package struct FileSystemStatistics: Hashable, Sendable {
  package var blockSize: Int
  package var blocks: Int
  package var freeBlocks: Int
  /// The longest name in bytes.
  package var nameLength: Int

  package init(blockSize: Int, blocks: Int, freeBlocks: Int, nameLength: Int) {
    self.blockSize = blockSize
    self.blocks = blocks
    self.freeBlocks = freeBlocks
    self.nameLength = nameLength
  }
}
