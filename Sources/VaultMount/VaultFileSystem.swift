import Fuse
import Platform
import Secrets
import Session
import VaultTree

/// The tree of a vault as a file system: each request is one call of the tree's.
///
/// What a name leads to and what `stat` shows are cached by the kernel for long; the tree tells what has
/// changed (``VaultMount``). That a name leads nowhere is cached too, for a moment.
struct VaultFileSystem: FileSystem {
  /// Saves the vault for an `fsync`, and tells when it is on disk or why it isn't.
  typealias Save = @Sendable (_ completion: @escaping @Sendable (Errno?) -> Void) -> Void

  /// How long the kernel believes names and attributes: until it is told otherwise, practically.
  static let validForSeconds: Double = 3600

  /// How long the kernel believes that a name leads nowhere: programs ask for the same ones again and
  /// again.
  ///
  /// Short, because a locked tree doesn't say so of any name.
  static let absentForSeconds: Double = 1

  let tree: VaultTree
  let listings: ListingCache
  let owner: Owner
  let save: Save
  /// Has a locked vault unlocked by a person, and tells whether it is open now; `nil`: nobody is asked.
  typealias Unlock = @Sendable (_ completion: @escaping @Sendable (Bool) -> Void) -> Void
  let unlock: Unlock?
  /// Told of what counts for the idle lock (`docs/locking.md`).
  let lastUse: LastUse

  /// What the kernel is told of a node, and for how long it may believe it.
  func entry(_ attributes: NodeAttributes) -> Entry {
    Entry(
      FileAttributes(attributes, owner: owner),
      attributesValidForSeconds: attributes.unsettled ? 0 : Self.validForSeconds,
      nameValidForSeconds: attributes.isView ? 0 : Self.validForSeconds)
  }

  /// Answers with a node of a new name, to which a reference of the kernel's has been counted.
  private func answer(
    _ attributes: NodeAttributes, newIn directory: InodeNumber, _ reply: consuming EntryReply
  ) {
    listings.change(directory)
    answer(attributes, reply)
  }

  /// Answers with a node to which a reference of the kernel's has been counted.
  private func answer(_ attributes: NodeAttributes, _ reply: consuming EntryReply) {
    if !reply.entry(entry(attributes)) { tree.forget(attributes.node, count: 1) }
  }

  /// Answers whether `body` went well.
  private func answer(
    _ reply: consuming EmptyReply, _ body: () throws(TreeError) -> Void
  ) {
    do throws(TreeError) { try body() } catch { return reply.failure(Errno(error)) }
    reply.success()
  }
}

// MARK: - Looking

extension VaultFileSystem {
  func lookup(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EntryReply) {
    lookup(name, in: directory, reply, unlockingWith: unlock)
  }

  /// Every path into a locked tree begins with a lookup or with the listing of the root: these wait for
  /// a person, once.
  private func lookup(
    _ name: [UInt8], in directory: InodeNumber, _ reply: consuming EntryReply,
    unlockingWith unlock: Unlock?
  ) {
    let found: NodeAttributes
    do throws(TreeError) {
      found = try tree.lookup(name, in: NodeID(directory))
    } catch {
      if error == .locked, let unlock {
        let held = HeldReply(reply)
        return unlock { _ in
          guard let reply = held.take() else { return }
          lookup(name, in: directory, reply, unlockingWith: nil)
        }
      }
      if error == .noEntry, VaultTree.staysAbsent(name, in: NodeID(directory)) {
        return reply.absent(validForSeconds: Self.absentForSeconds)
      }
      return reply.failure(Errno(error))
    }
    answer(found, reply)
  }

  func forget(_ inode: InodeNumber, count: UInt64) {
    tree.forget(NodeID(inode), count: count)
    listings.forget(inode)
  }

  func attributes(
    of inode: InodeNumber, handle: HandleNumber?, _ reply: consuming AttributesReply
  ) {
    let found: NodeAttributes
    do throws(TreeError) {
      found = try tree.attributes(of: NodeID(inode), handle: handle.map { HandleID($0) })
    } catch {
      return reply.failure(Errno(error))
    }
    answer(found, reply)
  }

  func setAttributes(
    of inode: InodeNumber, handle: HandleNumber?, to changes: AttributeChanges,
    _ reply: consuming AttributesReply
  ) {
    lastUse.note()
    let found: NodeAttributes
    do throws(TreeError) {
      found = try tree.setAttributes(
        of: NodeID(inode), handle: handle.map { HandleID($0) },
        AttributeChange(changes, owner: owner), by: RequestOrigin(reply.caller))
    } catch {
      return reply.failure(Errno(error))
    }
    answer(found, reply)
  }

  private func answer(_ attributes: NodeAttributes, _ reply: consuming AttributesReply) {
    reply.attributes(
      FileAttributes(attributes, owner: owner),
      validForSeconds: attributes.unsettled ? 0 : Self.validForSeconds)
  }

  func readLink(_ inode: InodeNumber, _ reply: consuming LinkTargetReply) {
    let target: [UInt8]
    do throws(TreeError) {
      target = try tree.readLink(NodeID(inode))
    } catch {
      return reply.failure(Errno(error))
    }
    reply.target(target)
  }

  func statistics(of inode: InodeNumber, _ reply: consuming StatisticsReply) {
    let statistics = tree.statistics()
    let blockSize = 4096
    reply.statistics(
      FileSystemStatistics(
        blockSize: blockSize, blocks: statistics.capacity / blockSize,
        freeBlocks: statistics.free / blockSize, nameLength: statistics.nameLength))
  }
}

// MARK: - Names

extension VaultFileSystem {
  /// No devices, pipes and sockets in a vault; regular files are made by `create`.
  func makeNode(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply
  ) {
    reply.failure(.notPermitted)
  }

  func makeDirectory(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ reply: consuming EntryReply
  ) {
    lastUse.note()
    let made: NodeAttributes
    do throws(TreeError) {
      made = try tree.makeDirectory(name, in: NodeID(directory))
    } catch {
      return reply.failure(Errno(error))
    }
    answer(made, newIn: directory, reply)
  }

  func makeSymbolicLink(
    _ name: [UInt8], in directory: InodeNumber, target: [UInt8], _ reply: consuming EntryReply
  ) {
    lastUse.note()
    let made: NodeAttributes
    do throws(TreeError) {
      made = try tree.symbolicLink(name, in: NodeID(directory), target: target)
    } catch {
      return reply.failure(Errno(error))
    }
    answer(made, newIn: directory, reply)
  }

  func makeLink(
    _ name: [UInt8], in directory: InodeNumber, to inode: InodeNumber,
    _ reply: consuming EntryReply
  ) {
    lastUse.note()
    let made: NodeAttributes
    do throws(TreeError) {
      made = try tree.link(NodeID(inode), to: name, in: NodeID(directory))
    } catch {
      return reply.failure(Errno(error))
    }
    answer(made, newIn: directory, reply)
  }

  func removeFile(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply) {
    lastUse.note()
    let origin = RequestOrigin(reply.caller)
    answer(reply) { () throws(TreeError) in
      try tree.remove(name, in: NodeID(directory), by: origin)
      listings.change(directory)
    }
  }

  func removeDirectory(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EmptyReply) {
    lastUse.note()
    let origin = RequestOrigin(reply.caller)
    answer(reply) { () throws(TreeError) in
      try tree.removeDirectory(name, in: NodeID(directory), by: origin)
      listings.change(directory)
    }
  }

  func rename(
    _ name: [UInt8], in directory: InodeNumber,
    to newName: [UInt8], in newDirectory: InodeNumber, _ flags: FileRenameFlags,
    _ reply: consuming EmptyReply
  ) {
    lastUse.note()
    guard let flags = RenameFlags(flags) else { return reply.failure(.invalid) }
    let origin = RequestOrigin(reply.caller)
    answer(reply) { () throws(TreeError) in
      try tree.rename(
        name, in: NodeID(directory), to: newName, in: NodeID(newDirectory), flags, by: origin)
      listings.change(directory)
      listings.change(newDirectory)
    }
  }
}

// MARK: - Files

extension VaultFileSystem {
  func create(
    _ name: [UInt8], in directory: InodeNumber, mode: UInt32, _ flags: FileOpenFlags,
    _ reply: consuming CreateReply
  ) {
    lastUse.note()
    let made: (attributes: NodeAttributes, handle: HandleID)
    do throws(TreeError) {
      made = try tree.create(
        name, in: NodeID(directory), OpenFlags(flags), by: RequestOrigin(reply.caller))
    } catch {
      return reply.failure(Errno(error))
    }
    listings.change(directory)
    if !reply.created(entry(made.attributes), HandleNumber(made.handle)) {
      tree.release(made.handle)
      tree.forget(made.attributes.node, count: 1)
    }
  }

  func open(_ inode: InodeNumber, _ flags: FileOpenFlags, _ reply: consuming OpenReply) {
    if VaultTree.countsAsUse(NodeID(inode)) { lastUse.note() }
    let handle: HandleID
    do throws(TreeError) {
      handle = try tree.open(
        NodeID(inode), OpenFlags(flags), by: RequestOrigin(reply.caller))
    } catch {
      return reply.failure(Errno(error))
    }
    let isFlushed = flags.contains(.write) || flags.contains(.truncate)
    if !reply.opened(HandleNumber(handle), isFlushed: isFlushed) { tree.release(handle) }
  }

  func read(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, count: Int,
    _ reply: consuming DataReply
  ) {
    if VaultTree.countsAsUse(NodeID(inode)) { lastUse.note() }
    var buffer = WipedBuffer(capacity: min(count, 256))
    do throws(TreeError) {
      try tree.read(
        HandleID(handle), at: offset, count: count, into: &buffer, by: RequestOrigin(reply.caller))
    } catch {
      return reply.failure(Errno(error))
    }
    reply.bytes(buffer.bytes)
  }

  func write(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, _ bytes: Span<UInt8>,
    appends: Bool, _ reply: consuming WriteReply
  ) {
    lastUse.note()
    let count: Int
    do throws(TreeError) {
      count = try tree.write(
        HandleID(handle), at: offset, bytes, append: appends, by: RequestOrigin(reply.caller))
    } catch {
      return reply.failure(Errno(error))
    }
    reply.written(count)
  }

  func flush(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply) {
    answer(reply) { () throws(TreeError) in try tree.flush(HandleID(handle)) }
  }

  func release(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply) {
    tree.release(HandleID(handle))
    reply.success()
  }

  /// Answered when the vault is saved; the thread that serves is free meanwhile.
  func synchronize(_ inode: InodeNumber, _ handle: HandleNumber, _ reply: consuming EmptyReply) {
    let need: SyncNeed
    do throws(TreeError) {
      need = try tree.synchronize(HandleID(handle))
    } catch {
      return reply.failure(Errno(error))
    }
    switch need {
    case .nothing:
      reply.success()
    case .save:
      let pending = PendingReply(reply)
      save { error in pending.finish(error) }
    }
  }
}

// MARK: - Extended attributes

extension VaultFileSystem {
  func extendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply
  ) {
    let value: [UInt8]
    do throws(TreeError) {
      value = try tree.extendedAttribute(
        name, of: NodeID(inode), by: RequestOrigin(reply.caller))
    } catch {
      return reply.failure(Errno(error))
    }
    reply.value(value.span)
  }

  func extendedAttributes(of inode: InodeNumber, _ reply: consuming ExtendedAttributeReply) {
    let names: [[UInt8]]
    do throws(TreeError) {
      names = try tree.extendedAttributes(of: NodeID(inode))
    } catch {
      return reply.failure(Errno(error))
    }
    let list = [UInt8](names.map { $0 + [0] }.joined())
    reply.value(list.span)
  }

  func setExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, to value: Span<UInt8>, _ reply: consuming EmptyReply
  ) {
    lastUse.note()
    // Copied: the values that can be set are a digit, and the others are refused by name.
    var bytes: [UInt8] = []
    for i in value.indices { bytes.append(value[i]) }
    answer(reply) { () throws(TreeError) in
      try tree.setExtendedAttribute(name, of: NodeID(inode), to: bytes)
    }
  }

  func removeExtendedAttribute(
    _ name: [UInt8], of inode: InodeNumber, _ reply: consuming EmptyReply
  ) {
    lastUse.note()
    answer(reply) { () throws(TreeError) in
      try tree.removeExtendedAttribute(name, of: NodeID(inode))
    }
  }
}
