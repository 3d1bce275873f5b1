/// Why a vault couldn't be opened or saved.
///
/// `message` is one line for people, lower case, without a secret; `kind` is what the exit code and
/// the answer to an `fsync` follow from.
package struct SessionError: Error, Hashable {
  package enum Kind: Hashable, Sendable {
    /// The vault's file can't be read, is no vault of ours, or is damaged.
    case unreadable
    /// The vault is mounted for writing elsewhere.
    case mountedElsewhere
    /// The vault can't be locked for writing, and no mount is why: a command holds the lock too long.
    case notLocked
    /// The password or the key file is wrong.
    case wrongKey
    /// What is a part of the key beside password and key file didn't answer.
    case noAnswer
    /// The password is empty, and that opens nothing.
    case emptyPassword
    /// The vault couldn't be written; the old file is whole.
    case unwritable
    /// The vault was changed by another program; ours was written beside it.
    case conflict
    /// The vault is locked, and this needs it unlocked, or a key.
    case locked
    /// The mount could not be detached, because something uses it.
    case busy
    /// What a request names isn't there.
    case absent
    /// The request means nothing in this state, or can't be understood.
    case refused
  }

  package let kind: Kind
  /// What went wrong: lower case, no full stop, one line, no secret.
  package let message: String
  /// What to try, each a line of its own.
  package let hints: [String]
  /// The number that a failed `fsync` answers; `EIO` where the fault has none of its own.
  package let errnoValue: CInt

  package init(_ kind: Kind, _ message: String, hints: [String] = [], errnoValue: CInt = 5) {
    self.kind = kind
    self.message = message
    self.hints = hints
    self.errnoValue = errnoValue
  }
}
