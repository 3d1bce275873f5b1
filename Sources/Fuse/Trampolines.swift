import CFuse3
import Platform

/// The functions that libfuse calls.
///
/// Each finds the file system, turns what C owns into Swift values, and calls one method. Nothing is
/// decided here but what no file system can mean (a negative offset or size), and no pointer gets past
/// here.
enum Trampolines {
  /// The table for `fuse_session_new`.
  ///
  /// What is missing in it libfuse answers with `ENOSYS`.
  static func operations() -> fuse_lowlevel_ops {
    var table = fuse_lowlevel_ops()
    addLooking(to: &table)
    addNames(to: &table)
    addFiles(to: &table)
    addDirectories(to: &table)
    addExtendedAttributes(to: &table)
    return table
  }

  // MARK: - Looking

  private static func addLooking(to table: inout fuse_lowlevel_ops) {
    unsafe table.`init` = { _, connection in
      guard let connection = unsafe connection else { return }
      unsafe Capabilities.choose(on: &connection.pointee)
    }
    unsafe table.lookup = { request, parent, name in
      unsafe serve(request, .lookup, parent, name) { fileSystem, duty in
        fileSystem.lookup(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent), EntryReply(duty: duty))
      }
    }
    unsafe table.forget = { request, inode, count in
      guard let request = unsafe request else { return }
      unsafe session(of: request).fileSystem.forget(InodeNumber(rawValue: inode), count: count)
      unsafe fuse_reply_none(request)
    }
    unsafe table.forget_multi = { request, count, forgets in
      guard let request = unsafe request else { return }
      let fileSystem = unsafe session(of: request).fileSystem
      if let forgets = unsafe forgets, (0...mostForgets).contains(count) {
        for i in 0..<count {
          // SAFETY: the message holds `count` of them, and isn't longer than its buffer.
          let forget = unsafe forgets[i]
          fileSystem.forget(InodeNumber(rawValue: forget.ino), count: forget.nlookup)
        }
      }
      unsafe fuse_reply_none(request)
    }
    unsafe table.getattr = { request, inode, information in
      unsafe serve(request, .getAttributes, inode) { fileSystem, duty in
        fileSystem.attributes(
          of: InodeNumber(rawValue: inode), handle: unsafe handle(information),
          AttributesReply(duty: duty))
      }
    }
    unsafe table.setattr = { request, inode, status, changed, information in
      unsafe serve(request, .setAttributes, inode, detail: "\(changed)") { fileSystem, duty in
        guard let status = unsafe status,
          let changes = unsafe AttributeChanges(status.pointee, changed)
        else { return duty.failure(.invalid) }
        fileSystem.setAttributes(
          of: InodeNumber(rawValue: inode), handle: unsafe handle(information), to: changes,
          AttributesReply(duty: duty))
      }
    }
    unsafe table.readlink = { request, inode in
      unsafe serve(request, .readLink, inode) { fileSystem, duty in
        fileSystem.readLink(InodeNumber(rawValue: inode), LinkTargetReply(duty: duty))
      }
    }
    unsafe table.statfs = { request, inode in
      unsafe serve(request, .statistics, inode) { fileSystem, duty in
        fileSystem.statistics(of: InodeNumber(rawValue: inode), StatisticsReply(duty: duty))
      }
    }
  }

  // MARK: - Names

  private static func addNames(to table: inout fuse_lowlevel_ops) {
    unsafe table.mknod = { request, parent, name, mode, _ in
      unsafe serve(request, .makeNode, parent, name) { fileSystem, duty in
        fileSystem.makeNode(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent), mode: mode,
          EntryReply(duty: duty))
      }
    }
    unsafe table.mkdir = { request, parent, name, mode in
      unsafe serve(request, .makeDirectory, parent, name) { fileSystem, duty in
        fileSystem.makeDirectory(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent), mode: mode,
          EntryReply(duty: duty))
      }
    }
    unsafe table.symlink = { request, target, parent, name in
      unsafe serve(request, .symbolicLink, parent, name) { fileSystem, duty in
        fileSystem.makeSymbolicLink(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent),
          target: unsafe bytes(of: target), EntryReply(duty: duty))
      }
    }
    unsafe table.link = { request, inode, parent, name in
      unsafe serve(request, .link, parent, name) { fileSystem, duty in
        fileSystem.makeLink(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent),
          to: InodeNumber(rawValue: inode), EntryReply(duty: duty))
      }
    }
    unsafe table.unlink = { request, parent, name in
      unsafe serve(request, .unlink, parent, name) { fileSystem, duty in
        fileSystem.removeFile(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent), EmptyReply(duty: duty))
      }
    }
    unsafe table.rmdir = { request, parent, name in
      unsafe serve(request, .removeDirectory, parent, name) { fileSystem, duty in
        fileSystem.removeDirectory(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent), EmptyReply(duty: duty))
      }
    }
    unsafe table.rename = { request, parent, name, newParent, newName, flags in
      unsafe serve(request, .rename, parent, name, newName, detail: "to \(newParent)") {
        fileSystem, duty in
        fileSystem.rename(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent),
          to: unsafe bytes(of: newName), in: InodeNumber(rawValue: newParent),
          FileRenameFlags(rawValue: flags), EmptyReply(duty: duty))
      }
    }
  }

  // MARK: - Files

  private static func addFiles(to table: inout fuse_lowlevel_ops) {
    unsafe table.create = { request, parent, name, mode, information in
      unsafe serve(request, .create, parent, name) { fileSystem, duty in
        fileSystem.create(
          unsafe bytes(of: name), in: InodeNumber(rawValue: parent), mode: mode,
          unsafe FileOpenFlags(flags: information?.pointee.flags ?? 0), CreateReply(duty: duty))
      }
    }
    unsafe table.open = { request, inode, information in
      unsafe serve(request, .open, inode) { fileSystem, duty in
        fileSystem.open(
          InodeNumber(rawValue: inode),
          unsafe FileOpenFlags(flags: information?.pointee.flags ?? 0), OpenReply(duty: duty))
      }
    }
    unsafe table.read = { request, inode, size, offset, information in
      unsafe serve(request, .read, inode, detail: "\(size) at \(offset)") { fileSystem, duty in
        guard let handle = unsafe handle(information), offset >= 0, size >= 0 else {
          return duty.failure(.invalid)
        }
        fileSystem.read(
          InodeNumber(rawValue: inode), handle, at: offset, count: size, DataReply(duty: duty))
      }
    }
    unsafe table.write = { request, inode, bytes, size, offset, information in
      unsafe serve(request, .write, inode, detail: "\(size) at \(offset)") { fileSystem, duty in
        guard let handle = unsafe handle(information), offset >= 0,
          let received = unsafe received(bytes, size)
        else { return duty.failure(.invalid) }
        let appends = unsafe (information?.pointee.flags ?? 0) & O_APPEND != 0
        let span = unsafe Span<UInt8>(_unsafeElements: received)
        fileSystem.write(
          InodeNumber(rawValue: inode), handle, at: offset, span, appends: appends,
          WriteReply(duty: duty))
      }
    }
    unsafe table.flush = { request, inode, information in
      unsafe serve(request, .flush, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information) else { return duty.failure(.invalid) }
        fileSystem.flush(InodeNumber(rawValue: inode), handle, EmptyReply(duty: duty))
      }
    }
    unsafe table.release = { request, inode, information in
      unsafe serve(request, .release, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information) else { return duty.failure(.invalid) }
        fileSystem.release(InodeNumber(rawValue: inode), handle, EmptyReply(duty: duty))
      }
    }
    unsafe table.fsync = { request, inode, _, information in
      unsafe serve(request, .synchronize, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information) else { return duty.failure(.invalid) }
        fileSystem.synchronize(InodeNumber(rawValue: inode), handle, EmptyReply(duty: duty))
      }
    }
  }

  // MARK: - Directories

  private static func addDirectories(to table: inout fuse_lowlevel_ops) {
    unsafe table.opendir = { request, inode, _ in
      unsafe serve(request, .openDirectory, inode) { fileSystem, duty in
        fileSystem.openDirectory(InodeNumber(rawValue: inode), OpenDirectoryReply(duty: duty))
      }
    }
    unsafe table.readdir = { request, inode, size, offset, information in
      unsafe serve(request, .readDirectory, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information), offset >= 0 else {
          return duty.failure(.invalid)
        }
        fileSystem.readDirectory(
          InodeNumber(rawValue: inode), handle, from: offset, ListReply(duty, room: size))
      }
    }
    unsafe table.readdirplus = { request, inode, size, offset, information in
      unsafe serve(request, .readDirectoryPlus, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information), offset >= 0 else {
          return duty.failure(.invalid)
        }
        fileSystem.readDirectoryPlus(
          InodeNumber(rawValue: inode), handle, from: offset, ListPlusReply(duty, room: size))
      }
    }
    unsafe table.releasedir = { request, inode, information in
      unsafe serve(request, .releaseDirectory, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information) else { return duty.failure(.invalid) }
        fileSystem.releaseDirectory(InodeNumber(rawValue: inode), handle, EmptyReply(duty: duty))
      }
    }
    unsafe table.fsyncdir = { request, inode, _, information in
      unsafe serve(request, .synchronizeDirectory, inode) { fileSystem, duty in
        guard let handle = unsafe handle(information) else { return duty.failure(.invalid) }
        fileSystem.synchronizeDirectory(
          InodeNumber(rawValue: inode), handle, EmptyReply(duty: duty))
      }
    }
  }

  // MARK: - Extended attributes

  private static func addExtendedAttributes(to table: inout fuse_lowlevel_ops) {
    unsafe table.getxattr = { request, inode, name, size in
      unsafe serve(request, .getExtendedAttribute, inode, name) { fileSystem, duty in
        fileSystem.extendedAttribute(
          unsafe bytes(of: name), of: InodeNumber(rawValue: inode),
          ExtendedAttributeReply(duty: duty, room: size))
      }
    }
    unsafe table.listxattr = { request, inode, size in
      unsafe serve(request, .listExtendedAttributes, inode) { fileSystem, duty in
        fileSystem.extendedAttributes(
          of: InodeNumber(rawValue: inode), ExtendedAttributeReply(duty: duty, room: size))
      }
    }
    unsafe table.setxattr = { request, inode, name, value, size, _ in
      unsafe serve(request, .setExtendedAttribute, inode, name) { fileSystem, duty in
        guard let received = unsafe received(value, size) else { return duty.failure(.invalid) }
        let span = unsafe Span<UInt8>(_unsafeElements: received)
        fileSystem.setExtendedAttribute(
          unsafe bytes(of: name), of: InodeNumber(rawValue: inode), to: span,
          EmptyReply(duty: duty))
      }
    }
    unsafe table.removexattr = { request, inode, name in
      unsafe serve(request, .removeExtendedAttribute, inode, name) { fileSystem, duty in
        fileSystem.removeExtendedAttribute(
          unsafe bytes(of: name), of: InodeNumber(rawValue: inode), EmptyReply(duty: duty))
      }
    }
  }
}

// MARK: - What C owns, as Swift values

// Free functions, since a C function pointer can't hold the metatype that a static one needs.

/// More than the kernel puts into one message.
private let mostForgets =
  Capabilities.mostBytesOfWrite / MemoryLayout<fuse_forget_data>.size

/// The session that a request belongs to.
private func session(of request: fuse_req_t) -> SessionCore {
  guard let data = unsafe fuse_req_userdata(request) else {
    preconditionFailure("libfuse lost the user data that its session was made with")
  }
  // SAFETY: the core destroys libfuse's session before it goes, so it outlives every request.
  return unsafe Unmanaged<SessionCore>.fromOpaque(data).takeUnretainedValue()
}

/// Calls `body` with the file system and the duty to answer it, and tells the observer, if any.
private func serve(
  _ request: fuse_req_t?, _ call: FuseRequest.Call, _ inode: fuse_ino_t,
  _ name: UnsafePointer<CChar>? = nil, _ newName: UnsafePointer<CChar>? = nil,
  detail: @autoclosure () -> String = "", _ body: (any FileSystem, consuming Duty) -> Void
) {
  guard let request = unsafe request else { return }
  let session = unsafe session(of: request)
  var number: UInt64 = 0
  if let observer = session.observer {
    number = session.nextNumber()
    let names = unsafe [name, newName].filter { unsafe $0 != nil }.map { unsafe bytes(of: $0) }
    observer.begins(
      FuseRequest(
        number: number, call: call, inode: InodeNumber(rawValue: inode), names: names,
        detail: detail()))
  }
  body(session.fileSystem, unsafe Duty(to: request, of: session, number: number))
}

/// The bytes of a C string.
private func bytes(of text: UnsafePointer<CChar>?) -> [UInt8] {
  guard let text = unsafe text else { return [] }
  let count = unsafe strlen(text)
  // SAFETY: a NUL stands at `count`.
  return unsafe [UInt8](UnsafeRawBufferPointer(start: text, count: count))
}

/// The payload of a message, which stays where it is for the call; `nil` for one that can't be.
///
/// The kernel says how long it is and libfuse believes it; a message is never longer than the
/// buffer that it was received into.
private func received(
  _ bytes: UnsafePointer<CChar>?, _ count: Int
) -> UnsafeBufferPointer<UInt8>? {
  guard let bytes = unsafe bytes, (0...Capabilities.mostBytesOfWrite).contains(count) else {
    return nil
  }
  return unsafe UnsafeRawBufferPointer(start: bytes, count: count).bindMemory(to: UInt8.self)
}

private func handle(
  _ information: UnsafeMutablePointer<fuse_file_info>?
) -> HandleNumber? {
  unsafe information.map { unsafe HandleNumber(rawValue: $0.pointee.fh) }
}
