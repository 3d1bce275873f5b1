import ByteCoding
import Fuse
import Platform
import Secrets
import Session
import VaultTree

/// A mounted vault, by plain system calls.
final class MountedAccess: EntryAccess {
  private let mountPoint: Path

  /// `mountPoint` is absolute and free of links.
  ///
  /// Refuses what can't be written before anybody edits or types something for it.
  init(_ mountPoint: Path, for intent: AccessIntent) throws(Complaint) {
    self.mountPoint = mountPoint
    guard intent == .writing else { return }
    try call(Path([])) { (place) throws(Errno) in try Files.checkWritable(place) }
  }

  private func call<R: ~Copyable>(
    _ path: Path, _ body: (Path) throws(Errno) -> R
  ) throws(Complaint) -> R {
    do throws(Errno) {
      return try body(path.isEmpty ? mountPoint : mountPoint.appending(path.bytes))
    } catch {
      throw DeadMount.isCause(of: error)
        ? Complaint(.notConnected, path) : Complaint(error, path)
    }
  }

  func kind(of path: Path) throws(Complaint) -> NodeKind? {
    try call(path) { (place) throws(Errno) in
      do throws(Errno) {
        switch try Files.status(of: place, followingLinks: false).kind {
        case .directory: return .directory
        case .symbolicLink: return .symbolicLink
        case .regular, .fifo, .socket, .characterDevice, .blockDevice, .unknown: return .file
        }
      } catch  where error == .noEntry || error == .notDirectory {
        return nil
      }
    }
  }

  func names(in path: Path) throws(Complaint) -> [[UInt8]] {
    try call(path) { (place) throws(Errno) in try Files.names(in: place) }
      .sortedByBytes()
  }

  func target(of link: Path) throws(Complaint) -> Path {
    let target = try call(link) { (place) throws(Errno) in try Files.readLink(place) }
    return try VaultFinder.normalized(link.parent.appending(target.bytes).bytes)
  }

  func read(_ path: Path) throws(Complaint) -> WipedBuffer {
    try call(path) { (place) throws(Errno) in try Files.readWhole(place) }
  }

  func write(_ bytes: Span<UInt8>, to path: Path) throws(Complaint) {
    try call(path) { (place) throws(Errno) in
      let file = try Descriptor.open(place, [.write, .create, .truncate])
      try file.writeAll(bytes)
      // What a vault can't hold may be refused here.
      try file.close()
    }
  }

  func makeDirectory(_ path: Path) throws(Complaint) {
    try call(path) { (place) throws(Errno) in try Files.makeDirectory(place) }
  }

  func rename(_ path: Path, to target: Path) throws(Complaint) {
    let newPlace = mountPoint.appending(target.bytes)
    // What is refused is mostly refused because of what stands at the target.
    let isThere = try kind(of: path) != nil
    try call(isThere ? target : path) { (_) throws(Errno) in
      try Files.rename(mountPoint.appending(path.bytes), to: newPlace)
    }
  }

  func remove(_ path: Path) throws(Complaint) {
    try call(path) { (place) throws(Errno) in try Files.remove(place) }
  }

  func attribute(_ name: String, of path: Path) throws(Complaint) -> [UInt8]? {
    try call(path) { (place) throws(Errno) in
      try Files.attribute("user.kdbx.\(name)", of: place)
    }
  }

  func setAttribute(_ name: String, of path: Path, to value: [UInt8]) throws(Complaint) {
    try call(path) { (place) throws(Errno) in
      try Files.setAttribute("user.kdbx.\(name)", of: place, to: value)
    }
  }

  func ask(_ query: EntryQuery) throws(Complaint) -> JSONObject {
    guard !query.isTooLong else { throw .usage("that is too much to ask at once") }
    return try ControlCommands.ask(.entries(query), of: mountPoint, named: mountPoint)
  }

  func finish() throws(Complaint) {}
}
