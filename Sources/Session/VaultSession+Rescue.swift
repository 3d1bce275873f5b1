import KDBX
import Platform
import Secrets
import Synchronization
import VaultTree

extension VaultSession {
  /// Writes the edited vault where it can be written, when its own file can't be and it is to be locked
  /// or to end.
  ///
  /// Complete, and under the key that the vault was opened with. Gives what to tell: where it is, or
  /// that it could not be written there either.
  func rescue(after failure: SessionError) -> SessionError {
    guard state.withLock({ $0.keys != nil }), let prepared = tree.prepareSave(.unmount) else {
      return failure
    }
    // The edits still wait for their own file.
    defer { tree.finishSave(prepared, succeeded: false) }
    do throws(SessionError) {
      let file = try writeRescue(prepared)
      let earlier = state.withLock { state in
        defer { state.rescue = file }
        return state.rescue
      }
      earlier?.remove()
      return SessionError(
        failure.kind, failure.message,
        hints: ["the edited vault is kept in '\(file.path)', under the same password and key file"],
        errnoValue: failure.errnoValue)
    } catch {
      log.error("the edits could not be kept elsewhere either: \(error.message)")
      return failure
    }
  }

  private func writeRescue(_ prepared: PreparedSave) throws(SessionError) -> RescueFile {
    let (keys, file) = state.withLock { ($0.keys, $0.file) }
    guard let keys else { throw SessionError(.locked, "the vault is locked") }
    var output = WipedBuffer()
    do throws(KDBXError) {
      _ = try KDBXFile.write(
        prepared.document, as: keys.header, key: keys.derived, renewingSaltWith: nil, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    do throws(Errno) {
      guard let folder = surroundings.stateFolder else { throw .noEntry }
      return try RescueFile.write(
        output.bytes, of: file, at: Self.stamp(clock.wall()), in: folder)
    } catch {
      throw SessionError(.unwritable, "\(error)", errnoValue: error.rawValue)
    }
  }

  /// Removes the rescued vault after a save that holds it.
  func dropRescue() {
    let rescue = state.withLock { $0.rescue.take() }
    rescue?.remove()
  }
}
