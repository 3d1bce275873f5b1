import KDBX
package import Platform
import Secrets
import Synchronization
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
    log: SessionLog, surroundings: SessionSurroundings
  ) throws(SessionError) -> VaultSession {
    let isReadOnly = access.isReadOnly || vault.header.reasonNotToWrite != nil
    precondition(isReadOnly || vault.file.isRemembered, "the access is to another candidate")
    if !access.isReadOnly { vault.header.sayWhyNotToWrite(vault.file, log) }
    let dropped = vault.document.droppedControlCount
    if dropped > 0 {
      log.warning(
        "the vault holds control characters (\(dropped)), which other programs stumble over: they are"
          + " not shown, and the next save leaves them out")
    }
    let now = VaultTime(unixSeconds: surroundings.clock.wall().seconds)
    let found =
      isReadOnly ? nil : RescuedEdits.find(for: vault, in: surroundings.stateFolder, at: now, log)
    if isReadOnly { RescuedEdits.name(of: vault, in: surroundings.stateFolder, log) }
    let callers = CallerBook()
    do throws(Errno) {
      let session = try VaultSession(
        tree: VaultTree(
          found?.document ?? vault.document, options: options, isReadOnly: isReadOnly,
          clock: surroundings.clock, callers: callers),
        vault: vault, isReadOnly: isReadOnly, mountPoint: mountPoint, options: options, log: log,
        surroundings: surroundings, callers: callers, lock: access.takeLock())
      session.tree.setChangeHandler { [weak session] in session?.noteChange() }
      if let found {
        session.state.withLock { $0.rescues = found.files }
        session.tree.noteRestoredEdits()
        for report in found.reports { session.tell(report) }
      }
      _ = try Thread.start(name: "saver") { session.work() }
      return session
    } catch {
      throw SessionError(.refused, "the session can't start: \(error)", errnoValue: error.rawValue)
    }
  }
}

extension VaultTree {
  /// The tree of an opened vault, on the machine's clocks.
  package convenience init(_ vault: OpenedVault, options: SessionOptions, isReadOnly: Bool) {
    self.init(
      vault.document, options: options, isReadOnly: isReadOnly, now: { Clock.wall() },
      monotonic: { Clock.sinceBoot() }, callers: nil)
  }

  /// The tree of an opened vault, on a session's clocks.
  convenience init(
    _ document: Document, options: SessionOptions, isReadOnly: Bool, clock: SessionClock,
    callers: CallerBook
  ) {
    self.init(
      document, options: options, isReadOnly: isReadOnly, now: { clock.wall() },
      monotonic: { clock.sinceBoot() }, callers: callers)
  }

  private convenience init(
    _ document: Document, options: SessionOptions, isReadOnly: Bool,
    now: @escaping @Sendable () -> ClockTime, monotonic: @escaping @Sendable () -> Int64,
    callers: CallerBook?
  ) {
    var treeOptions = TreeOptions(
      now: {
        let time = now()
        return Timestamp(seconds: time.seconds, nanoseconds: time.nanoseconds)
      },
      monotonic: monotonic)
    treeOptions.isReadOnly = isReadOnly
    treeOptions.isExact = options.isExact
    treeOptions.showsHidden = options.showsHidden
    treeOptions.allowsPurge = options.allowsPurge
    if let callers {
      treeOptions.identify = { callers.accessor(thread: $0.thread, user: $0.user) }
      let (user, name) = (Process.user, Process.userName)
      treeOptions.userName = { $0 == user ? name : "\($0)" }
    }
    self.init(Vault(document), options: treeOptions)
  }
}
