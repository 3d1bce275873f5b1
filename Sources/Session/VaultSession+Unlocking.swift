import KDBX
import Platform
import Secrets
import Synchronization
import Vault
import VaultTree

/// Someone who wants the vault unlocked.
struct UnlockRequest: Sendable {
  /// `nil`: the key that is remembered.
  var keys: UnlockKeys?
  var completion: @Sendable (SessionError?) -> Void
}

extension VaultSession {
  /// Unlocks the vault on the worker; `completion` runs there.
  ///
  /// Without keys it is the remembered one that is tried. A vault that is not locked stays so, whatever
  /// the keys are.
  package func unlock(
    with keys: UnlockKeys?, completion: @escaping @Sendable (SessionError?) -> Void
  ) {
    let ended = state.withLock { state -> SessionError?? in
      if case .ended(let failure) = state.phase { return .some(failure) }
      state.unlocks.append(UnlockRequest(keys: keys, completion: completion))
      return nil
    }
    if let ended { completion(ended) } else { bell.ring() }
  }

  /// Unlocks the vault and waits for it.
  package func unlockAndWait(with keys: UnlockKeys?) throws(SessionError) {
    let answer = try Answer()
    unlock(with: keys) { answer.give($0) }
    if let failure = answer.wait() { throw failure }
  }

  // MARK: - On the worker

  /// Opens the vault's file again, and shows the same nodes.
  func performUnlock(with given: UnlockKeys?) -> SessionError? {
    let isLocked = state.withLock { state in
      guard state.phase == .locked else { return false }
      state.phase = .unlocking
      return true
    }
    guard isLocked else { return nil }
    do throws(SessionError) {
      guard let keys = given ?? rememberedKeys() else {
        throw SessionError(.locked, "the key is not remembered, or not any more")
      }
      if let kept = state.withLock({ $0.keys }) {
        try checkKept(kept, with: keys)
        tree.reopen()
      } else {
        try openAgain(with: keys)
      }
    } catch {
      state.withLock { $0.phase = .locked }
      return error
    }
    forgetRemembered()
    lastUse.note()
    let now = clock.sinceBoot()
    state.withLock { state in
      state.phase = .unlocked
      state.unlockedAt = now
    }
    log.debug("unlocked")
    return nil
  }

  /// Where edits wait for a save, the vault is still there: only who has its key sees it again.
  private func checkKept(_ kept: VaultKeys, with keys: UnlockKeys) throws(SessionError) {
    for key in keys.tries {
      do throws(KDBXError) {
        let derived = try DerivedKey(from: key, with: kept.derived.parameters)
        if derived.matches(kept.derived) { return }
      } catch {
        throw SessionError(error, opening: vaultPath)
      }
    }
    throw SessionError(KDBXError(.wrongKey, in: .keyDerivation), opening: vaultPath)
  }

  private func openAgain(with keys: UnlockKeys) throws(SessionError) {
    let contents = try VaultFile.read(vaultPath)
    let opened = try VaultCandidate.open(contents, with: keys)
    if !isReadOnly, let reason = opened.header.reasonNotToWrite {
      throw SessionError(
        .unreadable, "\(contents.file.name) now \(reason)",
        hints: ["unmount and mount it again: it will be read-only"])
    }
    contents.file.remember(contents.bytes.bytes)
    let found = isReadOnly ? nil : rescuedEdits(of: opened)
    outside.base = opened.document
    outside.watch(contents.file)
    tree.unlock(Vault(found?.document ?? opened.document), isEdited: found != nil)
    let now = clock.sinceBoot()
    state.withLock { state in
      state.keys = VaultKeys(opened)
      state.file = contents.file
      state.failure = nil
      state.rescues = found?.files ?? []
      state.schedule.succeeded()
      if found != nil { _ = state.schedule.changed(at: now) }
    }
    for report in found?.reports ?? [] { tell(report) }
  }

  private func rescuedEdits(of vault: OpenedVault) -> RescuedEdits? {
    RescuedEdits.find(
      for: vault, in: surroundings.stateFolder, at: VaultTime(unixSeconds: clock.wall().seconds),
      log)
  }
}
