import Glibc

/// A file descriptor with one owner, closed exactly once.
///
/// All descriptors of ours are closed in programs that we start.
package struct Descriptor: ~Copyable, Sendable {
  /// The kernel's number; valid as long as this value lives.
  package let number: CInt

  package init(owning number: CInt) {
    self.number = number
  }

  /// Closes, and throws what the kernel said about it.
  ///
  /// Letting the value go closes too, but in silence.
  package consuming func close() throws(Errno) {
    let number = number
    discard self
    // Not retried: on Linux the descriptor is gone even when `close` reports an interruption.
    guard Glibc.close(number) == 0 else { throw .last }
  }

  /// Gives the number, and the duty to close it, to the caller.
  package consuming func release() -> CInt {
    let number = number
    discard self
    return number
  }

  deinit {
    _ = Glibc.close(number)
  }
}

extension Descriptor {
  /// How to open a file; `O_CLOEXEC` and `O_NOCTTY` are always added.
  package struct Options: OptionSet, Sendable {
    package let rawValue: CInt
    package init(rawValue: CInt) { self.rawValue = rawValue }

    package static let read = Options([])
    package static let write = Options(rawValue: O_WRONLY)
    package static let readWrite = Options(rawValue: O_RDWR)
    package static let append = Options(rawValue: O_APPEND)
    package static let create = Options(rawValue: O_CREAT)
    /// With ``create``: fails if there is such a name already.
    package static let exclusive = Options(rawValue: O_EXCL)
    package static let truncate = Options(rawValue: O_TRUNC)
    package static let directory = Options(rawValue: O_DIRECTORY)
    package static let noFollow = Options(rawValue: O_NOFOLLOW)
    package static let nonBlocking = Options(rawValue: O_NONBLOCK)
  }

  /// Opens `path`; a created file gets `permissions` less the process' mask.
  package static func open(
    _ path: Path, _ options: Options = .read, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    let flags = options.rawValue | O_CLOEXEC | O_NOCTTY
    let number = try unsafe path.withCString { (path) throws(Errno) in
      try systemCall { unsafe Glibc.open(path, flags, mode_t(permissions)) }
    }
    return Descriptor(owning: number)
  }

  /// Opens `name` in the folder that this descriptor is of.
  package borrowing func open(
    _ name: Path, _ options: Options = .read, permissions: UInt32 = 0o600
  ) throws(Errno) -> Descriptor {
    let folder = number
    let flags = options.rawValue | O_CLOEXEC | O_NOCTTY
    let number = try unsafe name.withCString { (name) throws(Errno) in
      try systemCall { unsafe Glibc.openat(folder, name, flags, mode_t(permissions)) }
    }
    return Descriptor(owning: number)
  }

  /// A second descriptor of the same open file.
  package borrowing func duplicate() throws(Errno) -> Descriptor {
    try Self.duplicate(of: number)
  }

  /// A descriptor for what is open under a number that is another's to close.
  package static func duplicate(of number: CInt) throws(Errno) -> Descriptor {
    Descriptor(owning: try systemCall { fcntl(number, F_DUPFD_CLOEXEC, 3) })
  }

  /// Waits until the contents, or the names in a folder, are on the disk.
  package borrowing func synchronize() throws(Errno) {
    let number = number
    try systemCall { fsync(number) }
  }

  package borrowing func status() throws(Errno) -> FileStatus {
    let number = number
    var status = stat()
    try systemCall { unsafe fstat(number, &status) }
    return FileStatus(status)
  }

  /// Whether reads and writes answer ``Errno/tryAgain`` instead of waiting.
  package borrowing func setNonBlocking(_ value: Bool) throws(Errno) {
    let number = number
    let flags = try systemCall { fcntl(number, F_GETFL) }
    let wanted = value ? flags | O_NONBLOCK : flags & ~O_NONBLOCK
    try systemCall { fcntl(number, F_SETFL, wanted) }
  }

  /// Whether it is a terminal.
  package var isTerminal: Bool { isatty(number) == 1 }
}
