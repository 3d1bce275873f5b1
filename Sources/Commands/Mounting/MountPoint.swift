import Fuse
import Platform
import Session

/// The folder that a vault is to be mounted on.
enum MountPoint {
  /// What the mount table calls a mount of ours.
  static let type = Array("fuse.kdbxfs".utf8)

  /// Checks everything about the place that can be checked before mounting, and gives its path,
  /// absolute and free of links.
  ///
  /// A mount of ours there whose process died is cleared away first.
  static func prepare(
    _ path: Path, for vault: Path, takesNonEmpty: Bool
  ) throws(Complaint) -> Path {
    let place = try livePlace(path)
    let status = try errnoAsComplaint(path) { () throws(Errno) in try Files.status(of: place) }
    guard status.kind == .directory else {
      throw Complaint("the mount point '\(path)' is not a folder", exitCode: .mountPoint)
    }
    if let entry = try? MountTable.entry(at: place) { throw taken(path, by: entry) }
    if !takesNonEmpty { try checkEmpty(place, named: path) }
    if let vault = try? Files.resolve(vault), vault.isAtOrBelow(place) {
      throw Complaint(
        "the vault lies below the mount point '\(path)', which would hide it",
        exitCode: .mountPoint)
    }
    guard Process.user == 0 || (try? Files.checkWritable(place)) != nil else {
      throw unusable(path, .accessDenied)
    }
    return place
  }

  /// The absolute path without links of a place that may be a dead mount, whose last part can't be
  /// looked at.
  static func resolve(_ path: Path) throws(Errno) -> Path {
    do throws(Errno) {
      return try Files.resolve(path)
    } catch {
      guard DeadMount.isCause(of: error) else { throw error }
      // Without final slashes, `vault/`, behind which nothing is left to look up.
      let slash = UInt8(ascii: "/")
      let path = Path(path.bytes.reversed().drop { $0 == slash }.reversed())
      return try Files.resolve(path.parent).appending(path.lastComponent)
    }
  }

  // MARK: - Checks

  private static func livePlace(_ path: Path) throws(Complaint) -> Path {
    let place = try errnoAsComplaint(path) { () throws(Errno) in try resolve(path) }
    guard let entry = try? MountTable.entry(at: place), DeadMount.isThere(at: place)
    else { return place }
    guard entry.type == type else {
      throw Complaint(
        "there is a dead mount at '\(path)'", hints: ["'fusermount3 -uz \(path)' clears it away"],
        exitCode: .mountPoint)
    }
    try errnoAsComplaint(path) { () throws(Errno) in try DeadMount.detach(at: place) }
    return place
  }

  private static func taken(_ path: Path, by entry: MountTable.Entry) -> Complaint {
    let what = entry.type == type ? "a vault" : "something"
    return Complaint(
      "\(what) is already mounted at '\(path)'",
      hints: entry.type == type ? ["'kdbxfs umount \(path)' ends it"] : [], exitCode: .mountPoint)
  }

  private static func checkEmpty(_ place: Path, named path: Path) throws(Complaint) {
    let names = try errnoAsComplaint(path) { () throws(Errno) in try Files.names(in: place) }
    guard names.isEmpty else {
      throw Complaint(
        "the mount point '\(path)' is not empty",
        hints: ["--nonempty mounts over what is there"], exitCode: .mountPoint)
    }
  }

  private static func errnoAsComplaint<R>(
    _ path: Path, _ body: () throws(Errno) -> R
  ) throws(Complaint) -> R {
    do throws(Errno) { return try body() } catch { throw unusable(path, error) }
  }

  private static func unusable(_ path: Path, _ error: Errno) -> Complaint {
    Complaint(
      "the mount point '\(path)' can't be used: \(error)",
      hints: error == .noEntry ? ["'mkdir \(path)' makes it"] : [], exitCode: .mountPoint)
  }
}
