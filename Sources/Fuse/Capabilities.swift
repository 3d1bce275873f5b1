import CFuse3

/// What we ask of the kernel's side of FUSE, and what we do without.
enum Capabilities {
  /// The most bytes of one write: the largest that libfuse 3.14 and the kernel agree on.
  static let mostBytesOfWrite = 1 << 20

  /// The most bytes of one request: the largest write, and what the kernel and libfuse put before it
  /// (4 KiB), rounded up.
  static let mostBytesOfMessage = mostBytesOfWrite + 2 * 4096

  /// What is switched on, where the kernel has it.
  private static let wanted =
    // O_TRUNC comes with the open, not as a truncation before it: an open that never writes must
    // not have emptied the file.
    FUSE_CAP_ATOMIC_O_TRUNC
    // Lookups and listings of one directory at the same time.
    | FUSE_CAP_PARALLEL_DIROPS
    // Listings with attributes when the kernel thinks it pays.
    | FUSE_CAP_READDIRPLUS | FUSE_CAP_READDIRPLUS_AUTO
    // Large direct reads and writes in several requests at the same time.
    | FUSE_CAP_ASYNC_DIO | FUSE_CAP_ASYNC_READ
    // A cached listing is dropped when the directory's time changes.
    | FUSE_CAP_AUTO_INVAL_DATA

  /// What stays off whatever libfuse's defaults are: the page cache as a place for writes, pipes
  /// as a place for what is read or written, targets of links in the page cache, and numbers of
  /// files that outlive a mount.
  private static let unwanted =
    FUSE_CAP_WRITEBACK_CACHE | FUSE_CAP_SPLICE_READ | FUSE_CAP_SPLICE_WRITE
    | FUSE_CAP_SPLICE_MOVE | FUSE_CAP_CACHE_SYMLINKS | FUSE_CAP_EXPORT_SUPPORT
    | FUSE_CAP_EXPLICIT_INVAL_DATA | FUSE_CAP_HANDLE_KILLPRIV

  static func choose(on connection: inout fuse_conn_info) {
    connection.want |= UInt32(wanted) & connection.capable
    connection.want &= ~UInt32(unwanted)
    connection.max_write = UInt32(mostBytesOfWrite)
  }
}
