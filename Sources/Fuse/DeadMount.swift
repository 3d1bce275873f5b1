package import Platform

/// A mount whose process is gone: every access to it answers ``Errno/notConnected``.
package enum DeadMount {
  /// Takes the mount at `path`, absolute and free of links, out of the mount table, whoever still
  /// stands in it.
  package static func detach(at path: Path) throws(Errno) {
    try MountedPlace(path).unmount(lazily: true)
  }
}
