import CFuse3

// Our values as libfuse has them.

extension stat {
  init(_ attributes: FileAttributes) {
    self.init()
    st_ino = UInt(attributes.inode.rawValue)
    st_mode = attributes.kind.typeBits | (attributes.permissions & 0o7777)
    st_nlink = UInt(clamping: attributes.linkCount)
    st_uid = attributes.owner
    st_gid = attributes.group
    st_size = attributes.size
    st_blksize = 4096
    st_blocks = attributes.size / 512 + (attributes.size % 512 == 0 ? 0 : 1)
    st_atim = timespec(attributes.accessed)
    st_mtim = timespec(attributes.modified)
    st_ctim = timespec(attributes.changed)
  }
}

extension timespec {
  fileprivate init(_ time: FileTime) {
    self.init(tv_sec: Int(time.seconds), tv_nsec: Int(time.nanoseconds))
  }
}

extension FileTime {
  /// A time that the kernel sent; odd nanoseconds are cut to what a second has.
  init(_ time: timespec) {
    self.init(
      seconds: Int64(time.tv_sec), nanoseconds: Int32(min(max(time.tv_nsec, 0), 999_999_999)))
  }
}

extension FileKind {
  /// The `S_IFMT` part of a mode.
  var typeBits: UInt32 {
    switch self {
    case .directory: 0o040000
    case .regular: 0o100000
    case .symbolicLink: 0o120000
    }
  }
}

extension fuse_entry_param {
  init(_ entry: Entry) {
    self.init()
    ino = entry.attributes.inode.rawValue
    // Inode numbers are never given twice, so one generation is enough.
    generation = 0
    attr = stat(entry.attributes)
    attr_timeout = entry.attributesValidForSeconds
    entry_timeout = entry.nameValidForSeconds
  }
}

extension fuse_file_info {
  /// What the kernel is told of an open file: see ``OpenReply``.
  ///
  /// `isFlushed` says whether each `close` is to be told; for a handle that can't write there is nothing
  /// to tell.
  init(file handle: HandleNumber, isFlushed: Bool) {
    self.init()
    fh = handle.rawValue
    direct_io = 1
    noflush = isFlushed ? 0 : 1
  }
}

extension FileOpenFlags {
  /// The flags of `open(2)`; those that mean nothing to a file system are left out.
  init(flags: CInt) {
    self =
      switch flags & O_ACCMODE {
      case O_RDONLY: .read
      case O_WRONLY: .write
      default: [.read, .write]
      }
    if flags & O_TRUNC != 0 { insert(.truncate) }
    if flags & O_APPEND != 0 { insert(.append) }
    if flags & O_EXCL != 0 { insert(.exclusive) }
  }
}

extension AttributeChanges {
  /// What a SETATTR asks for; `nil` if the size is negative.
  init?(_ status: stat, _ changed: CInt) {
    self.init()
    if changed & FUSE_SET_ATTR_SIZE != 0 {
      guard status.st_size >= 0 else { return nil }
      size = status.st_size
    }
    if changed & FUSE_SET_ATTR_MODE != 0 { permissions = status.st_mode & 0o7777 }
    if changed & FUSE_SET_ATTR_UID != 0 { owner = status.st_uid }
    if changed & FUSE_SET_ATTR_GID != 0 { group = status.st_gid }
    if changed & FUSE_SET_ATTR_ATIME_NOW != 0 {
      accessed = .now
    } else if changed & FUSE_SET_ATTR_ATIME != 0 {
      accessed = .at(FileTime(status.st_atim))
    }
    if changed & FUSE_SET_ATTR_MTIME_NOW != 0 {
      modified = .now
    } else if changed & FUSE_SET_ATTR_MTIME != 0 {
      modified = .at(FileTime(status.st_mtim))
    }
  }
}
