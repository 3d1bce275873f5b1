package import Fuse
import Synchronization

/// Decides what an open directory may leave in the kernel's cache of listings, and take from it.
///
/// A listing is as it was when its directory was opened, and is read piece by piece, so a handle may
/// fill the cache with what is no longer true; the kernel notices only changes after the first piece was
/// read. So after a change
/// - no handle takes from the cache or fills it while one from before is open, and
/// - the first one afterwards has the cache dropped, and fills it anew.
///
/// What it hasn't heard of counts as changed. Safe to call from any thread.
package final class ListingCache: Sendable {
  private struct Directory {
    /// Whether the cache may hold what is no longer true.
    var isStale = true
    /// The handles that are open.
    var openCount = 0
  }

  /// Directories that have an open handle or a true cache.
  private let directories = Mutex<[InodeNumber: Directory]>([:])

  package init() {}

  /// A directory is being opened, and its listing will be made after this call.
  package func open(_ inode: InodeNumber) -> DirectoryCaching {
    directories.withLock { directories in
      var directory = directories[inode, default: Directory()]
      defer { directories[inode] = directory }
      directory.openCount += 1
      guard directory.isStale else { return DirectoryCaching(fillsCache: true, keepsCache: true) }
      guard directory.openCount == 1 else { return .none }
      directory.isStale = false
      return DirectoryCaching(fillsCache: true, keepsCache: false)
    }
  }

  /// A handle is closed, or wasn't opened after all.
  package func close(_ inode: InodeNumber) {
    update(inode) { $0.openCount = max(0, $0.openCount - 1) }
  }

  /// The names of a directory have changed, and whoever asked for it has not been answered yet.
  package func change(_ inode: InodeNumber) {
    update(inode) { $0.isStale = true }
  }

  /// The kernel has forgotten a file, and with it what it had cached.
  package func forget(_ inode: InodeNumber) {
    change(inode)
  }

  private func update(_ inode: InodeNumber, _ body: (inout Directory) -> Void) {
    directories.withLock { directories in
      guard var directory = directories[inode] else { return }
      body(&directory)
      directories[inode] = directory.isStale && directory.openCount == 0 ? nil : directory
    }
  }
}
