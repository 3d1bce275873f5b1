import Glibc

/// What is done to files by name.
package enum Files {
  /// The status of the file, or of a symbolic link itself unless `followingLinks`.
  package static func status(
    of path: Path, followingLinks: Bool = true
  ) throws(Errno) -> FileStatus {
    var status = stat()
    try unsafe path.withCString { (path) throws(Errno) in
      let flags = followingLinks ? 0 : AT_SYMLINK_NOFOLLOW
      try systemCall { unsafe fstatat(AT_FDCWD, path, &status, flags) }
    }
    return FileStatus(status)
  }

  package static func makeDirectory(
    _ path: Path, permissions: UInt32 = 0o700
  ) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in
      try systemCall { unsafe mkdir(path, mode_t(permissions)) }
    }
  }

  /// Makes `path` and the folders above it that are missing.
  package static func makeDirectories(
    _ path: Path, permissions: UInt32 = 0o700
  ) throws(Errno) {
    do throws(Errno) {
      try makeDirectory(path, permissions: permissions)
    } catch {
      switch error {
      case .exists where try status(of: path).kind == .directory: return
      case .noEntry where path.parent != path:
        try makeDirectories(path.parent, permissions: permissions)
        try makeDirectory(path, permissions: permissions)
      default: throw error
      }
    }
  }

  package static func remove(_ path: Path) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in try systemCall { unsafe unlink(path) } }
  }

  package static func removeDirectory(_ path: Path) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in try systemCall { unsafe rmdir(path) } }
  }

  /// Puts the file in the place of what is called `target`.
  package static func rename(_ path: Path, to target: Path) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in
      try unsafe target.withCString { (target) throws(Errno) in
        try systemCall { unsafe Glibc.rename(path, target) }
      }
    }
  }

  /// Gives the file a second name, which mustn't be there: a hard link.
  package static func link(_ path: Path, as name: Path) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in
      try unsafe name.withCString { (name) throws(Errno) in
        try systemCall { unsafe Glibc.link(path, name) }
      }
    }
  }

  /// Throws why this process may not write to it, as the user that it acts for.
  package static func checkWritable(_ path: Path) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in
      try systemCall { unsafe faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) }
    }
  }

  /// Whether it is a file that this process may run, as the user that it acts for.
  package static func isProgram(_ path: Path) -> Bool {
    guard (try? status(of: path))?.kind == .regular else { return false }
    return unsafe path.withCString { unsafe faccessat(AT_FDCWD, $0, X_OK, AT_EACCESS) == 0 }
  }

  /// The number of the descriptor that `path` stands for, also by way of links: `/dev/stdout`,
  /// `/dev/fd/3`; nil where it is another file.
  ///
  /// What is open there must be written to as it is: its file is somebody else's to keep.
  package static func openDescriptor(at path: Path) -> CInt? {
    var path = path
    // As many links as the kernel follows.
    for _ in 0..<40 {
      guard let folder = try? resolve(path.parent) else { return nil }
      if folder == "/proc/self/fd" || folder == Path("/proc/\(Process.id)/fd") {
        return CInt(decimal: path.lastComponent)
      }
      guard let target = try? readLink(folder.appending(path.lastComponent)) else { return nil }
      path = target.isAbsolute ? target : folder.appending(target.bytes)
    }
    return nil
  }

  /// Waits until the names in a folder are on the disk.
  package static func synchronizeDirectory(_ path: Path) throws(Errno) {
    try Descriptor.open(path, [.read, .directory]).synchronizeNames()
  }

  /// Whether a file can be made in `folder`: makes one, in silence, and removes it.
  package static func probeWriting(in folder: Path) throws(Errno) {
    let probe = folder.appending(temporaryName(for: Array("probe".utf8)))
    _ = try Descriptor.open(probe, [.write, .create, .exclusive, .noFollow])
    // Another mount may have taken it for what a killed one left (``AbandonedFiles``).
    do throws(Errno) { try remove(probe) } catch  where error == .noEntry {}
  }

  /// A name beside `name` that nobody else uses: `.NAME.kdbxfs-PID-RANDOM`.
  static func temporaryName(for name: [UInt8]) -> [UInt8] {
    let random = String(UInt64.random(in: 0 ... .max), radix: 16)
    let ending = Array(".kdbxfs-\(Process.id)-\(random)".utf8)
    return [UInt8(ascii: ".")] + name.prefix(255 - 1 - ending.count) + ending
  }
}

extension Descriptor {
  /// Waits until the names in this folder are on the disk.
  ///
  /// Some file systems have no such thing for folders and say `EINVAL`; there is nothing more to do.
  borrowing func synchronizeNames() throws(Errno) {
    do throws(Errno) { try synchronize() } catch  where error == .invalid {}
  }
}
