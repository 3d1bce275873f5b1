import ByteCoding
import KDBX
import Platform
import Secrets
import Session
import VaultMount
import VaultTree

/// A vault's file, opened in this process: the same tree as a mount's, without the mount.
///
/// To write, it lives in a session, which becomes the vault's one writer, merges what others have
/// written and saves as a mount does.
final class OpenedAccess: EntryAccess {
  /// How many bytes are read at a time.
  private static let pieceSize = 1 << 17

  private let tree: VaultTree
  /// `nil` to read only.
  private let writer: VaultWriter?

  init(
    _ file: Path, for intent: AccessIntent, _ settings: Settings, leavingInput: Bool
  ) throws(Complaint) {
    switch intent {
    case .reading:
      writer = nil
      tree = try VaultCommands.open(file, settings, leavingInput: leavingInput)
    case .writing:
      let writer = try VaultWriter(file, settings, leavingInput: leavingInput)
      self.writer = writer
      tree = writer.tree
    }
  }

  private func call<R: ~Copyable>(
    _ path: Path, _ body: () throws(TreeError) -> R
  ) throws(Complaint) -> R {
    do throws(TreeError) { return try body() } catch { throw Complaint(Errno(error), path) }
  }

  private func node(_ path: Path) throws(TreeError) -> NodeID {
    try tree.resolve(path: path.bytes)
  }

  private func parent(_ path: Path) throws(TreeError) -> NodeID {
    path.bytes.contains(UInt8(ascii: "/")) ? try node(path.parent) : .root
  }

  // MARK: - Looking

  func kind(of path: Path) throws(Complaint) -> NodeKind? {
    try call(path) { () throws(TreeError) in
      do throws(TreeError) {
        return try tree.attributes(of: try node(path)).kind
      } catch  where error == .noEntry || error == .notDirectory {
        return nil
      }
    }
  }

  func names(in path: Path) throws(Complaint) -> [[UInt8]] {
    try call(path) { () throws(TreeError) in
      let handle = try tree.openDirectory(try node(path))
      defer { tree.releaseDirectory(handle) }
      return try tree.listNames(handle).map(\.name).sortedByBytes()
    }
  }

  func target(of link: Path) throws(Complaint) -> Path {
    let target = try call(link) { () throws(TreeError) in try tree.readLink(try node(link)) }
    return try VaultFinder.normalized(link.parent.appending(target).bytes)
  }

  func read(_ path: Path) throws(Complaint) -> WipedBuffer {
    try call(path) { () throws(TreeError) in
      let handle = try tree.open(try node(path), .read)
      defer { tree.release(handle) }
      var bytes = WipedBuffer()
      while true {
        let count = bytes.count
        try tree.read(handle, at: count, count: Self.pieceSize, into: &bytes)
        if bytes.count == count { return bytes }
      }
    }
  }

  func attribute(_ name: String, of path: Path) throws(Complaint) -> [UInt8]? {
    try call(path) { () throws(TreeError) in
      do throws(TreeError) {
        return try tree.extendedAttribute(Self.attributeName(name), of: try node(path))
      } catch  where error == .noData {
        return nil
      }
    }
  }

  private static func attributeName(_ name: String) -> [UInt8] { Array("user.kdbx.\(name)".utf8) }

  // MARK: - Changing

  func write(_ bytes: Span<UInt8>, to path: Path) throws(Complaint) {
    try call(path) { () throws(TreeError) in
      let handle: HandleID
      do throws(TreeError) {
        handle = try tree.open(try node(path), [.write, .truncate])
      } catch  where error == .noEntry {
        handle = try tree.create(path.lastComponent, in: try parent(path), [.write, .truncate]).1
      }
      defer { tree.release(handle) }
      _ = try tree.write(handle, at: 0, bytes, append: false)
      try tree.flush(handle)
    }
  }

  func makeDirectory(_ path: Path) throws(Complaint) {
    try call(path) { () throws(TreeError) in
      _ = try tree.makeDirectory(path.lastComponent, in: try parent(path))
    }
  }

  func rename(_ path: Path, to target: Path) throws(Complaint) {
    let source = try call(path) { () throws(TreeError) in
      _ = try node(path)
      return try parent(path)
    }
    try call(target) { () throws(TreeError) in
      try tree.rename(
        path.lastComponent, in: source, to: target.lastComponent, in: try parent(target))
    }
  }

  func remove(_ path: Path) throws(Complaint) {
    try call(path) { () throws(TreeError) in
      try tree.remove(path.lastComponent, in: try parent(path))
    }
  }

  func setAttribute(_ name: String, of path: Path, to value: [UInt8]) throws(Complaint) {
    try call(path) { () throws(TreeError) in
      try tree.setExtendedAttribute(Self.attributeName(name), of: try node(path), to: value)
    }
  }

  func ask(_ query: EntryQuery) throws(Complaint) -> JSONObject {
    do throws(SessionError) { return try query.answer(from: tree, saved: nil) } catch {
      throw Complaint(error)
    }
  }

  func finish() throws(Complaint) { try writer?.finish() }
}
