import Platform
import Session

/// A folder in memory that only this user can look into.
struct PrivateFolder {
  let path: Path

  /// Makes it where the machine keeps files in memory: in the user's runtime folder, or in `/dev/shm`.
  init() throws(Complaint) {
    let mounts = (try? MountTable.entries()) ?? []
    var places: [Path] = []
    if let runtime = try? RuntimeDirectory.locate() { places.append(runtime) }
    places.append("/dev/shm")
    for place in places {
      guard let real = try? Files.resolve(place), Self.isInMemory(real, mounts) else { continue }
      let name = "kdbxfs-edit-\(Process.id)-\(String(UInt64.random(in: 0 ... .max), radix: 36))"
      let folder = real.appending(name)
      if (try? Files.makeDirectory(folder)) != nil {
        path = folder
        return
      }
    }
    throw Complaint(
      "no folder in memory can be made for the editor",
      hints: ["XDG_RUNTIME_DIR or /dev/shm must be a tmpfs"], exitCode: .vaultUnwritable)
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
