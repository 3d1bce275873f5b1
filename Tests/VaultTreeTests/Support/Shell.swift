import ByteCoding
import KDBX
import Secrets
import Synchronization
import Vault

@testable import VaultTree

/// A clock that tests set.
final class TestClock: Sendable {
  private let nanoseconds = Mutex<Int64>((Fixture.time + 1_000_000) * 1_000_000_000)

  func advance(seconds: Double) {
    nanoseconds.withLock { $0 += Int64(seconds * 1_000_000_000) }
  }

  var now: Timestamp {
    let value = nanoseconds.withLock { $0 }
    return Timestamp(
      seconds: value / 1_000_000_000, nanoseconds: Int32(value % 1_000_000_000))
  }

  var monotonic: Int64 { nanoseconds.withLock { $0 } }
}

/// A process that works in a tree by paths, with the calls that the kernel makes of its system calls.
final class Shell {
  let tree: VaultTree
  let clock: TestClock
  let invalidations = InvalidationLog()
  /// How often the tree asked to be saved.
  let wishes = WishCounter()
  /// Who the calls come from.
  var origin: RequestOrigin?

  final class InvalidationLog: Sendable {
    private let all = Mutex<[Invalidation]>([])
    func add(_ new: [Invalidation]) { all.withLock { $0 += new } }
    /// What was told since this was last asked.
    func take() -> [Invalidation] {
      all.withLock { all in
        let taken = all
        all = []
        return taken
      }
    }
  }

  final class WishCounter: Sendable {
    private let count = Mutex(0)
    func add() { count.withLock { $0 += 1 } }
    func take() -> Int {
      count.withLock { count in
        let taken = count
        count = 0
        return taken
      }
    }
  }

  init(
    _ vault: Vault, clock: TestClock = TestClock(), _ change: (inout TreeOptions) -> Void = { _ in }
  ) {
    self.clock = clock
    var options = TreeOptions(now: { clock.now }, monotonic: { clock.monotonic })
    change(&options)
    tree = VaultTree(vault, options: options)
    let (log, wishes) = (invalidations, wishes)
    tree.setInvalidationHandler { log.add($0) }
    tree.setChangeHandler { wishes.add() }
  }

  // MARK: - Paths

  private func split(_ path: String) -> (directory: [UInt8], name: [UInt8]) {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return ([], bytes) }
    return (Array(bytes[..<slash]), Array(bytes[(slash + 1)...]))
  }

  func node(_ path: String) throws(TreeError) -> NodeID {
    try tree.resolve(path: Array(path.utf8))
  }

  private func parent(_ path: String) throws(TreeError) -> (NodeID, [UInt8]) {
    let (directory, name) = split(path)
    return (try tree.resolve(path: directory), name)
  }

  // MARK: - System calls

  func open(
    _ path: String, _ flags: OpenFlags, create: Bool = false
  ) throws(TreeError) -> HandleID {
    let (directory, name) = try parent(path)
    do throws(TreeError) {
      let node = try tree.lookup(name, in: directory).node
      guard !(create && flags.contains(.exclusive)) else { throw .exists }
      return try tree.open(node, flags, by: origin)
    } catch {
      guard error == .noEntry, create else { throw error }
      return try tree.create(name, in: directory, flags, by: origin).1
    }
  }

  @discardableResult
  func write(
    _ handle: HandleID, _ text: String, at offset: Int = 0, append: Bool = false
  ) throws(TreeError) -> Int {
    try tree.write(handle, at: offset, Array(text.utf8).span, append: append, by: origin)
  }

  func read(_ handle: HandleID) throws(TreeError) -> String {
    var buffer = WipedBuffer()
    try tree.read(handle, at: 0, count: 1 << 20, into: &buffer, by: origin)
    return String(decoding: buffer.bytes.copied(), as: UTF8.self)
  }

  func fsync(_ handle: HandleID) throws(TreeError) {
    if try tree.synchronize(handle) == .save { save(.fsync) }
  }

  /// What `close` does: the error of the flush, and the release all the same.
  func close(_ handle: HandleID) throws(TreeError) {
    defer { tree.release(handle) }
    try tree.flush(handle)
  }

  func unlink(_ path: String) throws(TreeError) {
    let (directory, name) = try parent(path)
    try tree.remove(name, in: directory, by: origin)
  }

  func rmdir(_ path: String) throws(TreeError) {
    let (directory, name) = try parent(path)
    try tree.removeDirectory(name, in: directory, by: origin)
  }

  @discardableResult
  func mkdir(_ path: String) throws(TreeError) -> NodeID {
    let (directory, name) = try parent(path)
    return try tree.makeDirectory(name, in: directory).node
  }

  func rename(
    _ path: String, _ newPath: String, _ flags: RenameFlags = []
  ) throws(TreeError) {
    let (directory, name) = try parent(path)
    let (newDirectory, newName) = try parent(newPath)
    try tree.rename(name, in: directory, to: newName, in: newDirectory, flags, by: origin)
  }

  func symlink(_ target: String, _ path: String) throws(TreeError) {
    let (directory, name) = try parent(path)
    _ = try tree.symbolicLink(name, in: directory, target: Array(target.utf8))
  }

  func link(_ path: String, _ newPath: String) throws(TreeError) {
    let (directory, name) = try parent(newPath)
    _ = try tree.link(try node(path), to: name, in: directory)
  }

  func truncate(_ path: String, to size: Int) throws(TreeError) {
    _ = try tree.setAttributes(
      of: try node(path), handle: nil, AttributeChange(size: size), by: origin)
  }

  func chmod(_ path: String) throws(TreeError) {
    _ = try tree.setAttributes(
      of: try node(path), handle: nil, AttributeChange(changesMode: true, changesTimes: true))
  }

  func stat(_ path: String) throws(TreeError) -> NodeAttributes {
    let (directory, name) = try parent(path)
    return try tree.lookup(name, in: directory)
  }

  // MARK: - Programs

  func ls(_ path: String) throws(TreeError) -> [String] {
    let handle = try tree.openDirectory(try node(path))
    defer { tree.releaseDirectory(handle) }
    return try tree.list(handle).map { String(decoding: $0.name, as: UTF8.self) }
  }

  func cat(_ path: String) throws(TreeError) -> String {
    String(decoding: try bytes(path), as: UTF8.self)
  }

  func bytes(_ path: String) throws(TreeError) -> [UInt8] {
    let handle = try open(path, .read)
    defer { tree.release(handle) }
    var buffer = WipedBuffer()
    try tree.read(handle, at: 0, count: 1 << 30, into: &buffer, by: origin)
    return buffer.bytes.copied()
  }

  /// `cmd > path`: the shell closes the first descriptor before the command writes, so a FLUSH comes
  /// first.
  func redirect(
    _ path: String, _ pieces: String..., append: Bool = false
  ) throws(TreeError) {
    let flags: OpenFlags = append ? [.write, .append] : [.write, .truncate]
    let handle = try open(path, flags, create: true)
    try tree.flush(handle)
    defer { tree.release(handle) }
    var offset = 0
    for piece in pieces {
      offset += try write(handle, piece, at: offset, append: append)
    }
    try tree.flush(handle)
  }

  /// Writes a file as `cp` does.
  func copy(
    _ bytes: [UInt8], to path: String, _ flags: OpenFlags = [.write, .truncate]
  ) throws(TreeError) {
    let handle = try open(path, flags, create: true)
    defer { tree.release(handle) }
    var offset = 0
    while offset < bytes.count {
      let end = min(offset + 131_072, bytes.count)
      let piece = bytes.span.extracting(offset..<end)
      offset += try tree.write(handle, at: offset, piece, append: false)
    }
    try tree.flush(handle)
  }

  /// `rm -r`: everything in the directory, then itself.
  func removeAll(_ path: String) throws(TreeError) {
    let handle = try tree.openDirectory(try node(path))
    let entries = try tree.list(handle)
    for entry in entries {
      let inner = path + "/" + String(decoding: entry.name, as: UTF8.self)
      if entry.kind == .directory { try removeAll(inner) } else { try unlink(inner) }
    }
    tree.releaseDirectory(handle)
    try rmdir(path)
  }

  // MARK: - Saving

  /// Saves; says whether there was anything to save.
  @discardableResult
  func save(_ reason: SaveReason = .save) -> Bool {
    guard let prepared = tree.prepareSave(reason) else { return false }
    tree.finishSave(prepared, succeeded: true)
    return true
  }

  /// The same vault, mounted again.
  func remounted() -> Shell {
    save(.unmount)
    return Shell(tree.vault, clock: clock)
  }

  // MARK: - The vault

  var document: Document { tree.vault.document }

  /// The entry of that title; of several any.
  func entry(_ title: String) -> Entry? {
    let wanted = Array(title.utf8)
    let document = document
    return document.allEntries.lazy.map { document.entry($0) }.first {
      document.values.bytes(of: $0.string(FieldKey.title)?.value ?? .empty) == wanted
    }
  }

  /// What a field holds in the vault; nil where there is none.
  func field(_ key: String, of entry: Entry?) -> String? {
    guard let value = entry?.string(Array(key.utf8))?.value else { return nil }
    return String(decoding: document.values.bytes(of: value), as: UTF8.self)
  }

  func field(_ key: String, of title: String) -> String? { field(key, of: entry(title)) }

  /// The keys of an entry in the vault.
  func keys(of title: String) -> [String] {
    entry(title)?.strings.map { String(decoding: $0.key, as: UTF8.self) } ?? []
  }

  /// The groups from the root to where an entry lies.
  func groups(of title: String) -> [String] {
    let wanted = Array(title.utf8)
    let document = document
    for id in document.allEntries
    where document.summary(of: .entry(id)).name == wanted {
      var path: [String] = []
      var next = document.parent(of: .entry(id))
      while let group = next, group != document.root {
        path.insert(String(decoding: document.group(group).name, as: UTF8.self), at: 0)
        next = document.parent(of: .group(group))
      }
      return path
    }
    return []
  }
}
