import KDBX
package import Platform
import Secrets
import Vault
import VaultTree

extension VaultSession {
  /// Begins the life of a vault that was just opened; nothing is mounted yet.
  ///
  /// Starts the worker, so signals that others handle must be blocked before. `mountPoint` is absolute
  /// and free of links; `access` is to the candidate that was opened, and its lock is held until the
  /// end.
  package static func start(
    _ vault: OpenedVault, mountPoint: Path, options: SessionOptions, access: consuming VaultAccess,
    log: SessionLog
  ) throws(SessionError) -> VaultSession {
    let isReadOnly = access.isReadOnly || vault.isNewerThanKnown
    precondition(isReadOnly || vault.file.isRemembered, "the access is to another candidate")
    if vault.isNewerThanKnown {
      log.warning(
        "the vault has format version \(vault.header.version), newer than kdbxfs knows: mounted"
          + " read-only")
    }
    let dropped = vault.document.droppedControlCount
    if dropped > 0 {
      log.warning(
        "the vault holds control characters (\(dropped)), which other programs stumble over: they are"
          + " not shown, and the next save leaves them out")
    }
    do throws(Errno) {
      let session = try VaultSession(
        tree: VaultTree(vault, options: options, isReadOnly: isReadOnly), vault: vault,
        isReadOnly: isReadOnly, mountPoint: mountPoint, options: options, log: log,
        lock: access.takeLock())
      session.tree.setChangeHandler { [weak session] in session?.noteChange() }
      _ = try Thread.start(name: "saver") { session.work() }
      return session
    } catch {
      throw SessionError(.refused, "the session can't start: \(error)", errnoValue: error.rawValue)
    }
  }
}

extension OpenedVault {
  /// Whether the file is of a later minor version than the newest that we know, so that a save could
  /// lose what it has.
  var isNewerThanKnown: Bool {
    header.version > .newest || (header.version.major == 3 && header.version > .kdbx31)
  }
}

extension VaultTree {
  /// The tree of an opened vault, on the machine's clocks.
  package convenience init(_ vault: OpenedVault, options: SessionOptions, isReadOnly: Bool) {
    var treeOptions = TreeOptions(
      now: {
        let time = Clock.wall()
        return Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds)
      },
      monotonic: { Clock.sinceBoot() })
    treeOptions.isReadOnly = isReadOnly
    treeOptions.isExact = options.isExact
    treeOptions.showsHidden = options.showsHidden
    treeOptions.allowsPurge = options.allowsPurge
    self.init(Vault(vault.document), options: treeOptions)
  }
}
