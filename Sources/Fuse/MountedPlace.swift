import Glibc
import Platform

/// Where a mount of ours is in the mount table, and how it leaves it.
struct MountedPlace: Sendable {
  /// Absolute and free of links.
  let path: Path
  /// The number of the mounted file system's device, which tells it from another one that was mounted
  /// there since.
  let device: UInt64?

  /// The mount that has just been made at `path`.
  init(_ path: Path) throws(Errno) {
    self.path = path
    device = try MountTable.entry(at: path)?.device
  }

  /// Whether `path` leads to our mount.
  var isOurs: Bool {
    guard let device, let entry = try? MountTable.entry(at: path) else { return false }
    return entry.device == device
  }

  /// Unmounts, unless the mount has gone.
  /// - Throws: ``Errno/busy`` when something uses it.
  func unmount(lazily: Bool) throws(Errno) {
    guard isOurs else { return }
    do throws(Errno) {
      try unmountDirectly(lazily: lazily)
    } catch .notPermitted {
      try unmountThroughHelper(lazily: lazily)
    }
  }

  private func unmountDirectly(lazily: Bool) throws(Errno) {
    let flags = CInt(UMOUNT_NOFOLLOW) | (lazily ? CInt(MNT_DETACH) : 0)
    let text = path.bytes.map { CChar(bitPattern: $0) } + [0]
    try systemCall { unsafe umount2(text, flags) }
  }

  /// As an ordinary user may: by the set-uid program that mounted it.
  private func unmountThroughHelper(lazily: Bool) throws(Errno) {
    var arguments = ["fusermount3", "-u", "-q"].map { Array($0.utf8) }
    if lazily { arguments.append(Array("-z".utf8)) }
    arguments += [Array("--".utf8), path.bytes]
    do throws(Program.Failure) {
      _ = try Program.run(arguments, input: [UInt8]().span, limit: 4096)
    } catch .start(let error) {
      throw error
    } catch {
      // It doesn't say why it failed in a way that a program can read; that the mount is used is the
      // one reason there is for its owner.
      if isOurs { throw .busy }
    }
  }
}
