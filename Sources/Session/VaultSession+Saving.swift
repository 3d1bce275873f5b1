import KDBX
import Platform
import Secrets
import Synchronization
import VaultTree

extension VaultSession {
  /// Saves what has changed; called on the worker only.
  ///
  /// Gives why it failed; `nil` when all is on disk, or there was nothing to do.
  func performSave(_ reason: SaveReason) -> SessionError? {
    guard !isReadOnly else { return nil }
    let conflict = state.withLock { state in
      state.schedule.began()
      state.phase = .saving
      return state.conflict
    }
    guard let prepared = tree.prepareSave(reason) else {
      return settle(nil) ?? (reason.storesAll ? conflict : nil)
    }
    log.debug("saving (\(reason))")
    var failure: SessionError?
    do throws(SessionError) {
      try store(prepared)
    } catch {
      failure = error
    }
    tree.finishSave(prepared, succeeded: failure == nil)
    if failure == nil { state.withLock { $0.lastSaved = Clock.wall() } }
    return settle(failure) ?? (reason.storesAll ? state.withLock { $0.conflict } : nil)
  }

  /// Notes how a save went, and says a failure that is new.
  private func settle(_ failure: SessionError?) -> SessionError? {
    let isNews = state.withLock { state in
      state.phase = .unlocked
      defer { state.failure = failure }
      if failure == nil {
        state.schedule.succeeded()
      } else {
        state.schedule.failed(at: Clock.sinceBoot())
      }
      return state.failure != failure
    }
    if isNews, let failure {
      log.warning(failure.message)
      for hint in failure.hints { log.hint(hint) }
    }
    return failure
  }

  /// Writes a prepared state, and remembers the keys that it was written under.
  ///
  /// On failure the vault's file is as it was.
  private func store(_ prepared: PreparedSave) throws(SessionError) {
    let (header, key, file) = state.withLock { ($0.header, $0.derivedKey, $0.file) }
    let renewsSalt = prepared.reason == .lock || prepared.reason == .unmount
    var output = WipedBuffer()
    let written: (OuterHeader, DerivedKey)
    do throws(KDBXError) {
      written = try KDBXFile.write(
        prepared.document, as: header, key: key,
        renewingSaltWith: renewsSalt ? compositeKey : nil, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    let document = prepared.document
    try put(output.bytes, into: file) { bytes in
      (try? KDBXFile.verify(bytes, key: written.1, against: document)) != nil
    }
    state.withLock { state in
      state.header = written.0
      state.derivedKey = written.1
    }
  }

  /// Puts the bytes where they belong: in the vault's place, unless someone else has changed it.
  private func put(
    _ bytes: Span<UInt8>, into file: VaultFile, verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) {
    switch try file.condition() {
    case .same:
      try file.replace(with: bytes, verify: verify)
    case .gone:
      try file.create(with: bytes, verify: verify)
      log.warning("\(file.name) was gone, and has been written again")
    case .changed:
      let beside = try file.createConflict(
        at: Self.stamp(Clock.wall()), with: bytes, verify: verify)
      let conflict = SessionError(
        .conflict, "\(file.name) was changed by another program, and was left alone",
        hints: ["the state of this mount is beside it, in \(beside.name)"])
      state.withLock { state in
        state.file = beside
        state.conflict = conflict
      }
      log.warning(conflict.message)
      for hint in conflict.hints { log.hint(hint) }
    }
  }

  /// A time as part of a file name: `20260131T091500Z`.
  static func stamp(_ time: ClockTime) -> String {
    let text = VaultTime(unixSeconds: time.seconds).isoBytes
    return String(
      decoding: text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
  }
}
