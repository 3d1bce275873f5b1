/// What the process says as it ends.
///
/// Scripts rely on the numbers: add, never renumber. `docs/command-line.md` tells users the same.
package enum ExitCode: CInt, CaseIterable, Sendable {
  /// All went well.
  case success = 0
  /// The command line can't be understood.
  case usage = 1
  /// No password, no key file, or no value for `set`, could be read.
  case noKeyMaterial = 9
  /// The mount point can't be used, or it is busy.
  case mountPoint = 10
  /// The password or the key file is wrong; also a damaged or empty key file.
  case wrongKey = 12
  /// A signal came before the mount answered.
  case interrupted = 15
  /// FUSE isn't there, or refused.
  case fuse = 19
  /// Nobody answers for this mount point, or its vault is locked.
  case controlSocket = 20
  /// The password is empty, and that doesn't open the vault.
  case emptyPassword = 22
  /// The vault can't be opened, or is damaged.
  case vaultUnreadable = 23
  /// The vault can't be written, or can't hold what is given; also where something of that name is there.
  case vaultUnwritable = 24
  /// `check` found faults.
  case faultsFound = 26
  /// There is no such entry or field, or nothing that was looked for.
  case nothingFound = 27
  /// There is no clipboard, or it takes nothing.
  case clipboard = 28
  /// The editor failed, or what it left can't be read.
  case editor = 29
  /// `run` found the program, but it can't be run; as shells have it.
  case programNotRun = 126
  /// `run` found no such program; as shells have it.
  case programMissing = 127
}
