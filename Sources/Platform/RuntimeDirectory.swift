/// The folder for sockets and locks, which goes when the user's last session does.
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
  package static func locate() throws(Failure) -> Path { fatalError("not yet") }
}
