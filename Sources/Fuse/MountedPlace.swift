import Glibc
import Platform

/// Where a mount of ours is in the mount table, and how it leaves it.
struct MountedPlace: Sendable {
  /// Absolute and free of links.
  let path: Path
  /// What the mount table says of it, or `nil` if it was gone before anyone could look.
  private let identity: Identity?

  /// What tells our mount from every other.
  ///
  /// The kernel gives the number of a mount and of its device to the next mount as soon as ours has
  /// gone. Only all of these together are ours: a vault is mounted for writing once, and two mounts
  /// of one vault at one time have two numbers.
  private struct Identity: Equatable {
    let id: Int
    let device: UInt64
    let source: [UInt8]

    init(_ entry: MountTable.Entry) {
      id = entry.id
      device = entry.device
      source = entry.source
    }
  }

  /// The mount that has just been made at `path`.
  init(_ path: Path) throws(Errno) {
    self.path = path
    identity = try MountTable.entry(at: path).map(Identity.init)
  }

  /// Whether our mount is in the mount table, also where it went with a folder that was renamed.
  ///
  /// A table that can't be read says nothing against it.
  var isOurs: Bool {
    guard let identity else { return false }
    guard let entries = try? MountTable.entries() else { return true }
    return entries.contains { Identity($0) == identity }
  }

  /// Unmounts, unless the mount has gone.
  /// - Throws: ``Errno/busy`` when something uses it, or is mounted over it.
  func unmount(lazily: Bool) throws(Errno) {
    guard isOurs else { return }
    guard let path = reachablePath else { throw .busy }
    do throws(Errno) {
      try Self.unmountDirectly(path, lazily: lazily)
    } catch .notPermitted {
      try unmountThroughHelper(path, lazily: lazily)
    }
  }

  /// The path that leads to our mount: nothing is mounted over it.
  private var reachablePath: Path? {
    let entries = (try? MountTable.entries()) ?? []
    return entries.last { Identity($0) == identity }.map(\.mountPoint).flatMap { path in
      entries.last { $0.mountPoint == path }.map(Identity.init) == identity ? path : nil
    }
  }

  private static func unmountDirectly(_ path: Path, lazily: Bool) throws(Errno) {
    let flags = CInt(UMOUNT_NOFOLLOW) | (lazily ? CInt(MNT_DETACH) : 0)
    let text = path.bytes.map { CChar(bitPattern: $0) } + [0]
    try systemCall { unsafe umount2(text, flags) }
  }

  /// As an ordinary user may: by the set-uid program that mounted it.
  private func unmountThroughHelper(_ path: Path, lazily: Bool) throws(Errno) {
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
