import KDBX
import Platform
import Synchronization

/// What a session knows of the vault's file as others may change it: the state that was last read or
/// written, and when to look at the file again.
///
/// Safe to call from any thread; the worker looks and merges.
final class OutsideChanges: Sendable {
  /// How long nothing more must happen to the file before it is read, in nanoseconds: who writes it in
  /// pieces isn't met halfway.
  private static let quiet: Int64 = 500_000_000
  /// How long it is put off at most.
  private static let latest: Int64 = 5_000_000_000

  private struct State {
    /// What the file held when it was last read or written; `nil` while the vault is locked.
    var base: Document?
    var firstEvent: Int64?
    var lookAt: Int64?
    /// The file and the names that lead to it.
    var names: Set<Path> = []
  }

  private let state: Mutex<State>
  /// Tells that something happened beside the vault; `nil` where the machine has no watch left: then
  /// changes are found before each save.
  let watcher: FolderWatcher?

  init(of document: Document) {
    state = Mutex(State(base: document))
    watcher = try? FolderWatcher()
  }

  /// What the file held when it was last read or written.
  var base: Document? {
    get { state.withLock { $0.base } }
    set { state.withLock { $0.base = newValue } }
  }

  /// Watches the file, wherever the links on the way to it lead by now.
  func watch(_ file: VaultFile) {
    let target = try? Files.resolveTarget(file.path)
    let names = Set([file.path, target].compactMap { $0 })
    state.withLock { $0.names = names }
    watcher?.watch(Set(names.map(\.parent)))
  }

  /// When to look at the file; `nil` until something happens to it.
  var lookDue: Int64? { state.withLock { $0.lookAt } }

  /// Takes the watcher's events; the file is looked at a while after the last one that it met.
  func takeEvents(at now: Int64) {
    guard let watcher else { return }
    let changed = watcher.takeEvents()
    state.withLock { state in
      if let changed, changed.isDisjoint(with: state.names) { return }
      let first = state.firstEvent ?? now
      state.firstEvent = first
      state.lookAt = min(now + Self.quiet, first + Self.latest)
    }
  }

  /// Says whether it is time to look, and puts the clock back.
  func takeLook(at now: Int64) -> Bool {
    state.withLock { state in
      guard let lookAt = state.lookAt, lookAt <= now else { return false }
      state.lookAt = nil
      state.firstEvent = nil
      return true
    }
  }
}
