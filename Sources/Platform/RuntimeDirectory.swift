/// The folder for sockets and other things that go when the user's last session does.
package enum RuntimeDirectory {
  package enum Failure: Error, Hashable {
    /// It is there, but somebody else's, a link, or open to others.
    case notOurs(Path)
    case system(Path, Errno)
  }

  /// The folder, made with mode 0700 where it is missing.
  ///
  /// `$XDG_RUNTIME_DIR/kdbxfs`, else `/run/user/UID/kdbxfs` if `/run/user/UID` is ours, else
  /// `${TMPDIR:-/tmp}/kdbxfs-UID`; its owner and mode are checked.
  package static func locate() throws(Failure) -> Path {
    let path = choose(
      runtime: Process.environment("XDG_RUNTIME_DIR"), temporary: Process.environment("TMPDIR"))
    try prepare(path)
    return path
  }

  /// Where the folder belongs, by these two variables of the environment.
  static func choose(runtime: [UInt8]?, temporary: [UInt8]?) -> Path {
    for candidate in [runtime.map { Path($0) }, Path("/run/user/\(Process.user)")] {
      // With `sudo -E` the variable names another user's folder.
      guard let folder = candidate, folder.isAbsolute, isOurs(folder) else { continue }
      return folder.appending("kdbxfs")
    }
    let temporary = temporary.map { Path($0) }.flatMap { $0.isAbsolute ? $0 : nil } ?? "/tmp"
    return temporary.appending("kdbxfs-\(Process.user)")
  }

  /// Where the folder of another user is, whose number is given as text and who has the usual
  /// environment; nothing is made or checked.
  package static func usualPlaces(ofUser user: [UInt8]) -> [Path] {
    [
      Path("/run/user").appending(user).appending("kdbxfs"),
      Path("/tmp").appending(Array("kdbxfs-".utf8) + user),
    ]
  }

  private static func isOurs(_ folder: Path) -> Bool {
    guard let status = try? Files.status(of: folder) else { return false }
    return status.kind == .directory && status.owner == Process.user
  }

  static func prepare(_ path: Path) throws(Failure) {
    do throws(Errno) {
      try Files.makeDirectory(path, permissions: 0o700)
    } catch  where error != .exists {
      throw .system(path, error)
    } catch {}
    let status: FileStatus
    do throws(Errno) {
      status = try Files.status(of: path, followingLinks: false)
    } catch {
      throw .system(path, error)
    }
    guard status.kind == .directory, status.owner == Process.user,
      status.permissions & 0o077 == 0
    else { throw .notOurs(path) }
  }
}
