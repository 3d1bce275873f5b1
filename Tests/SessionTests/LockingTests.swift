import KDBX
import Platform
import Synchronization
import Testing
import Vault
import VaultTree

@testable import Session

private let minute: Int64 = 60_000_000_000
private let new = "https://new.example"
private let path = "Internet/GitHub/url"

private var keys: UnlockKeys {
  UnlockKeys(password: secret(Fixture.password), keyFileKey: nil)
}

extension Rig {
  func isLocked() -> Bool {
    session.tree.isLocked && session.isLocked
  }

  /// Waits until the vault is locked; the clock is put forward by the caller.
  func waitForLock() throws -> Bool { try eventually { isLocked() } }
}

@Suite(.timeLimit(.minutes(2))) struct LockingTests {
  @Test func `a lock saves first, then nothing can be read`() throws {
    let rig = try Rig()
    try rig.edit(new)
    try rig.session.lockAndWait(.request)
    #expect(try rig.saved() == new)
    #expect(throws: TreeError.locked) { try rig.session.tree.text(path) }
    #expect(rig.session.status["state"] == .string("locked"))
    #expect(rig.session.state.withLock { $0.keys == nil })
  }

  @Test func `an unlock shows the same nodes and what the file holds`() throws {
    let rig = try Rig()
    let tree = rig.session.tree
    let node = try tree.resolve(path: Array(path.utf8))
    let entry = try tree.resolve(path: Array("Internet/GitHub".utf8))
    try rig.edit(new)
    try rig.session.lockAndWait(.request)
    try rig.session.unlockAndWait(with: keys)
    #expect(try tree.resolve(path: Array("Internet/GitHub".utf8)) == entry)
    #expect(try tree.resolve(path: Array(path.utf8)) == node)
    #expect(try tree.text(path) == new)
    try rig.edit("https://newer.example")
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == "https://newer.example")
  }

  @Test func `another key doesn't unlock`() throws {
    let rig = try Rig()
    try rig.session.lockAndWait(.request)
    let wrong = UnlockKeys(password: secret("wrong"), keyFileKey: nil)
    let error = #expect(throws: SessionError.self) { try rig.session.unlockAndWait(with: wrong) }
    #expect(error?.kind == .wrongKey)
    #expect(rig.isLocked())
    try rig.session.unlockAndWait(with: keys)
    #expect(!rig.isLocked())
  }

  @Test func `what could not be saved lies in the state folder and comes back with the unlock`()
    throws
  {
    let rig = try Rig()
    try rig.edit(new)
    try rig.withoutFolder {
      let error = #expect(throws: SessionError.self) { try rig.session.lockAndWait(.request) }
      #expect(error?.kind == .unwritable)
      #expect(rig.isLocked())
      #expect(rig.session.status["save_error"] != .null)
    }
    try rig.session.unlockAndWait(with: keys)
    #expect(try rig.session.tree.text(path) == new)
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == new)
    #expect(try Files.names(in: rig.stateFolder.path.appending("kdbxfs")).isEmpty)
  }

  @Test func `what can be saved nowhere waits sealed, and goes when it is saved`() throws {
    let rig = try Rig(hasState: false)
    try rig.edit(new)
    try rig.withoutFolder {
      #expect(throws: SessionError.self) { try rig.session.lockAndWait(.request) }
      #expect(throws: TreeError.locked) { try rig.session.tree.text(path) }
      #expect(rig.session.state.withLock { $0.keys != nil })
    }
    rig.clock.advance(by: 6_000_000_000)
    #expect(try eventually { rig.session.state.withLock { $0.keys == nil } })
    #expect(try rig.saved() == new)
    try rig.session.unlockAndWait(with: keys)
    #expect(try rig.session.tree.text(path) == new)
  }

  @Test func `sealed edits are shown again to who has the key`() throws {
    let rig = try Rig(hasState: false)
    try rig.edit(new)
    try rig.withoutFolder {
      #expect(throws: SessionError.self) { try rig.session.lockAndWait(.request) }
      let wrong = UnlockKeys(password: secret("wrong"), keyFileKey: nil)
      #expect(throws: SessionError.self) { try rig.session.unlockAndWait(with: wrong) }
      #expect(rig.isLocked())
      try rig.session.unlockAndWait(with: keys)
      #expect(try rig.session.tree.text(path) == new)
    }
    try rig.session.saveAndWait(.save)
    #expect(try rig.saved() == new)
  }

  /// What lies in the state folder from before lacks what was edited since.
  @Test func `edits on top of rescued ones are not taken for rescued`() throws {
    let rig = try Rig()
    try rig.edit(new)
    try rig.withoutFolder {
      #expect(throws: SessionError.self) { try rig.session.lockAndWait(.request) }
    }
    try rig.session.unlockAndWait(with: keys)
    try rig.edit("https://newer.example")
    let state = rig.stateFolder.path.appending("kdbxfs")
    let aside = rig.stateFolder.path.appending("aside")
    try rig.withoutFolder {
      try Files.rename(state, to: aside)
      _ = try Descriptor.open(state, [.write, .create])
      #expect(throws: SessionError.self) { try rig.session.lockAndWait(.request) }
      #expect(throws: TreeError.locked) { try rig.session.tree.text(path) }
      #expect(rig.session.state.withLock { $0.keys != nil })
      try Files.remove(state)
      try Files.rename(aside, to: state)
    }
    rig.clock.advance(by: 6_000_000_000)
    #expect(try eventually { rig.session.state.withLock { $0.keys == nil } })
    #expect(try rig.saved() == "https://newer.example")
    #expect(try eventually { try Files.names(in: state).isEmpty })
  }

  @Test func `a mount whose edits can't be kept stays, whatever was kept before`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session)
    try rig.edit(new)
    try rig.withoutFolder {
      let failure = try rig.session.endAndWait(.request(lazily: false))
      #expect(failure?.kind == .unwritable)
    }
    try rig.edit("https://newer.example")
    let state = rig.stateFolder.path.appending("kdbxfs")
    #expect(try Files.names(in: state).count == 3)
    let aside = rig.stateFolder.path.appending("aside")
    try rig.withoutFolder {
      try Files.rename(state, to: aside)
      _ = try Descriptor.open(state, [.write, .create])
      let failure = try rig.session.endAndWait(.request(lazily: false, rescuing: true))
      #expect(failure?.kind == .unwritable)
      #expect(mount.calls == [])
      try Files.remove(state)
      try Files.rename(aside, to: state)
    }
    #expect(try rig.session.endAndWait(.request(lazily: false)) == nil)
    #expect(try rig.saved() == "https://newer.example")
    #expect(try Files.names(in: state).isEmpty)
  }

  // MARK: - By itself

  @Test func `it locks when nothing has used it for long`() throws {
    let rig = try Rig { $0.idleAfter = 15 * minute }
    try rig.edit(new)
    rig.session.lastUse.note()
    rig.clock.advance(by: 14 * minute)
    rig.session.lastUse.note()
    rig.clock.advance(by: 14 * minute)
    try rig.session.saveAndWait(.save)
    #expect(!rig.isLocked())
    rig.clock.advance(by: 2 * minute)
    #expect(try rig.waitForLock())
    #expect(try rig.saved() == new)
  }

  @Test func `a file open for writing keeps it open, for eight hours at most`() throws {
    let rig = try Rig { $0.idleAfter = 15 * minute }
    let tree = rig.session.tree
    let handle = try tree.open(try tree.resolve(path: Array(path.utf8)), .write)
    rig.clock.advance(by: 7 * 60 * minute)
    try rig.session.saveAndWait(.save)
    #expect(!rig.isLocked())
    rig.clock.advance(by: 2 * 60 * minute)
    #expect(try rig.waitForLock())
    tree.release(handle)
  }

  @Test func `neither a file open for reading nor an editor's backup keeps it open`() throws {
    let rig = try Rig { $0.idleAfter = 15 * minute }
    let tree = rig.session.tree
    _ = try tree.open(try tree.resolve(path: Array(path.utf8)), .read)
    let entry = try tree.resolve(path: Array("Internet/GitHub".utf8))
    _ = try tree.create(Array("url~".utf8), in: entry, .write)
    rig.clock.advance(by: 16 * minute)
    #expect(try rig.waitForLock())
  }

  @Test func `the cap locks whatever uses it`() throws {
    let rig = try Rig { $0.lockAfter = 60 * minute }
    let tree = rig.session.tree
    _ = try tree.open(try tree.resolve(path: Array(path.utf8)), .write)
    rig.clock.advance(by: 59 * minute)
    rig.session.lastUse.note()
    try rig.session.saveAndWait(.save)
    #expect(!rig.isLocked())
    rig.clock.advance(by: 2 * minute)
    #expect(try rig.waitForLock())
    try rig.session.unlockAndWait(with: keys)
    #expect(!rig.isLocked())
  }

  @Test func `it can be unmounted instead`() throws {
    let rig = try Rig {
      $0.idleAfter = minute
      $0.idleAction = .unmount
    }
    let mount = PretendedMount(on: rig.session)
    try rig.edit(new)
    rig.clock.advance(by: 2 * minute)
    #expect(try eventually { mount.calls == ["detach", "stop"] })
    #expect(try rig.saved() == new)
  }

  @Test func `a mount that can't be unmounted for its users is locked`() throws {
    let rig = try Rig {
      $0.idleAfter = minute
      $0.idleAction = .unmount
    }
    let mount = PretendedMount(on: rig.session, answers: [Errno.busy.rawValue])
    rig.clock.advance(by: 2 * minute)
    #expect(try rig.waitForLock())
    #expect(mount.calls == ["detach"])
  }

  @Test func `a locked vault is unmounted without its key`() throws {
    let rig = try Rig()
    let mount = PretendedMount(on: rig.session)
    try rig.session.lockAndWait(.request)
    #expect(try rig.session.endAndWait(.request(lazily: false)) == nil)
    #expect(mount.calls == ["detach", "stop"])
  }
}

/// What a lock lets go of, and with it what its memory is overwritten with.
@Suite(.timeLimit(.minutes(2))) struct ReleasingTests {
  @Test func `a derived key goes with its last holder`() throws {
    let folder = try TemporaryFolder()
    let vault = try folder.vault()
    weak var derived: DerivedKey?
    weak var composite: CompositeKey?
    do {
      let opened = try openVault(vault)
      derived = opened.contents.key
      composite = opened.key
      #expect(derived != nil)
    }
    #expect(derived == nil)
    #expect(composite == nil)
  }

  @Test(arguments: [false, true])
  func `a lock lets go of every key`(edits: Bool) throws {
    let rig = try Rig()
    weak var first: DerivedKey?
    weak var composite: CompositeKey?
    weak var values: ValueSource?
    rig.session.state.withLock { state in
      first = state.keys?.derived
      composite = state.keys?.composite
    }
    values = rig.session.tree.vault.document.values
    if edits {
      try rig.edit(new)
      try rig.session.saveAndWait(.save)
      try rig.edit("https://newer.example")
    }
    try rig.session.lockAndWait(.request)
    #expect(first == nil)
    #expect(composite == nil)
    #expect(values == nil)
  }
}
