package import Platform

/// A mount whose process is gone, or cut off from it.
package enum DeadMount {
  /// Whether a system call failed because of one: ``Errno/connectionAborted`` is answered while the
  /// kernel still cuts the mount off, ``Errno/notConnected`` from then on.
  package static func isCause(of error: Errno) -> Bool {
    error == .notConnected || error == .connectionAborted
  }

  /// Whether one is at `path`.
  ///
  /// Found by opening the folder, which only the process can answer; its status may still be cached.
  package static func isThere(at path: Path) -> Bool {
    do throws(Errno) {
      _ = try Descriptor.open(path, [.read, .directory])
      return false
    } catch {
      return isCause(of: error)
    }
  }

  /// Takes the mount at `path`, absolute and free of links, out of the mount table, whoever still
  /// stands in it.
  package static func detach(at path: Path) throws(Errno) {
    try MountedPlace(path).unmount(lazily: true)
  }
}
