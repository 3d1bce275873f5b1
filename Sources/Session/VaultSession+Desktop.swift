package import DesktopBus
import Platform

extension VaultSession {
  /// Locks the vault at what the desktop tells of, as the options say; `nil` where nothing is to be
  /// watched, or can be.
  ///
  /// The machine sleeps when the vault is locked.
  package func watchDesktop() -> DesktopWatcher? {
    guard !options.lockingEvents.isEmpty else { return nil }
    return try? DesktopWatcher(options.lockingEvents) { [weak self] event in
      guard let self else { return }
      let reason: LockReason =
        switch event {
        case .sleep: .suspend
        case .screenLock: .screenLock
        case .logout: .logout
        }
      // What couldn't be saved has been said, and is locked all the same.
      try? lockAndWait(reason)
    }
  }
}
