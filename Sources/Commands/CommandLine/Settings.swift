package import DesktopBus
package import Platform
package import Session

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

  /// `--challenge-response`: a program and its arguments that answers challenges; empty when not given.
  package var challengeProgram: [[UInt8]] = []

  /// Whether nothing is said of the password.
  var asksForPassword: Bool {
    passwordFile == nil && passwordProgram.isEmpty && !hasNoPassword
  }

  /// Takes what is missing from `other`: the source of the password as a whole, and the key file.
  mutating func complete(from other: KeySources) {
    if asksForPassword {
      passwordFile = other.passwordFile
      passwordProgram = other.passwordProgram
      hasNoPassword = other.hasNoPassword
    }
    keyFile = keyFile ?? other.keyFile
  }

  package init() {}
}

/// Everything that options can say; each command reads what concerns it.
package struct Settings: Hashable, Sendable {
  package var keys = KeySources()
  /// What `create` and `passwd` are told of the new key.
  package var newKeys = NewKeySources()
  /// What `generate` is told of the password.
  package var generation = GenerationSettings()
  /// `--max-memory`: how many bytes the key derivation, and the content, may take; nil: the usual.
  package var memoryLimit: Int?
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
  /// `--idle`, in nanoseconds: how long nothing must use the vault for it to be locked; 0: never.
  package var idleAfter: Int64 = 900_000_000_000
  /// `--on-idle`: what happens then.
  package var idleAction = SessionOptions.IdleAction.lock
  /// `--lock-after`, in nanoseconds: how long after an unlock it is locked, used or not; 0: never.
  package var lockAfter: Int64 = 0
  /// `--remember`, in nanoseconds: how long after a lock it can be unlocked without its key; 0: never.
  package var rememberFor: Int64 = 0
  /// `--unlock-with`: a program and its arguments that is asked for the password when something in a
  /// locked vault is looked at; empty: nobody is asked.
  package var unlockProgram: [[UInt8]] = []
  /// `--unlock-within`, in nanoseconds: how long it may take.
  package var unlockWithin: Int64 = 60_000_000_000
  /// What the desktop tells of that locks the vault: all but `--keep-on-…`.
  package var lockingEvents = DesktopEvents.all
  /// Whether a mount in use is detached: `umount --lazy`.
  package var detachesLazily = false
  /// Whether a vault that can't be saved is left to the state folder: `umount --rescue`.
  package var leavesUnsaved = false
  /// Whether what can be mended is mended: `check --repair`.
  package var repairs = false
  /// Whether the answer is one for programs: `--json`.
  package var printsJSON = false
  /// `merge --base`: the state that both files come from.
  package var mergeBase: Path?
  /// `--dry-run`: say what would be done, and do nothing.
  package var isDryRun = false
  /// `merge --other-passfile`: a file that holds the password of the files that are only read.
  package var otherPasswordFile: Path?
  /// `--force`: do what is refused otherwise.
  package var isForced = false

  /// `-v`: the vault's file that a command works on, without a mount.
  package var vaultFile: Path?
  /// `-m`: the mount that a command works on, by its path or name.
  package var mount: [UInt8]?
  /// `totp --next`: the code that follows the current one.
  package var wantsNextCode = false
  /// `totp --min-left`, in nanoseconds: how long a code must still be good; 0: any.
  package var leastTimeLeft: Int64 = 0
  /// `new --username`.
  package var newUserName: [UInt8]?
  /// `new --url`.
  package var newURL: [UInt8]?
  /// `restore --to`: a group, as it was typed.
  package var restoreTarget: [UInt8]?
  /// `purge --older`, in seconds.
  package var leastAge: Int64?
  /// `clip --for`, in nanoseconds; 0: for ever.
  package var clipFor: Int64 = 30_000_000_000
  /// `run --env`: `NAME=FIELD` each, as they were typed.
  package var variables: [[UInt8]] = []
  /// `inject --output`.
  package var outputFile: Path?
  /// `askpass --field`, as it was typed.
  package var field: [UInt8]?

  package init() {}
}

/// What a command line asks for.
package enum Invocation: Hashable, Sendable {
  case mount(vault: Path, mountPoint: Path, Settings)
  /// Options as they stood on the command line.
  case mountNamed([UInt8], options: [[UInt8]])
  /// A command of ``CommandSpec/all`` by its name, and the words behind it: bytes, as titles are.
  case command(String, [[UInt8]], Settings)
  /// The text for all, or for one command.
  case help(command: String?)
  case version
}
