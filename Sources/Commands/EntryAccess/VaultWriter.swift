import KDBX
import Platform
import Session
import VaultTree

/// A vault's file that is changed without a mount: its one writer, in a session that saves once.
final class VaultWriter {
  private let session: VaultSession
  private let file: Path
  private let settings: Settings
  /// What the session says is held back until it is known how the save went.
  private let log = SessionLog(isSilent: true)

  var tree: VaultTree { session.tree }

  init(_ file: Path, _ settings: Settings, leavingInput: Bool) throws(Complaint) {
    self.file = file
    self.settings = settings
    let candidate = try VaultCommands.candidate(file, settings)
    if let reason = candidate.header.reasonNotToWrite {
      throw Complaint(
        "'\(Path(file.lastComponent))' \(reason): it is not written", exitCode: .vaultUnwritable)
    }
    let access = try Self.access(to: candidate, named: file, log)
    let keys = try KeyReader.read(
      settings.keys, for: file, candidate.header, leavingInput: leavingInput)
    let opened = try VaultCommands.open(candidate, with: keys)
    var options = SessionOptions()
    // Nothing is saved before all is done.
    options.autosaveAfter = 0
    // The session's thread starts with the signals blocked; here they end us as long as nothing is
    // being written.
    EndingSignals.hold()
    defer { EndingSignals.letGo() }
    do throws(SessionError) {
      session = try VaultSession.start(
        opened, mountPoint: "kdbxfs", options: options, access: access, log: log,
        surroundings: try Self.surroundings())
    } catch {
      throw Complaint(error)
    }
  }

  private static func surroundings() throws(SessionError) -> SessionSurroundings {
    do throws(Errno) { return try SessionSurroundings.machine() } catch {
      throw SessionError(.refused, "no clock can be made: \(error)", errnoValue: error.rawValue)
    }
  }

  private static func access(
    to candidate: borrowing VaultCandidate, named file: Path, _ log: SessionLog
  ) throws(Complaint) -> VaultAccess {
    do throws(SessionError) {
      let access = try VaultAccess(
        to: candidate, mountPoint: nil, readOnly: false, log: log)
      guard !access.isReadOnly else {
        throw SessionError(
          .unwritable, "'\(Path(file.lastComponent))' can't be written here")
      }
      return access
    } catch {
      let complaint = Complaint(error)
      guard error.kind == .mountedElsewhere else { throw complaint }
      throw Complaint(
        complaint.message, hints: ["name the place in the mount, without -v"],
        exitCode: complaint.exitCode)
    }
  }

  /// Saves; when it throws, the file is as it was.
  func finish() throws(Complaint) {
    EndingSignals.hold()
    defer { EndingSignals.letGo() }
    do throws(SessionError) {
      try session.saveAndWait(.unmount)
    } catch {
      throw Complaint(
        error.message, hints: error.kind == .unwritable ? ["nothing was changed"] : error.hints,
        exitCode: .vaultUnwritable)
    }
    if settings.isQuiet { return }
    for warning in log.warnings { StandardStream.error.say("kdbxfs: warning: \(warning)") }
  }
}
