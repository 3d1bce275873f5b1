import Secrets
import Synchronization
import Testing

@testable import Platform

@Suite struct FileLockTests {
  /// A folder with a vault, and another for the locks.
  struct Place: Sendable {
    let folder: Folder
    let locks: Folder

    init() throws {
      folder = try Folder()
      locks = try Folder()
      try folder.write("old", to: "vault")
    }

    func lock(
      _ name: String, mountPoint: Path? = "/mnt", patience: Int = FileLock.patience
    ) throws(FileLock.Failure) -> FileLock {
      try FileLock(
        vault: folder[name], mountPoint: mountPoint, patience: patience, in: locks.path)
    }

    func isFree(_ name: String) -> Bool {
      do throws(FileLock.Failure) {
        _ = try lock(name)
        return true
      } catch {
        return false
      }
    }
  }

  @Test func `a second writer is told where the first one is`() throws {
    let place = try Place()
    let first = try place.lock("vault", mountPoint: "/mnt/my\nvault")
    let holder = FileLock.Holder(mountPoint: "/mnt/my\nvault", process: Process.id)
    #expect(throws: FileLock.Failure.held(by: holder)) {
      _ = try place.lock("vault", mountPoint: "/elsewhere")
    }
    _ = consume first
    #expect(place.isFree("vault"))
    #expect(try place.locks.names == [])
  }

  @Test func `the lock is the same by every way to the vault`() throws {
    let place = try Place()
    try run("ln", "-s", "vault", place.folder["link"].description)
    try run("ln", "-s", place.folder.path.description, place.folder["self"].description)
    let first = try place.lock("self/link")
    #expect(!place.isFree("vault"))
    #expect(!place.isFree("link"))
    #expect(!place.isFree("self/self/vault"))
    withExtendedLifetime(first) {}
  }

  @Test func `the lock outlives what a save does to the vault`() throws {
    let place = try Place()
    let first = try place.lock("vault")
    _ = try AtomicReplacement.replace(
      place.folder["vault"], with: [1].span, verify: { _ in true })
    #expect(!place.isFree("vault"))
    try Files.remove(place.folder["vault"])
    #expect(!place.isFree("vault"))
    withExtendedLifetime(first) {}
  }

  @Test func `other vaults are free`() throws {
    let place = try Place()
    try place.folder.write("old", to: "other")
    let first = try place.lock("vault")
    #expect(place.isFree("other"))
    withExtendedLifetime(first) {}
  }

  @Test func `the lock dies with its holder, whatever the file says`() throws {
    let place = try Place()
    // A process that died and left its file.
    let name = try FileLock.name(for: place.folder["vault"])
    try place.locks.write("4711\n/gone", to: name, permissions: 0o666)
    let first = try place.lock("vault", mountPoint: "/here")
    #expect(throws: FileLock.Failure.held(by: .init(mountPoint: "/here", process: Process.id))) {
      _ = try place.lock("vault")
    }
    withExtendedLifetime(first) {}
  }

  /// The real places, and a real process that is killed.
  @Test func `a killed process leaves the vault free`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault")
    let holder = try RunningProbe(["lock", folder["vault"].description, "/mnt/first"])
    #expect(holder.nextLine() == "locked")
    #expect(
      throws: FileLock.Failure.held(by: .init(mountPoint: "/mnt/first", process: holder.process))
    ) {
      _ = try FileLock(vault: folder["vault"], mountPoint: "/mnt/second")
    }
    try Signals.send(.kill, to: holder.process)
    #expect(holder.wait() == .killed(.kill))
    _ = try FileLock(vault: folder["vault"], mountPoint: "/mnt/second")
  }

  /// Also by a mount, and one after the other by many.
  @Test func `a command that ends soon is waited for`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault")
    let command = try RunningProbe(["lock", folder["vault"].description])
    #expect(command.nextLine() == "locked")
    let next = try (0..<3).map { _ in try RunningProbe(["lock", folder["vault"].description]) }
    let start = Clock.sinceBoot()
    #expect(
      throws: FileLock.Failure.held(by: .init(mountPoint: nil, process: command.process))
    ) {
      _ = try FileLock(vault: folder["vault"], mountPoint: "/mnt", patience: 300)
    }
    #expect((300..<5000).contains((Clock.sinceBoot() - start) / 1_000_000))
    command.endInput()
    #expect(command.wait() == .exited(0))
    for one in next { one.endInput() }
    for one in next {
      #expect(one.nextLine() == "locked")
      #expect(one.wait() == .exited(0))
    }
    _ = try FileLock(vault: folder["vault"], mountPoint: "/mnt", patience: 0)
  }

  /// Its file stays, and doesn't say who has the lock now.
  @Test func `a command that is killed ends the wait`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault")
    let command = try RunningProbe(["lock", folder["vault"].description])
    #expect(command.nextLine() == "locked")
    let next = try RunningProbe(["lock", folder["vault"].description, "/mnt"])
    // It waits, and has read who holds the lock.
    _ = try? poll([], milliseconds: 300)
    try Signals.send(.kill, to: command.process)
    #expect(command.wait() == .killed(.kill))
    #expect(next.nextLine() == "locked")
    #expect(
      throws: FileLock.Failure.held(by: .init(mountPoint: "/mnt", process: next.process))
    ) {
      _ = try FileLock(vault: folder["vault"], mountPoint: nil)
    }
  }

  @Test(.enabled(if: Process.user == 0))
  func `users exclude each other, and each says who it is`() throws {
    let folder = try Folder()
    try folder.write("old", to: "vault", permissions: 0o666)
    try run("chmod", "755", folder.path.description)
    let other = try RunningProbe(
      ["lock", folder["vault"].description, "/mnt/theirs"], asUser: 5678)
    #expect(other.nextLine() == "locked")
    #expect(
      throws: FileLock.Failure.held(by: .init(mountPoint: "/mnt/theirs", process: other.process))
    ) {
      _ = try FileLock(vault: folder["vault"], mountPoint: "/mnt/ours")
    }
    try Signals.send(.kill, to: other.process)
    _ = other.wait()
    // The file is theirs, and still there: we take the lock on it all the same.
    let ours = try FileLock(vault: folder["vault"], mountPoint: "/mnt/ours")
    let third = try RunningProbe(["lock", folder["vault"].description, "/mnt"], asUser: 5679)
    #expect(third.wait() == .exited(1))
    withExtendedLifetime(ours) {}
  }

  @Test func `a link in the lock's place is refused, and what it leads to is left alone`() throws {
    let place = try Place()
    let name = try FileLock.name(for: place.folder["vault"])
    try run("ln", "-s", place.folder["vault"].description, place.locks[name].description)
    #expect(throws: FileLock.Failure.system(.tooManySymbolicLinks)) { _ = try place.lock("vault") }
    try Files.remove(place.locks[name])
    try Files.link(place.folder["vault"], as: place.locks[name])
    #expect(throws: FileLock.Failure.system(.accessDenied)) { _ = try place.lock("vault") }
    #expect(try place.folder.read("vault") == "old")
  }

  /// How many hold the lock at once.
  final class Counts: Sendable {
    private let now = Atomic(0)
    private let mostSoFar = Atomic(0)

    var most: Int { mostSoFar.load(ordering: .sequentiallyConsistent) }

    func enter() {
      let count = now.wrappingAdd(1, ordering: .sequentiallyConsistent).newValue
      mostSoFar.max(count, ordering: .sequentiallyConsistent)
    }

    func leave() { now.wrappingSubtract(1, ordering: .sequentiallyConsistent) }
  }

  @Test func `many who take and leave it never have it at once`() async throws {
    let place = try Place()
    let counts = Counts()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<200 {
            guard let lock = try? place.lock("vault") else { continue }
            counts.enter()
            counts.leave()
            withExtendedLifetime(lock) {}
          }
        }
      }
    }
    #expect(counts.most == 1)
  }

  @Test func `a vault whose folder is gone can't be locked`() throws {
    let place = try Place()
    #expect(throws: FileLock.Failure.system(.noEntry)) { _ = try place.lock("none/vault") }
  }
}
