import Fuse

/// A file of the ``MemoryFileSystem``.
struct MemoryNode {
  enum Content {
    case directory([[UInt8]: InodeNumber])
    case file([UInt8])
    case link([UInt8])
  }

  var content: Content
  var permissions: UInt32
  var parent: InodeNumber
  var linkCount = 1
  var modified = FileTime(seconds: 1_700_000_000, nanoseconds: 123_456_789)
  var attributes: [[UInt8]: [UInt8]] = [:]

  var children: [[UInt8]: InodeNumber]? {
    if case .directory(let children) = content { children } else { nil }
  }

  var bytes: [UInt8]? {
    if case .file(let bytes) = content { bytes } else { nil }
  }

  var kind: FileKind {
    switch content {
    case .directory: .directory
    case .file: .regular
    case .link: .symbolicLink
    }
  }

  var size: Int {
    switch content {
    case .directory(let children): children.count
    case .file(let bytes): bytes.count
    case .link(let target): target.count
    }
  }

  func attributes(_ inode: InodeNumber) -> FileAttributes {
    FileAttributes(
      inode: inode, kind: kind, permissions: permissions, linkCount: linkCount,
      owner: 0, group: 0, size: size, accessed: modified, modified: modified, changed: modified)
  }
}
