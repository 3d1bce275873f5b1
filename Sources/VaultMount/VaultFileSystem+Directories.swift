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
    let caching = listings.open(inode)
    let handle: HandleID
    do throws(TreeError) {
      handle = try tree.openDirectory(NodeID(inode))
    } catch {
      listings.close(inode)
      return reply.failure(Errno(error))
    }
    if !reply.opened(HandleNumber(handle), caching) {
      tree.releaseDirectory(handle)
      listings.close(inode)
    }
  }

  func readDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int, _ reply: consuming ListReply
  ) {
    let names: [DirectoryEntry]
    do throws(TreeError) {
      names = try tree.list(HandleID(handle))
    } catch {
      return reply.failure(Errno(error))
    }
    var reply = reply
    var next = offset
    while let item = Self.item(next, of: names) {
      next += 1
      let added =
        switch item {
        case .itself: reply.add(Self.dot, inode: inode, kind: .directory, next: next)
        case .above: reply.add(Self.dots, inode: Self.unknownInode, kind: .directory, next: next)
        case .entry(let entry):
          reply.add(
            entry.name, inode: InodeNumber(entry.node), kind: FileKind(entry.kind), next: next)
        }
      guard added else { break }
    }
    reply.finish()
  }

  /// Attributes are asked for anew, for those in the listing are as old as the handle.
  func readDirectoryPlus(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int,
    _ reply: consuming ListPlusReply
  ) {
    let names: [DirectoryEntry]
    do throws(TreeError) {
      names = try tree.list(HandleID(handle))
    } catch {
      return reply.failure(Errno(error))
    }
    var reply = reply
    var referenced: [NodeID] = []
    var next = offset
    while let item = Self.item(next, of: names) {
      next += 1
      let added: Bool
      switch item {
      case .itself:
        added = reply.addUnlinked(Self.dot, inode: inode, kind: .directory, next: next)
      case .above:
        added = reply.addUnlinked(
          Self.dots, inode: Self.unknownInode, kind: .directory, next: next)
      case .entry(let item):
        guard let attributes = try? tree.attributes(of: item.node) else {
          // Gone since the listing was made.
          added = reply.addUnlinked(
            item.name, inode: InodeNumber(item.node), kind: FileKind(item.kind), next: next)
          break
        }
        added = reply.add(item.name, entry(attributes), next: next)
        if added { referenced.append(item.node) }
      }
      guard added else { break }
    }
    // Counted before the answer: the kernel may give one back as soon as it has it.
    tree.reference(referenced)
    if !reply.finish() {
      for node in referenced { tree.forget(node, count: 1) }
    }
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

  private static let dot = Array(".".utf8)
  private static let dots = Array("..".utf8)

  /// One line of a listing.
  private enum Item {
    case itself
    case above
    case entry(DirectoryEntry)
  }

  /// The item at an offset, which is not negative; `nil` at the end.
  private static func item(_ offset: Int, of names: [DirectoryEntry]) -> Item? {
    switch offset {
    case 0: .itself
    case 1: .above
    default: offset - 2 < names.count ? .entry(names[offset - 2]) : nil
    }
  }
}
