import KDBX
import Platform
import Secrets
import Synchronization
import Vault
import VaultTree

/// Why what another program wrote can't be taken in.
enum OutsideObstacle: Error {
  /// It can't be read at all.
  case unreadable(SessionError)
  /// Now, and maybe not in a moment: it is half there.
  case incomplete(SessionError)
  /// It is not what we can merge: another vault, another format, no vault.
  case foreign(SessionError)
  /// It is a vault under another key: the same one, most likely, whose password was changed.
  case otherKey(SessionError)
}

/// What stands in the way of a save for good.
struct OutsideConflict {
  let error: SessionError
  /// Whether the file no longer holds what this mount shows, so that it goes beside it even where nobody
  /// has edited it.
  let replacesOurs: Bool
}

extension VaultSession {
  /// How long a save that someone waits for waits until a file that is half there is whole, in
  /// milliseconds.
  private static let patience = 10_000
  /// How often it looks meanwhile, if the watcher tells nothing.
  private static let interval = 500

  /// Looks at the vault's file after something happened to it; called on the worker only.
  ///
  /// While something waits to be saved nothing is done: the save takes the changes in.
  func lookOutside() {
    let (file, isOpen) = state.withLock { ($0.file, $0.keys != nil) }
    outside.watch(file)
    guard isOpen, !tree.pending.hasChanges else { return }
    do throws(OutsideObstacle) {
      try takeOutsideChanges()
    } catch {
      switch error {
      // Its end will be told, too.
      case .unreadable(let error), .incomplete(let error):
        log.debug("left alone for now: \(error.message)")
      case .foreign(let error), .otherKey(let error):
        guard !log.warnings.contains(error.message) else { return }
        log.warning(error.message)
        for hint in error.hints { log.hint(hint) }
      }
    }
  }

  /// Takes in what another program has written before a save of ours replaces it; says what stands in
  /// the way for good.
  ///
  /// A file that is gone is waited for, because some programs remove one before they make it anew;
  /// half a file where someone waits for the save; else the save is tried again later.
  func takeOutsideChanges(
    before reason: SaveReason
  ) throws(SessionError) -> OutsideConflict? {
    var waited = 0
    while true {
      if waited < 2 * Self.interval, state.withLock({ $0.file }).isBetweenTwo {
        waitForFile()
        waited += Self.interval
        continue
      }
      do throws(OutsideObstacle) {
        try takeOutsideChanges()
        return nil
      } catch {
        switch error {
        case .unreadable(let obstacle): throw obstacle
        case .foreign(let obstacle): return OutsideConflict(error: obstacle, replacesOurs: true)
        case .otherKey(let obstacle): return OutsideConflict(error: obstacle, replacesOurs: false)
        case .incomplete(let obstacle):
          guard reason != .autosave else { throw obstacle }
          guard waited < Self.patience else {
            return OutsideConflict(error: obstacle, replacesOurs: true)
          }
          waitForFile()
          waited += Self.interval
        }
      }
    }
  }

  /// Waits until something happens beside the vault, a short while at most.
  private func waitForFile() {
    let requests = outside.watcher.map { [PollRequest($0.descriptor.number, .readable)] } ?? []
    _ = try? poll(requests, milliseconds: Self.interval)
    outside.takeEvents(at: clock.sinceBoot())
  }

  /// Merges what the file holds into the tree, if it isn't what was last read or written.
  private func takeOutsideChanges() throws(OutsideObstacle) {
    let (file, keys) = state.withLock { ($0.file, $0.keys) }
    guard let keys, let bytes = try changedBytes(of: file) else { return }
    let opened: OpenedFile
    do throws(KDBXError) {
      opened = try Self.open(bytes.bytes, keys.composite, keys.derived)
    } catch {
      throw Self.obstacle(error, file)
    }
    guard isReadOnly || opened.header.reasonNotToWrite == nil else {
      throw Self.converted(file, opened.header.version)
    }
    let outcome = try merge(opened.document, file)
    file.remember(bytes.bytes)
    outside.base = outcome.needsSave ? opened.document : outcome.document
    let renewed = VaultKeys(
      header: opened.header, derived: opened.key, composite: keys.composite)
    state.withLock { $0.keys = renewed }
    tell(outcome.report)
  }

  private func changedBytes(of file: VaultFile) throws(OutsideObstacle) -> SharedBuffer? {
    do throws(SessionError) {
      return try file.changedContents()
    } catch {
      throw .unreadable(error)
    }
  }

  /// Opens with the key at hand, which takes no time, if the salt is still the same.
  private static func open(
    _ bytes: Span<UInt8>, _ key: CompositeKey, _ derived: DerivedKey
  ) throws(KDBXError) -> OpenedFile {
    do throws(KDBXError) {
      return try KDBXFile.open(bytes, with: derived)
    } catch  where error.kind == .wrongKey {
      return try KDBXFile.open(bytes, with: key)
    }
  }

  private static func obstacle(_ error: KDBXError, _ file: VaultFile) -> OutsideObstacle {
    switch error.kind {
    case .empty, .truncated, .damaged:
      return .incomplete(SessionError(error, opening: file.path))
    case .wrongKey: break
    default:
      let cause = SessionError(error, opening: file.path)
      return .foreign(
        SessionError(
          .conflict, "\(file.name) was changed by another program: \(cause.message)"))
    }
    return .otherKey(
      SessionError(
        .conflict, "\(file.name) was changed by another program, and our key doesn't open it",
        hints: ["if its password was changed: unmount it and mount it again"]))
  }

  private static func converted(
    _ file: VaultFile, _ version: FormatVersion
  ) -> OutsideObstacle {
    .foreign(
      SessionError(
        .conflict,
        "\(file.name) was converted to format version \(version) by another program",
        hints: ["unmount it and mount it again"]))
  }

  private func merge(
    _ theirs: Document, _ file: VaultFile
  ) throws(OutsideObstacle) -> MergeOutcome {
    let base = outside.base
    guard base.map({ $0.version.major == theirs.version.major }) ?? true else {
      throw Self.converted(file, theirs.version)
    }
    do throws(MergeError) {
      return try tree.merge(theirs, base: base)
    } catch {
      throw .foreign(
        SessionError(
          .conflict, "\(file.name) was replaced by another vault with the same key",
          hints: ["unmount it and mount it again"]))
    }
  }
}
