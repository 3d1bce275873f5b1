/// Why the tree refuses a call; one case a row of the table of errors in `docs/editing.md`.
///
/// Holds no byte of a value or name.
package enum TreeError: Error, Hashable, CaseIterable {
  /// No such group, entry, field (`ENOENT`).
  case noEntry
  /// The vault is locked (`ENOKEY`).
  case locked
  /// A handle from before a lock, or a node that is gone (`ESTALE`).
  case stale
  /// A value or name that a vault can't hold, a move into itself (`EINVAL`).
  case invalid
  /// Text that is no UTF-8 where a string is needed (`EILSEQ`).
  case illegalSequence
  /// Writing a read-only file: history, views (`EACCES`).
  case readOnlyFile
  /// What this tree never allows: a file directly in a group, another owner, purging what this mount
  /// removed (`EPERM`).
  case notPermitted
  /// Mounted read-only, or the mount is ending (`EROFS`).
  case readOnly
  /// A name over 255 bytes (`ENAMETOOLONG`).
  case nameTooLong
  /// A field over 16 MiB, an attachment over 256 MiB (`EFBIG`).
  case tooBig
  /// Temporary files over their limit (`ENOSPC`).
  case noSpace
  /// A foreign extended attribute (`EOPNOTSUPP`).
  case notSupported
  /// The name is taken (`EEXIST`).
  case exists
  /// A directory that is not empty (`ENOTEMPTY`).
  case notEmpty
  /// A directory is needed (`ENOTDIR`).
  case notDirectory
  /// No directory is allowed (`EISDIR`).
  case isDirectory
  /// A known extended attribute that this node hasn't got (`ENODATA`).
  case noData
  /// A handle that was not opened for this, or is closed (`EBADF`).
  case badHandle
  /// The vault's own bytes can't be read, an attachment that is damaged (`EIO`).
  case inputOutput
}
