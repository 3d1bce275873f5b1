import Fuse
import Platform

/// The state of the ``MemoryFileSystem``: files by number, names, references of the kernel's.
struct MemoryTree {
  private(set) var nodes: [InodeNumber: MemoryNode] = [
    .root: MemoryNode(content: .directory([:]), permissions: 0o755, parent: .root)
  ]
  /// References of the kernel's that were counted and not taken back.
  private(set) var references: [InodeNumber: UInt64] = [:]
  private var nextInode: UInt64 = 2
  /// Listings of open directories.
  private var listings: [HandleNumber: [(name: [UInt8], inode: InodeNumber)]] = [:]
  private var nextHandle: UInt64 = 1

  func node(_ inode: InodeNumber) throws(Errno) -> MemoryNode {
    guard let node = nodes[inode] else { throw .stale }
    return node
  }

  mutating func change(_ inode: InodeNumber, _ body: (inout MemoryNode) -> Void) throws(Errno) {
    var node = try node(inode)
    body(&node)
    nodes[inode] = node
  }

  // MARK: References

  mutating func reference(_ inode: InodeNumber) { references[inode, default: 0] += 1 }

  mutating func forget(_ inode: InodeNumber, count: UInt64) {
    let held = references[inode, default: 0]
    precondition(held >= count, "the kernel gave back more references than it got")
    references[inode] = held == count ? nil : held - count
    dropIfUnused(inode)
  }

  private mutating func dropIfUnused(_ inode: InodeNumber) {
    if nodes[inode]?.linkCount == 0, references[inode] == nil { nodes[inode] = nil }
  }

  // MARK: Names

  func find(_ name: [UInt8], in directory: InodeNumber) throws(Errno) -> InodeNumber {
    guard let children = try node(directory).children else { throw .notDirectory }
    guard let inode = children[name] else { throw .noEntry }
    return inode
  }

  mutating func make(
    _ name: [UInt8], in directory: InodeNumber, _ content: MemoryNode.Content,
    permissions: UInt32
  ) throws(Errno) -> InodeNumber {
    guard let children = try node(directory).children else { throw .notDirectory }
    guard children[name] == nil else { throw .exists }
    let inode = InodeNumber(rawValue: nextInode)
    nextInode += 1
    nodes[inode] = MemoryNode(content: content, permissions: permissions, parent: directory)
    try put(inode, as: name, in: directory)
    return inode
  }

  mutating func link(
    _ inode: InodeNumber, as name: [UInt8], in directory: InodeNumber
  ) throws(Errno) {
    guard try node(directory).children?[name] == nil else { throw .exists }
    try change(inode) { $0.linkCount += 1 }
    try put(inode, as: name, in: directory)
  }

  mutating func remove(
    _ name: [UInt8], in directory: InodeNumber, isDirectory: Bool
  ) throws(Errno) {
    let inode = try find(name, in: directory)
    if let children = try node(inode).children {
      guard isDirectory else { throw .isDirectory }
      guard children.isEmpty else { throw .notEmpty }
    } else if isDirectory {
      throw .notDirectory
    }
    try put(nil, as: name, in: directory)
    try change(inode) { $0.linkCount -= 1 }
    dropIfUnused(inode)
  }

  mutating func rename(
    _ name: [UInt8], in directory: InodeNumber,
    to newName: [UInt8], in newDirectory: InodeNumber, _ flags: FileRenameFlags
  ) throws(Errno) {
    let inode = try find(name, in: directory)
    let target = try? find(newName, in: newDirectory)
    if flags.contains(.exchange) {
      guard let target else { throw .noEntry }
      try put(target, as: name, in: directory)
    } else {
      if let target {
        guard !flags.contains(.noReplace) else { throw .exists }
        try remove(newName, in: newDirectory, isDirectory: try node(target).children != nil)
      }
      try put(nil, as: name, in: directory)
    }
    try put(inode, as: newName, in: newDirectory)
  }

  private mutating func put(
    _ inode: InodeNumber?, as name: [UInt8], in directory: InodeNumber
  ) throws(Errno) {
    guard var children = try node(directory).children else { throw .notDirectory }
    children[name] = inode
    try change(directory) { $0.content = .directory(children) }
    if let inode { try change(inode) { $0.parent = directory } }
  }

  // MARK: Handles

  mutating func newHandle() -> HandleNumber {
    defer { nextHandle += 1 }
    return HandleNumber(rawValue: nextHandle)
  }

  mutating func openListing(of directory: InodeNumber) throws(Errno) -> HandleNumber {
    guard let children = try node(directory).children else { throw .notDirectory }
    let handle = newHandle()
    let parent = try node(directory).parent
    let names = children.sorted { $0.value.rawValue < $1.value.rawValue }
    listings[handle] =
      [(Array(".".utf8), directory), (Array("..".utf8), parent)]
      + names.map { (name: $0.key, inode: $0.value) }
    return handle
  }

  func listing(_ handle: HandleNumber) throws(Errno) -> [(name: [UInt8], inode: InodeNumber)] {
    guard let listing = listings[handle] else { throw .badDescriptor }
    return listing
  }

  mutating func close(_ handle: HandleNumber) { listings[handle] = nil }
}
