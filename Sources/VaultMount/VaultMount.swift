package import Fuse
package import Platform
package import Session
import VaultTree

/// A vault's tree, mounted: joins FUSE, the tree and the vault's session.
///
/// In order: ``init(_:options:observer:)``, ``mount(at:)``, ``serve()``; the session unmounts and stops it.
package final class VaultMount: Sendable {
  /// How many threads serve requests.
  ///
  /// Two were the fastest (`docs/performance.md`); while one opens a large value the other answers.
  private static let threads = 2

  private let session: VaultSession
  private let fuse: FuseSession

  /// Connects a session with FUSE; nothing is mounted yet.
  ///
  /// `unlocker` unlocks the vault when something in it is looked at while it is locked; `observer` is
  /// told of every request and answer.
  package init(
    _ session: VaultSession, options: MountOptions, unlocker: UnlockOnAccess? = nil,
    observer: RequestObserver? = nil
  ) throws(FuseError) {
    let tree = session.tree
    let listings = ListingCache()
    let fileSystem = VaultFileSystem(
      tree: tree, listings: listings, owner: Owner(user: Process.user, group: Process.group),
      save: { [weak session] completion in
        guard let session else { return completion(.inputOutput) }
        session.save(.fsync) { error in
          completion(error.map { Errno(rawValue: $0.errnoValue) })
        }
      },
      unlock: unlocker.map { unlocker -> VaultFileSystem.Unlock in { unlocker.unlock($0) } },
      lastUse: session.lastUse)
    let fuse = try FuseSession(fileSystem, options: options, observer: observer)
    self.session = session
    self.fuse = fuse
    tree.setInvalidationHandler { [weak fuse] changes in
      for change in changes {
        switch change {
        case .attributes(let node): fuse?.invalidateAttributes(of: InodeNumber(node))
        case .everything(let node):
          listings.change(InodeNumber(node))
          fuse?.dropContent(of: InodeNumber(node))
        case .listing(let node): listings.change(InodeNumber(node))
        case .name(in: let parent, let name):
          fuse?.invalidateName(name, in: InodeNumber(parent))
        }
      }
    }
  }

  /// Mounts at a directory; requests wait until ``serve()``.
  ///
  /// From now on the session can take the mount away, and ends when it leaves the mount table.
  package func mount(at mountPoint: Path) throws(FuseError) {
    try fuse.mount(at: mountPoint)
    session.setMountHandlers(
      MountHandlers(
        detach: { [weak fuse] lazily in
          do throws(Errno) { try fuse?.unmount(lazily: lazily) } catch { return error.rawValue }
          return 0
        },
        isAttached: { [weak fuse] in fuse?.isAttached ?? false },
        stop: { [weak fuse] in fuse?.stop() },
        settle: { [weak fuse] in fuse?.settleNotices() }))
  }

  /// Serves requests; returns when the mount is gone, or when the session has stopped it.
  package func serve() throws(Errno) {
    try fuse.run(threads: Self.threads)
  }
}
