import KDBX
import Platform
import Secrets
import Synchronization
import VaultTree

extension VaultSession {
  /// Writes the edited vault where it can be written, when its own file can't be and it is to be locked
  /// or to end.
  ///
  /// Complete, and under the key that the vault was opened with. Gives what to tell, where it is or that
  /// it could not be written there either, and whether all edits are on disk.
  func rescue(after failure: SessionError) -> (told: SessionError, isKept: Bool) {
    guard state.withLock({ $0.keys != nil }), let prepared = tree.prepareSave(.unmount) else {
      return (failure, state.withLock { !$0.rescues.isEmpty })
    }
    // The edits still wait for their own file.
    defer { tree.finishSave(prepared, succeeded: false) }
    do throws(SessionError) {
      let file = try writeRescue(prepared)
      let earlier = state.withLock { state in
        defer { state.rescues = [file] }
        return state.rescues
      }
      for rescue in earlier { rescue.remove() }
      let told = SessionError(
        failure.kind, failure.message,
        hints: ["the edited vault is kept in '\(file.path)', under the same password and key file"],
        errnoValue: failure.errnoValue)
      return (told, true)
    } catch {
      log.error("the edits could not be kept elsewhere either: \(error.message)")
      return (failure, false)
    }
  }

  private func writeRescue(_ prepared: PreparedSave) throws(SessionError) -> RescueFile {
    let (keys, file) = state.withLock { ($0.keys, $0.file) }
    guard let keys else { throw SessionError(.locked, "the vault is locked") }
    let edited = try Self.written(prepared.document, under: keys)
    var base = WipedBuffer()
    if let document = outside.base { base = try Self.written(document, under: keys) }
    do throws(Errno) {
      guard let folder = surroundings.stateFolder else { throw .noEntry }
      return try RescueFile.write(
        edited.bytes, base: base.bytes, of: file, at: Self.stamp(clock.wall()), in: folder)
    } catch {
      throw SessionError(.unwritable, "\(error)", errnoValue: error.rawValue)
    }
  }

  /// A file with the key that is at hand, which takes no derivation.
  private static func written(
    _ document: Document, under keys: VaultKeys
  ) throws(SessionError) -> WipedBuffer {
    var output = WipedBuffer()
    do throws(KDBXError) {
      _ = try KDBXFile.write(
        document, as: keys.header, key: keys.derived, renewingSaltWith: nil, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    return output
  }

  /// Removes the rescued vaults after a save that holds them.
  func dropRescues() {
    let rescues = state.withLock { state in
      defer { state.rescues = [] }
      return state.rescues
    }
    for rescue in rescues { rescue.remove() }
  }
}
