import Fuse
import VaultTree

// The tree's values as FUSE has them, and the other way round.

extension NodeID {
  init(_ inode: InodeNumber) { self.init(rawValue: inode.rawValue) }
}

extension InodeNumber {
  init(_ node: NodeID) { self.init(rawValue: node.rawValue) }
}

extension HandleID {
  init(_ handle: HandleNumber) { self.init(rawValue: handle.rawValue) }
}

extension HandleNumber {
  init(_ handle: HandleID) { self.init(rawValue: handle.rawValue) }
}

extension RequestOrigin {
  init(_ caller: RequestCaller) { self.init(thread: caller.thread, user: caller.user) }
}

extension FileTime {
  init(_ time: Timestamp) { self.init(seconds: time.seconds, nanoseconds: time.nanoseconds) }
}

extension FileKind {
  init(_ kind: NodeKind) {
    self =
      switch kind {
      case .directory: .directory
      case .file: .regular
      case .symbolicLink: .symbolicLink
      }
  }
}

extension OpenFlags {
  init(_ flags: FileOpenFlags) {
    // `insert` and an empty literal aren't specialised for another module.
    var bits: UInt32 = 0
    if flags.contains(.read) { bits |= OpenFlags.read.rawValue }
    if flags.contains(.write) { bits |= OpenFlags.write.rawValue }
    if flags.contains(.truncate) { bits |= OpenFlags.truncate.rawValue }
    if flags.contains(.append) { bits |= OpenFlags.append.rawValue }
    if flags.contains(.exclusive) { bits |= OpenFlags.exclusive.rawValue }
    self.init(rawValue: bits)
  }
}

extension RenameFlags {
  /// `nil` for flags that the tree doesn't know, or that don't go together.
  init?(_ flags: FileRenameFlags) {
    switch flags.rawValue {
    case 0: self.init(rawValue: 0)
    case FileRenameFlags.noReplace.rawValue: self = .noReplace
    case FileRenameFlags.exchange.rawValue: self = .exchange
    default: return nil
    }
  }
}

/// The user that the mount belongs to: every file is theirs.
struct Owner: Hashable, Sendable {
  let user: UInt32
  let group: UInt32
}

extension AttributeChange {
  /// What is asked of a file of `owner`'s.
  init(_ changes: AttributeChanges, owner: Owner) {
    self.init(
      size: changes.size,
      changesMode: changes.permissions != nil,
      changesOwner: (changes.owner ?? owner.user) != owner.user
        || (changes.group ?? owner.group) != owner.group,
      changesTimes: changes.accessed != nil || changes.modified != nil)
  }
}

extension FileAttributes {
  init(_ attributes: NodeAttributes, owner: Owner) {
    self.init(
      inode: InodeNumber(attributes.node), kind: FileKind(attributes.kind),
      permissions: attributes.permissions, linkCount: attributes.linkCount,
      owner: owner.user, group: owner.group, size: attributes.size,
      accessed: FileTime(attributes.accessed), modified: FileTime(attributes.modified),
      changed: FileTime(attributes.changed))
  }
}
