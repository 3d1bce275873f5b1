import Glibc
package import Secrets

/// What is done to files by name.
package enum Files {
  /// The status of the file, or of a symbolic link itself unless `followingLinks`.
  package static func status(
    of path: Path, followingLinks: Bool = true
  ) throws(Errno) -> FileStatus { fatalError("not yet") }

  /// The absolute path without symbolic links; all of it must exist.
  package static func resolve(_ path: Path) throws(Errno) -> Path { fatalError("not yet") }

  /// The absolute path of the folder that this process stands in.
  package static func currentDirectory() throws(Errno) -> Path { fatalError("not yet") }

  /// Makes this process stand in `path`.
  package static func changeDirectory(to path: Path) throws(Errno) { fatalError("not yet") }

  package static func makeDirectory(
    _ path: Path, permissions: UInt32 = 0o700
  ) throws(Errno) { fatalError("not yet") }

  /// Makes `path` and the folders above it that are missing.
  package static func makeDirectories(
    _ path: Path, permissions: UInt32 = 0o700
  ) throws(Errno) { fatalError("not yet") }

  package static func remove(_ path: Path) throws(Errno) { fatalError("not yet") }
  package static func removeDirectory(_ path: Path) throws(Errno) { fatalError("not yet") }

  /// Puts the file in the place of what is called `target`.
  package static func rename(_ path: Path, to target: Path) throws(Errno) { fatalError("not yet") }

  /// The names in a folder, in no order, without `.` and `..`.
  package static func names(in folder: Path) throws(Errno) -> [[UInt8]] { fatalError("not yet") }

  /// Whether this process may do so: its real user, as access(2) asks.
  package static func isWritable(_ path: Path) -> Bool { fatalError("not yet") }

  /// Waits until the names in a folder are on the disk.
  package static func synchronizeDirectory(_ path: Path) throws(Errno) { fatalError("not yet") }

  /// Reads a whole file, pipe or device; more than `limit` bytes are ``Errno/fileTooBig``.
  package static func readWhole(
    _ path: Path, limit: Int = 1 << 31
  ) throws(Errno) -> WipedBuffer { fatalError("not yet") }

  /// Reads to the end of an open file, pipe or socket.
  package static func readWhole(
    _ descriptor: borrowing Descriptor, limit: Int = 1 << 31
  ) throws(Errno) -> WipedBuffer { fatalError("not yet") }

  /// Whether a file can be made in `folder`: makes one, in silence, and removes it.
  package static func probeWriting(in folder: Path) throws(Errno) { fatalError("not yet") }
}
