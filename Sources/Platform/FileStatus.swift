import Glibc

/// What stat(2) says about a file.
package struct FileStatus: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case regular, directory, symbolicLink, socket, fifo, characterDevice, blockDevice, unknown
  }

  package var device: UInt64
  package var inode: UInt64
  package var kind: Kind
  /// The twelve permission bits.
  package var permissions: UInt32
  package var owner: UInt32
  package var group: UInt32
  package var linkCount: UInt64
  /// In bytes.
  package var size: Int64
  /// When the contents last changed.
  package var modified: ClockTime
  /// When the contents or the attributes last changed.
  package var changed: ClockTime

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .regular
      case S_IFDIR: .directory
      case S_IFLNK: .symbolicLink
      case S_IFSOCK: .socket
      case S_IFIFO: .fifo
      case S_IFCHR: .characterDevice
      case S_IFBLK: .blockDevice
      default: .unknown
      }
    permissions = UInt32(status.st_mode & 0o7777)
    owner = status.st_uid
    group = status.st_gid
    linkCount = UInt64(status.st_nlink)
    size = Int64(status.st_size)
    modified = ClockTime(status.st_mtim)
    changed = ClockTime(status.st_ctim)
  }
}
