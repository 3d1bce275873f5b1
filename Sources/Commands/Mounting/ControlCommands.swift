import Fuse
import KDBX
import Platform
import Session

/// The commands that ask the process which serves a mount: `umount`, `save`, `status`, `lock`, `unlock`.
enum ControlCommands {
  /// Saves and unmounts; returns when both are done and the process has ended.
  static func unmount(_ mountPoint: Path, _ settings: Settings) throws(Complaint) {
    let place = try find(mountPoint)
    let request = ControlRequest.unmount(
      lazily: settings.detachesLazily, rescuing: settings.leavesUnsaved)
    let answer: JSONObject
    do throws(ControlClient.Failure) {
      answer = try ControlClient.ask(request, of: place)
    } catch {
      // Only who answers nothing is looked at: a process that is stopped answers no look either.
      if error == .nobody, DeadMount.isThere(at: place) { throw cleared(place, mountPoint) }
      throw failed(error, place, named: mountPoint)
    }
    if let error = SessionError(answer) { throw Complaint(error) }
    say(answer, settings)
  }

  /// Takes a dead mount out of the way, and gives what is to be said of it: there is no mount any more, but
  /// nothing was saved either.
  private static func cleared(_ place: Path, _ mountPoint: Path) -> Complaint {
    guard let entry = try? MountTable.entry(at: place), entry.type == MountPoint.type,
      (try? DeadMount.detach(at: place)) != nil
    else { return dead(mountPoint) }
    return Complaint(
      "the process behind '\(mountPoint)' was gone; what it had not saved is lost",
      hints: ["the dead mount has been cleared away"], exitCode: .controlSocket)
  }

  static func save(_ mountPoint: Path, _ settings: Settings) throws(Complaint) {
    say(try ask(.save, of: try find(mountPoint), named: mountPoint), settings)
  }

  /// Saves and locks; the vault is locked also where the save fails.
  static func lock(_ mountPoint: Path, _ settings: Settings) throws(Complaint) {
    say(try ask(.lock, of: try find(mountPoint), named: mountPoint), settings)
  }

  /// Says what a person should know of what was done.
  private static func say(_ answer: JSONObject, _ settings: Settings) {
    guard !settings.isQuiet, case .strings(let warnings) = answer["warnings"] else { return }
    for warning in warnings { StandardStream.error.say("kdbxfs: warning: \(warning)") }
  }

  /// Unlocks; nobody is asked for the key of a vault that isn't locked.
  ///
  /// The key file, and that there is no password, need not be said again; of a vault that is called by
  /// its name, neither what its file says of the key.
  static func unlock(_ mountPoint: Path, _ sources: KeySources) throws(Complaint) {
    let place = try find(mountPoint)
    let status = try ask(.status, of: place, named: mountPoint)
    guard status["state"] == .string("locked") || status["state"] == .string("locking") else {
      return
    }
    if status["remembers"] == .boolean(true), sources == KeySources(),
      (try? ask(.unlockAgain, of: place, named: mountPoint)) != nil
    {
      return
    }
    var sources = sources
    if sources.keyFile == nil, case .string(let file) = status["key_file"] {
      sources.keyFile = Path(file)
    }
    if let named = try NamedVault.named(mountPoint) {
      sources.complete(from: try named.keySources())
    }
    if sources.asksForPassword, status["no_password"] == .boolean(true) {
      sources.hasNoPassword = true
    }
    let vault = if case .string(let path) = status["vault"] { Path(path) } else { mountPoint }
    let header = sources.keyFile == nil ? nil : header(of: vault)
    let keys = try KeyReader.read(sources, for: vault, header)
    let answer: JSONObject
    do throws(ControlClient.Failure) {
      answer = try ControlClient.unlock(
        place, password: keys.password, keyFileKey: keys.keyFileKey)
    } catch {
      throw failed(error, place, named: mountPoint)
    }
    if let error = SessionError(answer) { throw Complaint(error) }
  }

  /// What the vault's file says of itself, as far as it can be read: it decides what a key file means.
  private static func header(of vault: Path) -> OuterHeader? {
    do throws(SessionError) {
      return try VaultCandidate(vault).header
    } catch {
      return nil
    }
  }

  /// Prints what the mount says of itself: a line a fact, or the JSON object as it came.
  static func status(_ mountPoint: Path, asJSON: Bool) throws(Complaint) {
    let answer = try ask(.status, of: try find(mountPoint), named: mountPoint)
    let text =
      asJSON
      ? answer.bytes + [0x0A]
      : answer.members.flatMap { $0.name == "ok" ? [] : Array(line($0.name, $0.value).utf8) }
    try VaultCommands.write(text)
  }

  private static func line(_ name: String, _ value: JSONValue) -> String {
    let text =
      switch value {
      case .string(let text): text
      case .integer(let number): "\(number)"
      case .boolean(let flag): flag ? "yes" : "no"
      case .null: "-"
      case .strings(let texts): texts.isEmpty ? "-" : texts.joined(separator: "; ")
      }
    return "\(name): \(text)\n"
  }

  // MARK: - Asking

  private static func find(_ mountPoint: Path) throws(Complaint) -> Path {
    let mountPoint = try NamedVault.mountPoint(for: mountPoint)
    do throws(Errno) {
      return try MountPoint.resolve(mountPoint)
    } catch {
      throw Complaint("'\(mountPoint)' can't be looked at: \(error)", exitCode: .controlSocket)
    }
  }

  /// Asks the mount that a person calls `mountPoint`: by its place, or by the name of a vault.
  static func ask(
    _ request: ControlRequest, of mountPoint: Path
  ) throws(Complaint) -> JSONObject {
    try ask(request, of: try find(mountPoint), named: mountPoint)
  }

  /// Asks the mount at `place`, absolute and free of links, which a person calls `mountPoint`.
  static func ask(
    _ request: ControlRequest, of place: Path, named mountPoint: Path
  ) throws(Complaint) -> JSONObject {
    let answer: JSONObject
    do throws(ControlClient.Failure) {
      answer = try ControlClient.ask(request, of: place)
    } catch {
      throw failed(error, place, named: mountPoint)
    }
    if let error = SessionError(answer) { throw Complaint(error) }
    return answer
  }

  private static func failed(
    _ failure: ControlClient.Failure, _ place: Path, named mountPoint: Path
  ) -> Complaint {
    switch failure {
    case .nobody: nobody(place, named: mountPoint)
    case .noAnswer:
      Complaint(
        "the process behind '\(mountPoint)' ended without an answer",
        hints: ["the system's log may say why"], exitCode: .controlSocket)
    case .silent(let process):
      Complaint(
        "the process behind '\(mountPoint)'\(process.map { " (\($0))" } ?? "") doesn't answer",
        hints: [
          "it is stopped, or hangs: \(process.map { "'kill -CONT \($0)'" } ?? "SIGCONT") lets a stopped"
            + " one go on"
        ], exitCode: .controlSocket)
    }
  }

  private static func nobody(_ place: Path, named mountPoint: Path) -> Complaint {
    if DeadMount.isThere(at: place) { return dead(mountPoint) }
    guard let entry = try? MountTable.entry(at: place), entry.type == MountPoint.type else {
      return Complaint("no vault is mounted at '\(mountPoint)'", exitCode: .controlSocket)
    }
    return Complaint(
      "the vault mounted at '\(mountPoint)' is not yours to control",
      hints: ["the user who mounted it can"], exitCode: .controlSocket)
  }

  /// A mount whose process was killed: what wasn't saved is lost.
  private static func dead(_ mountPoint: Path) -> Complaint {
    Complaint(
      "the process behind '\(mountPoint)' is gone; what it had not saved is lost",
      hints: ["'fusermount3 -uz \(mountPoint)' clears the dead mount away; so does the next mount"],
      exitCode: .controlSocket)
  }
}
