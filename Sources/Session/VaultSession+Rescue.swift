import KDBX
import Platform
import Secrets
import Synchronization
import VaultTree

extension VaultSession {
  /// Writes the edited vault where it can be written, when its own file can't and the process ends.
  ///
  /// Complete, and under the key that the vault was opened with. Gives what to tell: where it is, or
  /// that the edits are lost.
  func rescue(after failure: SessionError) -> SessionError {
    do throws(SessionError) {
      guard let prepared = tree.prepareSave(.unmount) else { return failure }
      let path = try writeRescue(prepared)
      tree.finishSave(prepared, succeeded: true)
      return SessionError(
        failure.kind, failure.message,
        hints: ["the edited vault is kept in '\(path)', under the same password and key file"],
        errnoValue: failure.errnoValue)
    } catch {
      log.error("the edits could not be kept elsewhere either: \(error.message)")
      return failure
    }
  }

  private func writeRescue(_ prepared: PreparedSave) throws(SessionError) -> Path {
    let (header, key, file) = state.withLock { ($0.header, $0.derivedKey, $0.file) }
    let name = file.path.lastComponent
    var output = WipedBuffer()
    do throws(KDBXError) {
      _ = try KDBXFile.write(
        prepared.document, as: header, key: key, renewingSaltWith: nil, into: &output)
    } catch {
      throw SessionError(writing: error)
    }
    do throws(Errno) {
      let folder = try Self.stateFolder()
      let path = folder.appending(Array("\(Self.stamp(Clock.wall()))-".utf8) + name)
      do throws(ReplacementError) {
        try AtomicReplacement.create(path, with: output.bytes, permissions: 0o600) { _ in true }
      } catch {
        throw error.errno
      }
      return path
    } catch {
      throw SessionError(.unwritable, "\(error)", errnoValue: error.rawValue)
    }
  }

  /// The folder for what must outlive the process: `${XDG_STATE_HOME:-~/.local/state}/kdbxfs`.
  private static func stateFolder() throws(Errno) -> Path {
    let folder: Path
    if let state = Process.environment("XDG_STATE_HOME"), state.first == UInt8(ascii: "/") {
      folder = Path(state).appending("kdbxfs")
    } else if let home = Process.environment("HOME"), home.first == UInt8(ascii: "/") {
      folder = Path(home).appending(".local/state/kdbxfs")
    } else {
      throw .noEntry
    }
    try Files.makeDirectories(folder)
    return folder
  }
}
