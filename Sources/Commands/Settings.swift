package import Platform

/// Where the password and the key file come from, as the command line says.
package struct KeySources: Hashable, Sendable {
  /// `--passfile`: a file that holds the password.
  package var passwordFile: Path?
  /// `--extpass`: a program and its arguments that prints the password; empty when not given.
  package var passwordProgram: [[UInt8]] = []
  /// The key file: `--keyfile`.
  package var keyFile: Path?
  /// `--no-password`: the key has no password in it, which differs from an empty one.
  package var hasNoPassword = false

  package init() {}
}

/// Everything that options can say; each command reads what concerns it.
package struct Settings: Hashable, Sendable {
  package var keys = KeySources()
  /// `-f`: stay in front, and say everything on standard error.
  package var staysInFront = false
  /// Read-only: `--ro`.
  package var isReadOnly = false
  /// `--fsname`: the source that the mount table shows; the vault's path when `nil`.
  package var sourceName: [UInt8]?
  /// `--nonempty`: a mount point that holds files is taken.
  package var takesNonEmpty = false
  /// `--notifypid`: who gets SIGUSR1 when the mount answers.
  package var notifiedProcess: Int32?
  /// `-q`: no warnings.
  package var isQuiet = false
  /// `-d`: say what is done.
  package var isVerbose = false
  /// Whether other users get in: `-o allow_other`.
  package var allowsOthers = false
  /// Whether a final line feed belongs to a value: `-o exact`.
  package var isExact = false
  /// Whether names that are only reachable are listed: `-o show_hidden`.
  package var showsHidden = false
  /// Whether what this mount removed may be removed for good: `-o purge`.
  package var allowsPurge = false
  /// `-o autosave=TIME`, in nanoseconds; 0: never by itself.
  package var autosaveAfter: Int64 = 5_000_000_000
  /// Whether a mount in use is detached: `umount --lazy`.
  package var detachesLazily = false
  /// Whether the answer is printed as it came: `status --json`.
  package var printsJSON = false

  package init() {}
}

/// What a command line asks for.
package enum Invocation: Hashable, Sendable {
  case mount(vault: Path, mountPoint: Path, Settings)
  case unmount(mountPoint: Path, Settings)
  case save(mountPoint: Path, Settings)
  case status(mountPoint: Path, Settings)
  /// Paths in the vault are bytes, as titles are.
  case list(vault: Path, path: [UInt8], Settings)
  case concatenate(vault: Path, paths: [[UInt8]], Settings)
  case information(vault: Path, Settings)
  case help
  case version
}
