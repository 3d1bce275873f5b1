import Platform

/// What a file system answers.
///
/// - Calls come on the threads of ``FuseSession``, several at a time, and should not block: a slow
///   answer is given later, on another thread, by a ``PendingReply``.
/// - Each call gets a reply that is to be answered exactly once; one that is dropped says `EIO`.
/// - All that comes from the kernel is hostile: inodes, handles and names may be any; offsets and
///   sizes are not negative, and no sum of them has been checked.
/// - A `Span` is lent for the call: what is answered later copies it first.
/// - A file system states only what it can do: every requirement has a default that says `ENOSYS`,
///   at which the kernel falls back, remembers it or refuses the system call. (For `fallocate`,
///   `copy_file_range`, `lseek`, locks and `ioctl` it always gets that answer from libfuse.)
package protocol FileSystem: Sendable {
  // MARK: Looking

  /// Finds a name; an answer counts one reference of the kernel's to the inode.
  func lookup(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EntryReply)

  /// Takes back `count` references of the kernel's; it is told nothing.
  func forget(_ inode: InodeNumber, count: UInt64)

  func attributes(
    of inode: InodeNumber, handle: HandleNumber?, _ reply: consuming AttributesReply)

  func setAttributes(
    of inode: InodeNumber, handle: HandleNumber?, to changes: AttributeChanges,
    _ reply: consuming AttributesReply)

  func readLink(_ inode: InodeNumber, _ reply: consuming LinkTargetReply)

  func statistics(of inode: InodeNumber, _ reply: consuming StatisticsReply)

  // MARK: Names

  /// Makes a device, a pipe, a socket, or (`mknod(2)` of a regular file) a file that isn't opened.
  func makeNode(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply)

  func makeDirectory(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply)

  func makeSymbolicLink(
    _ name: [UInt8], in directory: InodeNumber, target: [UInt8], _ reply: consuming EntryReply)

  func makeLink(
    _ name: [UInt8], in directory: InodeNumber, to inode: InodeNumber,
    _ reply: consuming EntryReply)

  func removeFile(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply)

  func removeDirectory(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply)

  func rename(
    _ name: [UInt8], in directory: InodeNumber,
    to newName: [UInt8], in newDirectory: InodeNumber, _ flags: FileRenameFlags,
    _ reply: consuming EmptyReply)

  // MARK: Files

  /// Makes and opens a file; an answer counts one reference of the kernel's to the inode.
  func create(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ flags: FileOpenFlags,
    _ reply: consuming CreateReply)

  func open(_ inode: InodeNumber, _ flags: FileOpenFlags, _ reply: consuming OpenReply)

  func read(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, count: Int,
    _ reply: consuming DataReply)

  /// Writes; `appends` is whether the handle is in `O_APPEND` mode, where the offset means nothing.
  func write(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, _ bytes: Span<UInt8>,
    appends: Bool, _ reply: consuming WriteReply)

  /// Comes at each `close` of a descriptor of the handle, which gets the answer.
  func flush(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply)

  /// Comes once, after the last descriptor of the handle is closed; nobody sees the answer.
  func release(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply)

  func synchronize(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply)

  // MARK: Directories

  func openDirectory(_ inode: InodeNumber, _ reply: consuming OpenDirectoryReply)

  /// Lists from `offset` on: 0, or what was given as `next` of the last name taken.
  func readDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int, _ reply: consuming ListReply)

  /// Lists with attributes; counts one reference to each inode answered, but for `.` and `..`.
  func readDirectoryPlus(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int,
    _ reply: consuming ListPlusReply)

  func releaseDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply)

  func synchronizeDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply)

  // MARK: Extended attributes

  func extendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply)

  /// Lists the names, each with a zero byte after it.
  func extendedAttributes(of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply)

  func setExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: Span<UInt8>, _ reply: consuming EmptyReply)

  func removeExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming EmptyReply)
}

extension FileSystem {
  package func lookup(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EntryReply) {
    reply.failure(.notImplemented)
  }

  package func forget(_ inode: InodeNumber, count: UInt64) {}

  package func attributes(
    of inode: InodeNumber, handle: HandleNumber?, _ reply: consuming AttributesReply
  ) { reply.failure(.notImplemented) }

  package func setAttributes(
    of inode: InodeNumber, handle: HandleNumber?, to changes: AttributeChanges,
    _ reply: consuming AttributesReply
  ) { reply.failure(.notImplemented) }

  package func readLink(_ inode: InodeNumber, _ reply: consuming LinkTargetReply) {
    reply.failure(.notImplemented)
  }

  package func statistics(of inode: InodeNumber, _ reply: consuming StatisticsReply) {
    reply.failure(.notImplemented)
  }

  package func makeNode(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply
  ) { reply.failure(.notImplemented) }

  package func makeDirectory(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply
  ) { reply.failure(.notImplemented) }

  package func makeSymbolicLink(
    _ name: [UInt8], in directory: InodeNumber, target: [UInt8], _ reply: consuming EntryReply
  ) { reply.failure(.notImplemented) }

  package func makeLink(
    _ name: [UInt8], in directory: InodeNumber, to inode: InodeNumber,
    _ reply: consuming EntryReply
  ) { reply.failure(.notImplemented) }

  package func removeFile(
    _ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func removeDirectory(
    _ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func rename(
    _ name: [UInt8], in directory: InodeNumber,
    to newName: [UInt8], in newDirectory: InodeNumber, _ flags: FileRenameFlags,
    _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func create(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ flags: FileOpenFlags,
    _ reply: consuming CreateReply
  ) { reply.failure(.notImplemented) }

  package func open(
    _ inode: InodeNumber, _ flags: FileOpenFlags, _ reply: consuming OpenReply
  ) { reply.failure(.notImplemented) }

  package func read(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, count: Int,
    _ reply: consuming DataReply
  ) { reply.failure(.notImplemented) }

  package func write(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, _ bytes: Span<UInt8>,
    appends: Bool, _ reply: consuming WriteReply
  ) { reply.failure(.notImplemented) }

  package func flush(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func release(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) { reply.success() }

  package func synchronize(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func openDirectory(_ inode: InodeNumber, _ reply: consuming OpenDirectoryReply) {
    reply.failure(.notImplemented)
  }

  package func readDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int, _ reply: consuming ListReply
  ) { reply.failure(.notImplemented) }

  package func readDirectoryPlus(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int,
    _ reply: consuming ListPlusReply
  ) { reply.failure(.notImplemented) }

  package func releaseDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) { reply.success() }

  package func synchronizeDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func extendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply
  ) { reply.failure(.notImplemented) }

  package func extendedAttributes(
    of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply
  ) { reply.failure(.notImplemented) }

  package func setExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: Span<UInt8>, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }

  package func removeExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming EmptyReply
  ) { reply.failure(.notImplemented) }
}
