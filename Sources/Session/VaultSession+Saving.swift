import KDBX
import Platform
import Secrets
import Synchronization
import VaultTree

extension VaultSession {
  /// Saves what has changed; called on the worker only.
  ///
  /// Gives why it failed; `nil` when all is on disk, or there was nothing to do. Of a locked vault it
  /// tells why the save before the lock failed, while that has not been made good.
  func performSave(_ reason: SaveReason) -> SessionError? {
    guard !isReadOnly else { return nil }
    let (hasKeys, conflict, earlier) = state.withLock { state in
      (state.keys != nil, state.conflict, state.failure)
    }
    guard hasKeys else { return earlier ?? conflict }
    state.withLock { state in
      state.schedule.began()
      if state.phase == .unlocked { state.phase = .saving }
    }
    var failure: SessionError?
    do throws(SessionError) {
      guard try saveMerged(reason) else {
        return settle(nil) ?? (reason.storesAll ? conflict : nil)
      }
      finishLocking()
      let now = clock.wall()
      state.withLock { $0.lastSaved = now }
      dropRescues()
    } catch {
      failure = error
    }
    return settle(failure) ?? (reason.storesAll ? state.withLock { $0.conflict } : nil)
  }

  /// Says what was wrong with the entries that were edited, and isn't any more.
  private func say(_ mended: Set<Fault>) {
    for fault in Fault.allCases where mended.contains(fault) {
      log.warning("mended in an entry that was edited: \(fault.explanation)")
    }
  }

  /// Takes in what others wrote, and saves; again, if somebody replaced the file meanwhile.
  ///
  /// Says whether there was something to save.
  private func saveMerged(_ reason: SaveReason) throws(SessionError) -> Bool {
    for _ in 0..<Self.attempts {
      let isPending = tree.pending.hasChanges
      guard isPending || reason.storesAll else { return false }
      var obstacle: OutsideConflict?
      var isLost = false
      var isRead = true
      do throws(SessionError) {
        obstacle = try takeOutsideChanges(before: reason)
        // What the file held may be nowhere else any more, also where nobody has edited it.
        isLost = obstacle?.replacesOurs ?? state.withLock { $0.file }.isBetweenTwo
      } catch {
        // What can't be read harms nobody who has nothing to write.
        guard !isPending else { throw error }
        isRead = false
      }
      guard let prepared = tree.prepareSave(reason, evenIfUnchanged: isLost) else {
        if let obstacle {
          log.warning(obstacle.error.message)
        } else if isRead, reason.storesAll {
          // What was rescued after a save that failed has been taken back since.
          dropRescues()
        }
        return false
      }
      log.debug("saving (\(reason))")
      do throws(SessionError) {
        let isStored = try store(prepared, beside: obstacle?.error)
        tree.finishSave(prepared, succeeded: isStored)
        if isStored {
          outside.base = prepared.document
          say(prepared.mended)
          return true
        }
      } catch {
        tree.finishSave(prepared, succeeded: false)
        throw error
      }
    }
    throw SessionError(
      .unwritable, "the vault's file is changed by other programs all the time",
      hints: ["the changes are kept in memory, and saving is tried again"])
  }

  /// How often a save begins anew because the file was replaced meanwhile.
  private static let attempts = 5

  /// Notes how a save went, and says a failure that is new.
  private func settle(_ failure: SessionError?) -> SessionError? {
    let isNews = state.withLock { state in
      if state.phase == .saving { state.phase = .unlocked }
      defer { state.failure = failure }
      if failure == nil {
        state.schedule.succeeded()
      } else {
        state.schedule.failed(at: clock.sinceBoot())
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
  /// With an `obstacle`, which keeps us from merging what the file holds, beside it. On failure the
  /// vault's file is as it was; false means that somebody has replaced it since we looked.
  private func store(
    _ prepared: PreparedSave, beside obstacle: SessionError?
  ) throws(SessionError) -> Bool {
    let (keys, file) = state.withLock { ($0.keys, $0.file) }
    guard let keys else { throw SessionError(.locked, "the vault is locked") }
    let renewsSalt = prepared.reason == .lock || prepared.reason == .unmount
    // Only then is a person there who may touch a hardware key.
    let asksForAnswer = prepared.reason == .save || prepared.reason == .unmount
    var output = WipedBuffer()
    let written: (OuterHeader, DerivedKey)
    do throws(KDBXError) {
      written = try KDBXFile.write(
        prepared.document, as: keys.header, key: keys.derived,
        renewingSaltWith: renewsSalt ? keys.composite : nil,
        askingForNewSeed: asksForAnswer ? keys.composite.responder : nil, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    let document = prepared.document
    let isStored = try put(output.bytes, into: file, beside: obstacle) { bytes in
      (try? KDBXFile.verify(bytes, key: written.1, against: document)) != nil
    }
    guard isStored else { return false }
    // As a whole: a part that is set through the optional would leave the key before it alive
    // (Swift 6.3.1; a test holds a lock against that).
    let renewed = VaultKeys(header: written.0, derived: written.1, composite: keys.composite)
    state.withLock { $0.keys = renewed }
    return true
  }

  /// Puts the bytes where they belong: in the vault's place, or beside it where what it holds can't be
  /// merged; says whether it was still as we know it.
  private func put(
    _ bytes: Span<UInt8>, into file: VaultFile, beside obstacle: SessionError?,
    verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) -> Bool {
    if let obstacle {
      try putBeside(bytes, file, because: obstacle, verify: verify)
      return true
    }
    switch try file.condition() {
    case .same:
      return try file.replace(
        with: bytes, probe: surroundings.saveProbe, verify: verify)
    case .gone:
      try file.create(with: bytes, verify: verify)
      log.warning("\(file.name) was gone, and has been written again")
      return true
    case .changed: return false
    }
  }

  private func putBeside(
    _ bytes: Span<UInt8>, _ file: VaultFile, because obstacle: SessionError,
    verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) {
    let beside = try file.createConflict(
      at: Self.stamp(clock.wall()), with: bytes, verify: verify)
    let conflict = SessionError(
      .conflict, obstacle.message + "; it was left alone",
      hints: ["the state of this mount is beside it, in \(beside.name)"] + obstacle.hints)
    state.withLock { state in
      state.file = beside
      state.conflict = conflict
    }
    log.warning(conflict.message)
    for hint in conflict.hints { log.hint(hint) }
  }

  /// A time as part of a file name: `20260131T091500Z`.
  static func stamp(_ time: ClockTime) -> String {
    let text = VaultTime(unixSeconds: time.seconds).isoBytes
    return String(
      decoding: text.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: ":") }, as: UTF8.self)
  }
}
