import Fuse
import Platform
import Synchronization

/// A file system in memory that can do all that FUSE can ask for, for the tests of the layer below.
///
/// Some names do what a plain file system wouldn't, see ``MemoryFileSystem/Trick``.
final class MemoryFileSystem: FileSystem {
  /// Files with these names behave oddly.
  enum Trick: String {
    /// A read drops its reply.
    case dropsReply = "drops-reply"
    /// An fsync is never answered.
    case neverSynced = "never-synced"
    /// An fsync is answered on another thread after a while.
    case syncedLater = "synced-later"
    /// An fsync fails on another thread after a while.
    case syncFailsLater = "sync-fails-later"
    /// A write of `NAME` appends a byte to that file in the root, and tells the kernel at once.
    case growsBehind = "grows-behind"
    /// A write of `OLD NEW` renames in the root, and tells the kernel.
    case renamesBehind = "renames-behind"
    /// A write is taken and dropped, without a copy.
    case drops
    /// A write of `lazy` or `busy` unmounts on another thread after a while, lazily or not, and says
    /// `unmount ERRNO`.
    case unmounts
    /// A write stops the serving.
    case stops
    /// A write stops the serving on another thread after a while.
    case stopsLater = "stops-later"
    /// A read gives the number of references of the kernel's.
    case references
    /// A write of `NAME` makes an empty file in the root, and tells that the listing has changed.
    case makesBehind = "makes-behind"
  }

  private static let validForSeconds: Double = 3600

  private let tree = Mutex(MemoryTree())
  private let currentSession = Mutex<FuseSession?>(nil)
  /// Replies that wait for good.
  private let waiting = Mutex<[PendingReply]>([])

  /// The session that serves this, to tell the kernel what has changed.
  var session: FuseSession? {
    get { currentSession.withLock { $0 } }
    set { currentSession.withLock { $0 = newValue } }
  }

  /// The references of the kernel's that were counted and not taken back.
  var referenceCount: UInt64 { tree.withLock { $0.references.values.reduce(0, +) } }

  private func with<Result: Sendable>(
    _ body: (inout MemoryTree) throws(Errno) -> Result
  ) throws(Errno) -> Result {
    try tree.withLock { (tree) throws(Errno) in try body(&tree) }
  }

  private static func entry(_ attributes: FileAttributes) -> Entry {
    Entry(
      attributes, attributesValidForSeconds: validForSeconds, nameValidForSeconds: validForSeconds)
  }

  /// Answers with what `find` finds, and counts the reference.
  private func answer(
    _ reply: consuming EntryReply, _ find: (inout MemoryTree) throws(Errno) -> InodeNumber
  ) {
    let attributes: FileAttributes
    do throws(Errno) {
      attributes = try with { (tree) throws(Errno) in
        let inode = try find(&tree)
        tree.reference(inode)
        return try tree.node(inode).attributes(inode)
      }
    } catch {
      return reply.failure(error)
    }
    if !reply.entry(Self.entry(attributes)) { forget(attributes.inode, count: 1) }
  }

  private func answer(
    _ reply: consuming EmptyReply, _ body: (inout MemoryTree) throws(Errno) -> Void
  ) {
    do throws(Errno) { try with(body) } catch { return reply.failure(error) }
    reply.success()
  }

  // MARK: Looking

  func lookup(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EntryReply) {
    answer(reply) { (tree) throws(Errno) in try tree.find(name, in: directory) }
  }

  func forget(_ inode: InodeNumber, count: UInt64) {
    // The root has a reference from the start that no lookup has made.
    guard inode != .root else { return }
    tree.withLock { $0.forget(inode, count: count) }
  }

  func attributes(
    of inode: InodeNumber, handle: HandleNumber?, _ reply: consuming AttributesReply
  ) {
    do throws(Errno) {
      let attributes = try with { (tree) throws(Errno) in try tree.node(inode).attributes(inode) }
      reply.attributes(attributes, validForSeconds: Self.validForSeconds)
    } catch {
      reply.failure(error)
    }
  }

  func setAttributes(
    of inode: InodeNumber, handle: HandleNumber?, to changes: AttributeChanges,
    _ reply: consuming AttributesReply
  ) {
    let attributes: FileAttributes
    do throws(Errno) {
      attributes = try with { (tree) throws(Errno) in
        try tree.change(inode) { $0.apply(changes) }
        return try tree.node(inode).attributes(inode)
      }
    } catch {
      return reply.failure(error)
    }
    reply.attributes(attributes, validForSeconds: Self.validForSeconds)
  }

  func readLink(_ inode: InodeNumber, _ reply: consuming LinkTargetReply) {
    guard case .link(let target) = tree.withLock({ $0.nodes[inode]?.content }) else {
      return reply.failure(.invalid)
    }
    reply.target(target)
  }

  func statistics(of inode: InodeNumber, _ reply: consuming StatisticsReply) {
    reply.statistics(
      FileSystemStatistics(blockSize: 4096, blocks: 1000, freeBlocks: 600, nameLength: 255))
  }

  // MARK: Names

  func makeNode(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply
  ) { reply.failure(.notPermitted) }

  func makeDirectory(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply
  ) {
    answer(reply) { (tree) throws(Errno) in
      try tree.make(name, in: directory, .directory([:]), permissions: mode)
    }
  }

  func makeSymbolicLink(
    _ name: [UInt8], in directory: InodeNumber, target: [UInt8], _ reply: consuming EntryReply
  ) {
    answer(reply) { (tree) throws(Errno) in
      try tree.make(name, in: directory, .link(target), permissions: 0o777)
    }
  }

  func makeLink(
    _ name: [UInt8], in directory: InodeNumber, to inode: InodeNumber,
    _ reply: consuming EntryReply
  ) {
    answer(reply) { (tree) throws(Errno) in
      try tree.link(inode, as: name, in: directory)
      return inode
    }
  }

  func removeFile(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply) {
    answer(reply) { (tree) throws(Errno) in
      try tree.remove(name, in: directory, isDirectory: false)
    }
  }

  func removeDirectory(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply) {
    answer(reply) { (tree) throws(Errno) in
      try tree.remove(name, in: directory, isDirectory: true)
    }
  }

  func rename(
    _ name: [UInt8], in directory: InodeNumber,
    to newName: [UInt8], in newDirectory: InodeNumber, _ flags: FileRenameFlags,
    _ reply: consuming EmptyReply
  ) {
    answer(reply) { (tree) throws(Errno) in
      try tree.rename(name, in: directory, to: newName, in: newDirectory, flags)
    }
  }

  // MARK: Files

  func create(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ flags: FileOpenFlags,
    _ reply: consuming CreateReply
  ) {
    let made: (attributes: FileAttributes, handle: HandleNumber)
    do throws(Errno) {
      made = try with { (tree) throws(Errno) in
        let inode = try tree.make(name, in: directory, .file([]), permissions: mode)
        tree.reference(inode)
        return (try tree.node(inode).attributes(inode), tree.newHandle())
      }
    } catch {
      return reply.failure(error)
    }
    if !reply.created(Self.entry(made.attributes), made.handle) {
      forget(made.attributes.inode, count: 1)
    }
  }

  func open(_ inode: InodeNumber, _ flags: FileOpenFlags, _ reply: consuming OpenReply) {
    let handle: HandleNumber
    do throws(Errno) {
      handle = try with { (tree) throws(Errno) in
        if flags.contains(.truncate) { try tree.change(inode) { $0.content = .file([]) } }
        return tree.newHandle()
      }
    } catch {
      return reply.failure(error)
    }
    _ = reply.opened(handle)
  }

  func read(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, count: Int,
    _ reply: consuming DataReply
  ) {
    var bytes: [UInt8] = []
    switch trick(of: inode) {
    case .dropsReply: return
    case .references: bytes = Array("\(referenceCount)\n".utf8)
    default: bytes = tree.withLock { $0.nodes[inode]?.bytes } ?? []
    }
    let part = bytes[min(offset, bytes.count)...].prefix(count)
    reply.bytes(part.span)
  }

  func write(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, _ bytes: Span<UInt8>,
    appends: Bool, _ reply: consuming WriteReply
  ) {
    let trick = trick(of: inode)
    if trick == .drops { return reply.written(bytes.count) }
    var written: [UInt8] = []
    written.reserveCapacity(bytes.count)
    for i in bytes.indices { written.append(bytes[i]) }
    if let trick { return perform(trick, written, reply) }
    do throws(Errno) {
      try with { (tree) throws(Errno) in
        try tree.change(inode) { $0.write(written, at: appends ? nil : offset) }
      }
    } catch {
      return reply.failure(error)
    }
    reply.written(written.count)
  }

  func flush(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply) {
    reply.success()
  }

  func synchronize(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply) {
    switch trick(of: inode) {
    case .neverSynced:
      let pending = PendingReply(reply)
      waiting.withLock { $0.append(pending) }
    case .syncedLater: finishLater(PendingReply(reply), nil)
    case .syncFailsLater: finishLater(PendingReply(reply), .noSpace)
    default: reply.success()
    }
  }

  // MARK: Directories

  func openDirectory(_ inode: InodeNumber, _ reply: consuming OpenDirectoryReply) {
    let handle: HandleNumber
    do throws(Errno) {
      handle = try with { (tree) throws(Errno) in try tree.openListing(of: inode) }
    } catch {
      return reply.failure(error)
    }
    // Kept for good: what changes behind the kernel's back is told.
    _ = reply.opened(handle, DirectoryCaching(fillsCache: true, keepsCache: true))
  }

  func readDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int, _ reply: consuming ListReply
  ) {
    var reply = reply
    do throws(Errno) {
      let (listing, nodes) = try with { (tree) throws(Errno) in
        (try tree.listing(handle), tree.nodes)
      }
      for (i, item) in listing.enumerated().dropFirst(offset) {
        let kind = nodes[item.inode]?.kind ?? .regular
        guard reply.add(item.name, inode: item.inode, kind: kind, next: i + 1) else { break }
      }
    } catch {
      return reply.failure(error)
    }
    reply.finish()
  }

  func readDirectoryPlus(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int,
    _ reply: consuming ListPlusReply
  ) {
    var reply = reply
    var referenced: [InodeNumber] = []
    do throws(Errno) {
      let (listing, nodes) = try with { (tree) throws(Errno) in
        (try tree.listing(handle), tree.nodes)
      }
      for (i, item) in listing.enumerated().dropFirst(offset) {
        guard i > 1, let node = nodes[item.inode] else {
          guard
            reply.addUnlinked(item.name, inode: item.inode, kind: .directory, next: i + 1)
          else { break }
          continue
        }
        let entry = Self.entry(node.attributes(item.inode))
        guard reply.add(item.name, entry, next: i + 1) else { break }
        referenced.append(item.inode)
      }
    } catch {
      return reply.failure(error)
    }
    tree.withLock { tree in for inode in referenced { tree.reference(inode) } }
    if !reply.finish() { for inode in referenced { forget(inode, count: 1) } }
  }

  func releaseDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) {
    tree.withLock { $0.close(handle) }
    reply.success()
  }

  // MARK: Extended attributes

  func extendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply
  ) {
    guard let value = tree.withLock({ $0.nodes[inode]?.attributes[name] }) else {
      return reply.failure(.noData)
    }
    reply.value(value.span)
  }

  func extendedAttributes(of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply) {
    let names = tree.withLock { tree in (tree.nodes[inode]?.attributes ?? [:]).keys.map { $0 } }
    reply.value([UInt8](names.map { $0 + [0] }.joined()).span)
  }

  func setExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: Span<UInt8>, _ reply: consuming EmptyReply
  ) {
    var bytes: [UInt8] = []
    for i in value.indices { bytes.append(value[i]) }
    answer(reply) { (tree) throws(Errno) in
      try tree.change(inode) { $0.attributes[name] = bytes }
    }
  }

  func removeExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming EmptyReply
  ) {
    answer(reply) { (tree) throws(Errno) in
      try tree.change(inode) { $0.attributes[name] = nil }
    }
  }
}

// MARK: - Tricks

extension MemoryFileSystem {
  private func trick(of inode: InodeNumber) -> Trick? {
    tree.withLock { tree in
      guard let node = tree.nodes[inode],
        let name = tree.nodes[node.parent]?.children?.first(where: { $0.value == inode })?.key
      else { return nil }
      return Trick(rawValue: String(decoding: name, as: UTF8.self))
    }
  }

  private func perform(_ trick: Trick, _ written: [UInt8], _ reply: consuming WriteReply) {
    let words = written.split { $0 == 0x20 || $0 == 0x0A }.map { Array($0) }
    do throws(Errno) {
      switch trick {
      case .growsBehind: try grow(words[0])
      case .renamesBehind: try rename(words[0], to: words[1])
      case .makesBehind: try make(words[0])
      case .unmounts: try unmountLater(lazily: words[0] == Array("lazy".utf8))
      case .stops: session?.stop()
      case .stopsLater: try stopLater()
      case .references, .drops, .dropsReply, .neverSynced, .syncedLater, .syncFailsLater: break
      }
    } catch {
      return reply.failure(error)
    }
    reply.written(written.count)
  }

  private func grow(_ name: [UInt8]) throws(Errno) {
    let inode = try with { (tree) throws(Errno) in
      let inode = try tree.find(name, in: .root)
      try tree.change(inode) { $0.write([0x2B], at: nil) }
      return inode
    }
    session?.invalidateAttributes(of: inode)
  }

  private func rename(_ name: [UInt8], to newName: [UInt8]) throws(Errno) {
    try with { (tree) throws(Errno) in
      try tree.rename(name, in: .root, to: newName, in: .root, [])
    }
    session?.invalidateName(name, in: .root)
    session?.invalidateName(newName, in: .root)
  }

  private func make(_ name: [UInt8]) throws(Errno) {
    _ = try with { (tree) throws(Errno) in
      try tree.make(name, in: .root, .file([]), permissions: 0o600)
    }
    session?.invalidateContent(of: .root)
  }

  private func stopLater() throws(Errno) {
    let session = session
    _ = try Thread.start(name: "stop") {
      _ = try? poll([], milliseconds: 300)
      session?.stop()
    }
  }

  private func unmountLater(lazily: Bool) throws(Errno) {
    let session = session
    _ = try Thread.start(name: "unmount") {
      _ = try? poll([], milliseconds: 100)
      var result = Errno(rawValue: 0)
      do throws(Errno) { try session?.unmount(lazily: lazily) } catch { result = error }
      StandardStream.output.say("unmount \(result.rawValue)")
    }
  }

  private func finishLater(_ reply: PendingReply, _ error: Errno?) {
    do throws(Errno) {
      _ = try Thread.start(name: "later") {
        _ = try? poll([], milliseconds: 100)
        reply.finish(error)
      }
    } catch {
      reply.finish(error)
    }
  }
}

extension MemoryNode {
  mutating func apply(_ changes: AttributeChanges) {
    if let size = changes.size, let bytes {
      content = .file(
        bytes.prefix(size) + [UInt8](repeating: 0, count: max(0, size - bytes.count)))
    }
    if let new = changes.permissions { permissions = new }
    if case .at(let time) = changes.modified { modified = time }
  }

  /// Writes at `offset`, or at the end for `nil`.
  mutating func write(_ new: [UInt8], at offset: Int?) {
    guard var bytes else { return }
    let start = offset ?? bytes.count
    if bytes.count < start + new.count {
      bytes += [UInt8](repeating: 0, count: start + new.count - bytes.count)
    }
    bytes.replaceSubrange(start..<(start + new.count), with: new)
    content = .file(bytes)
  }
}
