import DesktopBus
import Fuse
import Platform
import Session
import VaultMount

/// `kdbxfs VAULT MOUNTPOINT`, in the process that serves the mount.
///
/// All that can fail without a key is tried before a person is asked for one, and nothing is mounted
/// before the vault is open.
struct MountCommand: Sendable {
  let vault: Path
  let mountPoint: Path
  let settings: Settings
  let log: SessionLog
  private let surroundings: SessionSurroundings.Maker
  private let beforeRequest: Kdbxfs.RequestHook?

  init(
    vault: Path, mountPoint: Path, _ settings: Settings,
    in surroundings: @escaping SessionSurroundings.Maker, beforeRequest: Kdbxfs.RequestHook?
  ) {
    self.vault = vault
    self.mountPoint = mountPoint
    self.settings = settings
    self.surroundings = surroundings
    self.beforeRequest = beforeRequest
    log = SessionLog(isQuiet: settings.isQuiet, isVerbose: settings.isVerbose)
  }

  /// Opens, mounts and serves; returns when the mount has ended.
  ///
  /// `whenMounted` is called once the kernel has the mount, before the first request is served.
  func run(whenMounted: () -> Void) throws(Complaint) -> ExitCode {
    EndingSignals.endAtOnce()
    let place: Path
    let session: VaultSession
    do throws(Complaint) {
      place = try MountPoint.prepare(
        mountPoint, for: vault, takesNonEmpty: settings.takesNonEmpty)
      try checkDevice()
      session = try openSession(mountingAt: place)
    } catch {
      throw error.wondering(about: vault)
    }
    let mount = try makeMount(of: session, at: place)
    let control: ControlServer
    do throws(Complaint) {
      control = try startControl(of: session)
    } catch {
      // The mount is there and answers nobody: it is taken away while it is served.
      session.end(.signal) { _ in }
      serve(mount)
      throw error
    }
    let desktop = session.watchDesktop()
    whenMounted()
    serve(mount)
    ServiceManager.tell("STOPPING=1\nSTATUS=saving")
    desktop?.stop()
    return end(session, control)
  }

  // MARK: - Before the mount

  private func checkDevice() throws(Complaint) {
    do throws(Errno) {
      _ = try Files.status(of: "/dev/fuse")
    } catch {
      throw Complaint(
        "this machine has no /dev/fuse", hints: [Complaint.fuseHint], exitCode: .fuse)
    }
  }

  private func openSession(mountingAt place: Path) throws(Complaint) -> VaultSession {
    let candidate = try VaultCommands.candidate(vault, settings)
    let access = try makeAccess(to: candidate, mountingAt: place)
    let keys = try KeyReader.read(settings.keys, for: vault, candidate.header)
    let opened = try VaultCommands.open(candidate, with: keys)
    // From here on a signal waits until there is someone to save and unmount.
    EndingSignals.hold()
    var options = SessionOptions()
    options.autosaveAfter = settings.autosaveAfter
    options.isExact = settings.isExact
    options.showsHidden = settings.showsHidden
    options.allowsPurge = settings.allowsPurge
    options.idleAfter = settings.idleAfter
    options.idleAction = settings.idleAction
    options.lockAfter = settings.lockAfter
    options.rememberFor = settings.rememberFor
    options.lockingEvents = settings.lockingEvents
    options.keyFile = settings.keys.keyFile.map { Self.absolute($0) }
    options.hasNoPassword = settings.keys.hasNoPassword
    let surroundings: SessionSurroundings
    do throws(Errno) { surroundings = try self.surroundings() } catch {
      throw Complaint("no clock can be made: \(error)", exitCode: .fuse)
    }
    do throws(SessionError) {
      return try VaultSession.start(
        opened, mountPoint: place, options: options, access: access, log: log,
        surroundings: surroundings)
    } catch {
      throw Complaint(error)
    }
  }

  /// A path that means the same in every folder.
  private static func absolute(_ path: Path) -> Path {
    guard !path.isAbsolute, let folder = try? Files.currentDirectory() else { return path }
    return folder.appending(path.bytes)
  }

  private func makeAccess(
    to candidate: borrowing VaultCandidate, mountingAt place: Path
  ) throws(Complaint) -> VaultAccess {
    do throws(SessionError) {
      return try VaultAccess(
        to: candidate, mountPoint: place, readOnly: settings.isReadOnly, log: log)
    } catch {
      throw Complaint(error)
    }
  }

  // MARK: - The mount

  private func makeMount(of session: VaultSession, at place: Path) throws(Complaint) -> VaultMount {
    let unlocker = try unlocker(of: session)
    var options = MountOptions(
      source: Path(settings.sourceName ?? session.vaultPath.bytes).description,
      subtype: "kdbxfs")
    options.isReadOnly = session.isReadOnly
    options.allowsOthers = settings.allowsOthers
    if settings.allowsOthers {
      log.warning("allow_other lets root in, and whomever the file modes admit")
    }
    do throws(FuseError) {
      let mount = try VaultMount(
        session, options: options, unlocker: unlocker, observer: observer(of: session))
      try mount.mount(at: place)
      return mount
    } catch {
      _ = session.finish()
      throw Complaint(error)
    }
  }

  /// Who is asked for the password when something in the locked vault is looked at.
  private func unlocker(of session: VaultSession) throws(Complaint) -> UnlockOnAccess? {
    guard !settings.unlockProgram.isEmpty else { return nil }
    // The process that serves has the root as its folder soon.
    let program = try HelperProgram.absolute(settings.unlockProgram)
    let keyFile = settings.keys.keyFile.map { Self.absolute($0) }
    let responder = try ChallengeProgram.responder(settings.keys.challengeProgram)
    let limit = Int(settings.unlockWithin / 1_000_000)
    let path = session.vaultPath
    return UnlockOnAccess(session) { () throws(SessionError) in
      do throws(Complaint) {
        return try KeyReader.readAgain(
          from: program, milliseconds: limit, keyFile: keyFile, responder, for: path)
      } catch {
        throw SessionError(.locked, error.message, hints: error.hints)
      }
    }
  }

  /// Who is told of requests: with `-d` whoever reads standard error.
  ///
  /// Nobody once that is the system's log: it keeps for good what it is told, and a request names files.
  private func observer(of session: VaultSession) -> RequestObserver? {
    let logs = settings.isVerbose && settings.staysInFront
    guard logs || beforeRequest != nil else { return nil }
    let (log, beforeRequest) = (log, beforeRequest)
    return RequestObserver(
      begins: { request in
        if logs { log.debug("\(request)") }
        beforeRequest?(request, session)
      },
      ends: { number, error in
        if logs { log.debug("\(number) " + (error.map { "failed: \($0)" } ?? "done")) }
      })
  }

  private func startControl(of session: VaultSession) throws(Complaint) -> ControlServer {
    do throws(Errno) {
      try EndingSignals.watch { signal in
        log.debug("signal \(signal.rawValue): saving and unmounting")
        session.end(.signal) { _ in }
      }
    } catch {
      throw Complaint("no thread can be started: \(error)", exitCode: .fuse)
    }
    do throws(SessionError) {
      return try ControlServer(for: session)
    } catch {
      throw Complaint(error)
    }
  }

  private func serve(_ mount: VaultMount) {
    do throws(Errno) {
      try mount.serve()
    } catch {
      log.error("the mount can't be served: \(error)")
    }
  }

  private func end(_ session: VaultSession, _ control: ControlServer) -> ExitCode {
    let failure = session.finish()
    control.stop()
    guard let failure else { return .success }
    let complaint = Complaint(failure)
    log.error(complaint.message)
    for hint in complaint.hints { log.hint(hint) }
    return complaint.exitCode
  }
}
