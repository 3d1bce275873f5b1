package import DesktopBus
package import Platform

/// What a mounted vault's life depends on, told once.
package struct SessionOptions: Hashable, Sendable {
  /// `--ro`: the vault is only read, and doesn't count as its one writer.
  package var isReadOnly = false
  /// How long after the last change a save happens by itself, in nanoseconds; 0: never by itself.
  package var autosaveAfter: Int64 = 5_000_000_000
  /// How long after the first unsaved change a save waits for nothing more, in nanoseconds.
  package var autosaveWithin: Int64 = 30_000_000_000
  /// `-o exact`, see ``VaultTree``.
  package var isExact = false
  /// `-o show_hidden`, see ``VaultTree``.
  package var showsHidden = false
  /// `-o purge`, see ``VaultTree``.
  package var allowsPurge = false

  /// How long nothing must use the vault for it to be locked, in nanoseconds; 0: never.
  package var idleAfter: Int64 = 0
  /// What happens then.
  package var idleAction = IdleAction.lock
  /// How long after each unlock the vault is locked, used or not, in nanoseconds; 0: never.
  package var lockAfter: Int64 = 0
  /// How long after a lock it can be unlocked without its key, in nanoseconds; 0: never.
  package var rememberFor: Int64 = 0
  /// The key file that opens the vault: what `unlock` reads unless it is told another.
  package var keyFile: Path?
  /// Whether the key has no password in it.
  package var hasNoPassword = false

  /// What the desktop tells of that locks the vault.
  package var lockingEvents: DesktopEvents = []

  /// What is done with a vault that nobody uses.
  package enum IdleAction: Hashable, Sendable {
    case lock, unmount
  }

  package init() {}
}
