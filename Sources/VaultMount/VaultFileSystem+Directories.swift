import Fuse
import Platform
import VaultTree

// Offsets of a listing: 0 is `.`, 1 is `..`, then the tree's names in their order. What the kernel
// remembers of a name is the offset behind it.

extension VaultFileSystem {
  /// What `..` shows as its inode: the number that libfuse gives where it knows none.
  ///
  /// Nobody needs it: the kernel itself goes up by what it knows.
  private static let unknownInode = InodeNumber(rawValue: 0xFFFF_FFFF)

  func openDirectory(_ inode: InodeNumber, _ reply: consuming OpenDirectoryReply) {
    openDirectory(inode, reply, unlockingWith: unlock)
  }

  private func openDirectory(
    _ inode: InodeNumber, _ reply: consuming OpenDirectoryReply, unlockingWith unlock: Unlock?
  ) {
    // What is in a view may change without anyone being told.
    let caching = NodeID(inode).isView ? .none : listings.open(inode)
    let handle: HandleID
    do throws(TreeError) {
      handle = try tree.openDirectory(NodeID(inode))
    } catch {
      listings.close(inode)
      guard error == .locked, let unlock else { return reply.failure(Errno(error)) }
      let held = HeldReply(reply)
      return unlock { _ in
        guard let reply = held.take() else { return }
        openDirectory(inode, reply, unlockingWith: nil)
      }
    }
    if !reply.opened(HandleNumber(handle), caching) {
      tree.releaseDirectory(handle)
      listings.close(inode)
    }
  }

  func readDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int, _ reply: consuming ListReply
  ) {
    var reply = reply
    let names: [ListedName]
    do throws(TreeError) {
      names = try tree.listNames(
        HandleID(handle), from: max(0, offset - Self.dots.count), atMost: reply.mostNames)
    } catch {
      return reply.failure(Errno(error))
    }
    var next = offset
    while next < Self.dots.count {
      let dots = Self.dots[next]
      next += 1
      _ = reply.add(dots, inode: Self.inode(of: dots, in: inode), kind: .directory, next: next)
    }
    for name in names {
      next += 1
      guard
        reply.add(name.name, inode: InodeNumber(name.node), kind: FileKind(name.kind), next: next)
      else { break }
    }
    reply.finish()
  }

  func readDirectoryPlus(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int,
    _ reply: consuming ListPlusReply
  ) {
    var reply = reply
    let entries: [DirectoryEntry]
    do throws(TreeError) {
      entries = try tree.list(
        HandleID(handle), from: max(0, offset - Self.dots.count), atMost: reply.mostNames)
    } catch {
      return reply.failure(Errno(error))
    }
    var next = offset
    while next < Self.dots.count {
      let dots = Self.dots[next]
      next += 1
      _ = reply.addUnlinked(
        dots, inode: Self.inode(of: dots, in: inode), kind: .directory, next: next)
    }
    var referenced: [NodeID] = []
    for item in entries {
      next += 1
      guard add(item, next: next, to: &reply) else { break }
      if !item.isGone { referenced.append(item.node) }
    }
    // Counted before the answer: the kernel may give one back as soon as it has it.
    tree.reference(referenced)
    if !reply.finish() {
      for node in referenced { tree.forget(node, count: 1) }
    }
  }

  /// Adds what the tree listed; what has gone since is a name only.
  private func add(_ item: DirectoryEntry, next: Int, to reply: inout ListPlusReply) -> Bool {
    item.isGone
      ? reply.addUnlinked(
        item.name, inode: InodeNumber(item.node), kind: FileKind(item.kind), next: next)
      : reply.add(item.name, entry(item.attributes), next: next)
  }

  func releaseDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) {
    tree.releaseDirectory(HandleID(handle))
    listings.close(inode)
    reply.success()
  }

  func synchronizeDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply
  ) {
    synchronize(inode, handle, reply)
  }

  /// What stands before the names of the tree.
  private static let dots = [Array(".".utf8), Array("..".utf8)]

  private static func inode(of dots: [UInt8], in directory: InodeNumber) -> InodeNumber {
    dots.count == 1 ? directory : unknownInode
  }
}
