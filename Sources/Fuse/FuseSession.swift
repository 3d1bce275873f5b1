package import Platform
import Synchronization

/// One file system, mounted and served.
///
/// In order: ``init(_:options:observer:)``, ``mount(at:)``, ``run(threads:)``; the others may be called on any
/// thread, once mounted. No signal is handled, and no process is forked after the mount but
/// `fusermount3` for an ordinary user's unmount.
package final class FuseSession: Sendable {
  private let core: SessionCore
  private let notifier: Notifier
  private let ending: Ending
  private let place = Mutex<MountedPlace?>(nil)

  /// Makes a session; nothing is mounted yet.
  ///
  /// `observer` is told of every request and answer.
  package init(
    _ fileSystem: any FileSystem, options: MountOptions, observer: RequestObserver? = nil
  ) throws(FuseError) {
    core = try SessionCore(fileSystem, options: options, observer: observer)
    do throws(Errno) {
      ending = try Ending()
      notifier = try Notifier()
    } catch {
      throw .system(error)
    }
  }

  /// Mounts at a directory; the kernel keeps requests until ``run(threads:)`` serves them.
  package func mount(at mountPoint: Path) throws(FuseError) {
    try DeviceReadiness.checkDevice()
    let path: Path
    do throws(Errno) { path = try Files.resolve(mountPoint) } catch { throw .system(error) }
    try core.mount(at: path)
    do throws(Errno) {
      let mounted = try MountedPlace(path)
      place.withLock { $0 = mounted }
    } catch {
      core.abandonMount()
      throw .system(error)
    }
  }

  // MARK: - Serving

  /// Serves the mount on `threads` threads; returns when it is gone, or after ``stop()``.
  ///
  /// A mount that is still there then is taken out of the mount table: nobody would answer.
  ///
  /// No signal comes to these threads but the one that ends them (``Interruption``): the frame of a signal
  /// holds the registers, and with them pieces of what is being read.
  package func run(threads: Int = 2) throws(Errno) {
    let core = core
    try notifier.start(for: core)
    defer {
      notifier.end()
      leave()
    }
    try serve(threads: threads)
  }

  /// Starts the threads one inside the other, for a thread can't lie in an array, waits for the end, and for
  /// theirs.
  private func serve(threads: Int) throws(Errno) {
    guard threads > 0 else { return ending.wait() }
    let (core, ending) = (core, ending)
    let thread = try Thread.start(name: "fuse-\(threads)") { serveUntilOver(core, ending) }
    do throws(Errno) {
      try serve(threads: threads - 1)
    } catch {
      ending.begin()
      thread.interruptAndJoin()
      throw error
    }
    thread.interruptAndJoin()
  }

  /// Ends ``run(threads:)`` soon; what is being served is answered first.
  package func stop() { ending.begin() }

  // MARK: - Leaving

  /// Whether the mount is still in the mount table, so that a path leads to it.
  package var isAttached: Bool {
    isConnected && place.withLock { $0 }?.isOurs ?? false
  }

  /// Whether the kernel still holds our file system.
  ///
  /// Only while it does is its device number ours: the next mount of anyone's gets it after that.
  private var isConnected: Bool {
    do throws(Errno) {
      let happened = try poll([PollRequest(core.descriptor, [])], milliseconds: 0)
      return !happened.contains { $0.contains(.error) }
    } catch {
      return true
    }
  }

  /// Takes the mount out of the mount table; nothing happens if it isn't there any more.
  ///
  /// ``run(threads:)`` returns when nobody uses it any more, which `lazily` may be later. The mount
  /// must be served meanwhile, so this isn't for a thread that serves it.
  /// - Throws: ``Errno/busy`` when something uses the mount, and `lazily` is `false`.
  package func unmount(lazily: Bool) throws(Errno) {
    guard let mounted = place.withLock({ $0 }),
      isConnected || DeadMount.isThere(at: mounted.path)
    else { return }
    try mounted.unmount(lazily: lazily)
    // It has gone for good, and the next mount of anyone's may get its numbers.
    place.withLock { $0 = nil }
  }

  /// Leaves no mount behind that nobody serves.
  ///
  /// Where that fails, whoever looks there is told that nobody is connected, once the device is closed.
  private func leave() {
    do throws(Errno) { try unmount(lazily: true) } catch {}
  }

  deinit { leave() }

  // MARK: - What the kernel holds cached

  /// Tells the kernel that the attributes of a file have changed; may be called while serving it.
  package func invalidateAttributes(of inode: InodeNumber) {
    core.forgetAttributes(of: inode, content: false)
  }

  /// Tells the kernel, in a while, that attributes and what it holds of the content (a listing, pages
  /// of a private mapping) have changed.
  package func invalidateContent(of inode: InodeNumber) {
    notifier.add(.content(inode))
  }

  /// The same at once: returns when the kernel holds nothing of the file any more.
  ///
  /// Waits for those who read it, so never for a thread that serves requests.
  package func dropContent(of inode: InodeNumber) {
    core.forgetAttributes(of: inode, content: true)
  }

  /// Tells the kernel, in a while, that a name leads elsewhere or nowhere.
  ///
  /// Not for what a request does to the name that it is about: the kernel knows.
  package func invalidateName(_ name: [UInt8], in directory: InodeNumber) {
    notifier.add(.name(name, in: directory))
  }

  /// Waits, for two seconds at most, until the kernel has been told all that it was to be told.
  ///
  /// Never for a thread that serves requests.
  package func settleNotices() { notifier.settle(milliseconds: 2000) }
}
