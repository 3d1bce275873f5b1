import KDBX
import Platform
import Synchronization
import Testing
import VaultTree

@testable import Session

/// A session without a mount: its tree is edited directly.
final class Rig: Sendable {
  let folder: TemporaryFolder
  let vault: Path
  let session: VaultSession
  let log = SessionLog(isQuiet: true)
  let clock: SessionClock
  /// Where rescues go, if they can go anywhere.
  let stateFolder: TemporaryFolder

  init(
    of source: Path? = nil, behindLink: Bool = false, readOnly: Bool = false, hasState: Bool = true,
    _ change: (inout SessionOptions) -> Void = { $0.autosaveAfter = 0 },
    probe: @escaping SessionSurroundings.SaveProbe = { _ in }
  ) throws {
    clock = try SessionClock()
    stateFolder = try TemporaryFolder()
    folder = try TemporaryFolder()
    vault = try folder.vault()
    if let source {
      let bytes = try contents(source)
      try folder.write(bytes.span, to: vault)
    }
    var opensAt = vault
    if behindLink {
      opensAt = stateFolder.path.appending("link.kdbx")
      try makeLink(vault, opensAt)
    }
    var options = SessionOptions()
    change(&options)
    let candidate = try VaultCandidate(opensAt)
    let access = try VaultAccess(
      to: candidate, mountPoint: folder.path, readOnly: readOnly, log: log)
    let opened = try candidate.open(password: secret(Fixture.password), keyFileKey: nil)
    session = try VaultSession.start(
      opened, mountPoint: folder.path, options: options, access: access, log: log,
      surroundings: SessionSurroundings(
        clock: clock, stateFolder: hasState ? stateFolder.path.appending("kdbxfs") : nil,
        saveProbe: probe))
  }

  deinit { _ = session.finish() }

  /// Writes a field's new value into the tree.
  func edit(_ text: String) throws {
    try session.tree.setText("Internet/GitHub/url", text)
  }

  /// Writes the value of any field.
  func edit(_ path: String, _ text: String) throws { try session.tree.setText(path, text) }

  /// What a file holds in that field now.
  func saved(in path: Path? = nil) throws -> String {
    let vault = try openVault(path ?? vault)
    return try VaultTree(vault, options: SessionOptions(), isReadOnly: true)
      .text("Internet/GitHub/url")
  }

  /// Takes the vault's folder away, so that no save can succeed, and gives it back.
  func withoutFolder(_ body: () throws -> Void) throws {
    let aside = Path(folder.path.bytes + Array(".aside".utf8))
    try Files.rename(folder.path, to: aside)
    defer { try? Files.rename(aside, to: folder.path) }
    try body()
  }
}

/// Stands in for a mount: notes what is done to it, and answers as told.
final class PretendedMount: Sendable {
  private struct State {
    var answers: [CInt]
    var calls: [String] = []
    var isAttached = true
  }

  private let state: Mutex<State>

  init(on session: VaultSession, answers: [CInt] = []) {
    state = Mutex(State(answers: answers))
    session.setMountHandlers(
      MountHandlers(
        detach: { [weak self] lazily in self?.detach(lazily) ?? 0 },
        isAttached: { [weak self] in self?.isAttached ?? true },
        stop: { [weak self] in self?.note("stop") }))
  }

  var calls: [String] { state.withLock { $0.calls } }
  private var isAttached: Bool { state.withLock { $0.isAttached } }

  private func note(_ call: String) { state.withLock { $0.calls.append(call) } }

  private func detach(_ lazily: Bool) -> CInt {
    note(lazily ? "detach lazily" : "detach")
    return state.withLock { state in
      let answer = state.answers.isEmpty ? 0 : state.answers.removeFirst()
      if answer == 0 { state.isAttached = false }
      return answer
    }
  }
}

extension VaultSession {
  /// Ends as asked and waits for the answer.
  func endAndWait(_ reason: EndReason) throws -> SessionError? {
    let answer = try Answer()
    end(reason) { answer.give($0) }
    return answer.wait()
  }
}

/// Waits until something is so that another thread makes so.
func eventually(_ condition: () throws -> Bool) throws -> Bool {
  for _ in 0..<6000 {
    if try condition() { return true }
    _ = try? poll([], milliseconds: 5)
  }
  return false
}

private let busy = Errno.busy.rawValue

@Suite(.timeLimit(.minutes(2))) struct VaultSessionTests {
  static let old = "https://github.com/login"
  static let new = "https://new.example"

  // MARK: - Saving

  @Test func `a save writes what has changed, and only then`() throws {
    let rig = try Rig()
    let before = try contents(rig.vault)
    try rig.session.saveAndWait(.save)
    #expect(try contents(rig.vault) == before)
    try rig.edit(Self.new)
    #expect(try rig.saved() == Self.old)
    try rig.session.saveAndWait(.fsync)
    #expect(try rig.saved() == Self.new)
    let after = try contents(rig.vault)
    try rig.session.saveAndWait(.save)
    #expect(rig.session.finish() == nil)
    #expect(try contents(rig.vault) == after)
    #expect(try rig.folder.names == ["vault.kdbx"])
  }

  @Test func `a while after a change it saves by itself`() throws {
    let rig = try Rig { $0.autosaveAfter = 1_000_000 }
    try rig.edit(Self.new)
    #expect(try eventually { try rig.saved() == Self.new })
  }

  @Test func `requests that wait together are all answered`() throws {
    let rig = try Rig()
    let answers = Mutex<[SessionError?]>([])
    try rig.edit(Self.new)
    for _ in 0..<20 {
      rig.session.save(.fsync) { failure in answers.withLock { $0.append(failure) } }
    }
    #expect(try eventually { answers.withLock { $0.count } == 20 })
    #expect(answers.withLock { $0.allSatisfy { $0 == nil } })
  }

  @Test func `a save that fails leaves all as it was, is told, and is tried again`() throws {
    let rig = try Rig()
    let before = try contents(rig.vault)
    try rig.edit(Self.new)
    try rig.withoutFolder {
      let failure = #expect(throws: SessionError.self) { try rig.session.saveAndWait(.fsync) }
      #expect(failure?.kind == .unwritable)
      #expect(failure?.errnoValue == Errno.noEntry.rawValue)
      #expect(rig.session.status["save_error"] == (failure?.message).map { .string($0) })
    }
    #expect(try contents(rig.vault) == before)
    #expect(rig.session.status["unsaved"] == .boolean(true))
    #expect(rig.session.state.withLock { $0.schedule.isRetrying })
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == Self.new)
    #expect(rig.session.status["save_error"] == .null)
  }

  @Test func `what another key opens is left alone, ours is beside it`() throws {
    let rig = try Rig()
    try rig.edit(Self.new)
    let theirs = try contents(Fixture.path("kdbx4.1-argon2id-chacha20-plain-password-xml2.kdbx"))
    try rig.folder.write(theirs.span, to: rig.vault)
    let failure = #expect(throws: SessionError.self) { try rig.session.saveAndWait(.save) }
    #expect(failure?.kind == .conflict)
    #expect(try contents(rig.vault) == theirs)
    let beside = try #require(try rig.folder.names.first { $0.hasPrefix("vault.conflict-") })
    #expect(try rig.saved(in: rig.folder.path.appending(beside)) == Self.new)
    // What follows goes there, too, and the end tells it again.
    try rig.edit("https://newer.example")
    #expect(rig.session.finish()?.kind == .conflict)
    #expect(try contents(rig.vault) == theirs)
    #expect(try rig.saved(in: rig.folder.path.appending(beside)) == "https://newer.example")
    #expect(try rig.folder.names == [beside, "vault.kdbx"])
  }

  @Test func `a vault that only looks newer is no other vault`() throws {
    let rig = try Rig()
    try rig.edit(Self.new)
    let same = try contents(rig.vault)
    try Files.remove(rig.vault)
    try rig.folder.write(same.span, to: rig.vault)
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == Self.new)
  }

  @Test func `a vault that is gone is written again, and that is said`() throws {
    let rig = try Rig()
    try rig.edit(Self.new)
    try Files.remove(rig.vault)
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == Self.new)
    #expect(rig.log.warnings == ["'vault.kdbx' was gone, and has been written again"])
  }

  @Test func `only a save at the end renews the salt`() throws {
    let rig = try Rig()
    let salt = try openVault(rig.vault).header.kdf.salt
    try rig.edit(Self.new)
    try rig.session.saveAndWait(.save)
    #expect(try openVault(rig.vault).header.kdf.salt == salt)
    try rig.edit(Self.old)
    #expect(rig.session.finish() == nil)
    #expect(try openVault(rig.vault).header.kdf.salt != salt)
  }

  @Test func `a session that only reads changes nothing and needs no lock`() throws {
    let rig = try Rig(readOnly: true)
    let before = try contents(rig.vault)
    #expect(rig.session.isReadOnly)
    #expect(throws: TreeError.readOnly) { try rig.edit(Self.new) }
    try rig.session.saveAndWait(.save)
    #expect(rig.session.finish() == nil)
    #expect(try contents(rig.vault) == before)
  }

  // MARK: - Ending

  @Test func `umount saves, detaches and stops`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session)
    try rig.edit(Self.new)
    #expect(try rig.session.endAndWait(.request(lazily: false)) == nil)
    #expect(mount.calls == ["detach", "stop"])
    #expect(try rig.saved() == Self.new)
    // What comes after it has its answer at once.
    try rig.session.saveAndWait(.fsync)
    #expect(rig.session.finish() == nil)
    #expect(throws: TreeError.locked) { try rig.edit(Self.old) }
  }

  @Test func `umount of a mount in use saves and stays`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session, answers: [busy])
    try rig.edit(Self.new)
    #expect(try rig.session.endAndWait(.request(lazily: false))?.kind == .busy)
    #expect(mount.calls == ["detach"])
    #expect(try rig.saved() == Self.new)
    try rig.edit(Self.old)
    #expect(try rig.session.endAndWait(.request(lazily: true)) == nil)
    #expect(mount.calls == ["detach", "detach lazily", "stop"])
    #expect(try rig.saved() == Self.old)
  }

  @Test func `umount stays when the vault can't be saved`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session)
    try rig.edit(Self.new)
    try rig.withoutFolder { () throws in
      #expect(try rig.session.endAndWait(.request(lazily: false))?.kind == .unwritable)
    }
    #expect(mount.calls == [])
    #expect(try rig.session.endAndWait(.request(lazily: false)) == nil)
    #expect(try rig.saved() == Self.new)
  }

  @Test func `a signal ends in any case, and takes no more changes`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session, answers: [busy])
    try rig.edit(Self.new)
    #expect(try rig.session.endAndWait(.signal) == nil)
    #expect(mount.calls == ["detach", "detach lazily", "stop"])
    #expect(throws: TreeError.locked) { try rig.edit(Self.old) }
    #expect(try rig.saved() == Self.new)
  }

  @Test func `the lock is free when the session has ended`() throws {
    let rig = try Rig()
    #expect(rig.session.finish() == nil)
    let again = try VaultAccess(
      to: try VaultCandidate(rig.vault), mountPoint: "/again", readOnly: false, log: rig.log)
    let writesAgain = !again.isReadOnly
    #expect(writesAgain)
  }

  @Test func `status tells how it stands`() throws {
    let rig = try Rig()
    try rig.edit(Self.new)
    let status = rig.session.status
    #expect(status["state"] == .string("unlocked"))
    #expect(status["vault"] == .string(rig.vault.description))
    #expect(status["unsaved"] == .boolean(true))
    #expect(status["last_saved"] == .null)
    try rig.session.saveAndWait(.save)
    #expect(rig.session.status["unsaved"] == .boolean(false))
    #expect(rig.session.status["last_saved"] != .null)
    #expect(rig.session.finish() == nil)
    #expect(rig.session.status["state"] == .string("ended"))
  }
}
