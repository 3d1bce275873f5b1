/// Where the password and the key file come from, as the command line says.
package struct KeySources: Hashable, Sendable {
  /// `--passfile`: a file that holds the password.
  package var passwordFile: String?
  /// `--extpass`: a program and its arguments that prints the password; empty when not given.
  package var passwordProgram: [String] = []
  /// `--keyfile`
  package var keyFile: String?
  /// `--no-password`: the key has no password in it, which differs from an empty one.
  package var hasNoPassword = false

  package init() {}
}

/// Everything that options can say; each command reads what concerns it.
package struct Settings: Hashable, Sendable {
  package var keys = KeySources()
  /// `-f`: stay in front, and say everything on standard error.
  package var staysInFront = false
  /// `--ro`
  package var isReadOnly = false
  /// `--fsname`: the source that the mount table shows; the vault's path when `nil`.
  package var sourceName: String?
  /// `--nonempty`: a mount point that holds files is taken.
  package var takesNonEmpty = false
  /// `--notifypid`: who gets SIGUSR1 when the mount answers.
  package var notifiedProcess: Int32?
  /// `-q`: no warnings.
  package var isQuiet = false
  /// `-d`: say what is done.
  package var isVerbose = false
  /// `-o allow_other`
  package var allowsOthers = false
  /// `-o exact`
  package var isExact = false
  /// `-o show_hidden`
  package var showsHidden = false
  /// `-o purge`
  package var allowsPurge = false
  /// `-o autosave=TIME`, in nanoseconds; 0: never by itself.
  package var autosaveAfter: Int64 = 5_000_000_000
  /// `umount --lazy`
  package var detachesLazily = false
  /// `status --json`
  package var printsJSON = false

  package init() {}
}

/// What a command line asks for.
package enum Invocation: Hashable, Sendable {
  case mount(vault: String, mountPoint: String, Settings)
  case unmount(mountPoint: String, Settings)
  case save(mountPoint: String, Settings)
  case status(mountPoint: String, Settings)
  /// Paths in the vault are bytes, as titles are.
  case list(vault: String, path: [UInt8], Settings)
  case concatenate(vault: String, paths: [[UInt8]], Settings)
  case information(vault: String, Settings)
  case help
  case version
}
