import KDBX
import Platform
import Secrets
import Synchronization

extension VaultSession {
  /// What the key is kept as, in the worker's keyring.
  private static let keyName: StaticString = "kdbxfs"

  /// Keeps what unlocks the vault again, for the time that was asked for; called on the worker, before
  /// the keys go.
  ///
  /// What the composite key is made from, hashes, never the password. Not kept over the end of the user's session.
  func remember(_ keys: VaultKeys, after reason: LockReason) {
    guard options.rememberFor > 0, reason != .logout else { return forgetRemembered() }
    let seconds = UInt32(clamping: max(1, options.rememberFor / 1_000_000_000))
    do throws(Errno) {
      try keys.composite.withParts(ofKeePass1: keys.header.isKeePass1) { (bytes) throws(Errno) in
        try Keyring.keep(bytes, as: Self.keyName, seconds: seconds)
      }
    } catch {
      log.warning("the kernel's keyring can't keep the key: \(error)")
    }
  }

  /// The key that is kept, while it is; called on the worker.
  func rememberedKeys() -> UnlockKeys? {
    guard options.rememberFor > 0,
      let parts = Keyring.read(Self.keyName)
    else { return nil }
    return UnlockKeys(CompositeKey(restoring: parts, responder: responder))
  }

  func forgetRemembered() {
    if options.rememberFor > 0 { Keyring.forget(Self.keyName) }
  }
}
