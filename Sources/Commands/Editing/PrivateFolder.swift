import Platform
import Session

/// A folder in memory that only this user can look into.
///
/// It is locked as long as its process lives: one that can be locked was left by a process that was
/// killed, and is removed by the next.
struct PrivateFolder: ~Copyable {
  let path: Path
  private let lock: Descriptor

  private static let prefix = Array("kdbxfs-edit-".utf8)

  /// Makes it where the machine keeps files in memory: in the user's runtime folder, or in `/dev/shm`.
  init() throws(Complaint) {
    let mounts = (try? MountTable.entries()) ?? []
    var places: [Path] = []
    if let runtime = try? RuntimeDirectory.locate() { places.append(runtime) }
    places.append("/dev/shm")
    for place in places {
      guard let real = try? Files.resolve(place), Self.isInMemory(real, mounts) else { continue }
      Self.removeAbandoned(in: real)
      if let made = Self.make(in: real) {
        self = made
        return
      }
    }
    throw Complaint(
      "no folder in memory can be made for the editor",
      hints: ["XDG_RUNTIME_DIR or /dev/shm must be a tmpfs"], exitCode: .vaultUnwritable)
  }

  private init(path: Path, lock: consuming Descriptor) {
    self.path = path
    self.lock = lock
  }

  private static func make(in place: Path) -> PrivateFolder? {
    let ending = "\(Process.id)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
    let folder = place.appending(prefix + Array(ending.utf8))
    guard (try? Files.makeDirectory(folder)) != nil,
      let lock = try? Descriptor.open(folder, [.noFollow]), lock.tryLock()
    else { return nil }
    return PrivateFolder(path: folder, lock: lock)
  }

  private static func removeAbandoned(in place: Path) {
    for name in (try? Files.names(in: place)) ?? [] where name.starts(with: prefix) {
      let folder = place.appending(name)
      guard let status = try? Files.status(of: folder, followingLinks: false),
        status.kind == .directory, status.owner == Process.user,
        let file = try? Descriptor.open(folder, [.noFollow]), file.tryLock()
      else { continue }
      remove(folder)
    }
  }

  /// Removes it with all that is in it.
  func remove() { Self.remove(path) }

  /// Whether a folder lies on a file system that has no disk below it.
  static func isInMemory(_ folder: Path, _ mounts: [MountTable.Entry]) -> Bool {
    let above = mounts.filter { folder.isAtOrBelow($0.mountPoint) }
    guard let longest = above.map(\.mountPoint.bytes.count).max(),
      let mount = above.last(where: { $0.mountPoint.bytes.count == longest })
    else { return false }
    return [Array("tmpfs".utf8), Array("ramfs".utf8)].contains(mount.type)
  }

  /// Removes what editors leave beside a file, too.
  private static func remove(_ folder: Path) {
    for name in (try? Files.names(in: folder)) ?? [] {
      let place = folder.appending(name)
      if (try? Files.status(of: place, followingLinks: false))?.kind == .directory {
        remove(place)
      } else {
        try? Files.remove(place)
      }
    }
    try? Files.removeDirectory(folder)
  }
}
