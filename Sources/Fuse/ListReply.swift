import CFuse3
package import Platform

/// Answers with names of a directory.
package struct ListReply: ~Copyable, Sendable {
  private let duty: Duty
  private var page: ListPage

  init(_ duty: consuming Duty, room: Int) {
    self.duty = duty
    page = ListPage(room: room)
  }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// More names than can be added; no more need be looked at.
  package var mostNames: Int { page.room / 32 + 1 }

  /// Adds a name; `false` when no room is left for it, and then the listing is to end here.
  ///
  /// `next` is the offset that a later call continues from. A name that no file can have (empty,
  /// over 255 bytes, with a slash or NUL) is left out.
  package mutating func add(
    _ name: [UInt8], inode: InodeNumber, kind: FileKind, next: Int
  ) -> Bool {
    var status = stat()
    status.st_ino = UInt(inode.rawValue)
    status.st_mode = kind.typeBits
    let request = unsafe duty.pending
    return unsafe page.add(name) { target, room, name in
      unsafe fuse_add_direntry(request, target, room, name, &status, next)
    }
  }

  package consuming func finish() {
    let page = page
    unsafe duty.answer { request in unsafe page.reply(to: request) }
  }
}

/// Answers with names of a directory and what they lead to.
package struct ListPlusReply: ~Copyable, Sendable {
  private let duty: Duty
  private var page: ListPage

  init(_ duty: consuming Duty, room: Int) {
    self.duty = duty
    page = ListPage(room: room)
  }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// More names than can be added; no more need be looked at.
  package var mostNames: Int { page.room / 160 + 1 }

  /// Adds a name; see ``ListReply/add(_:inode:kind:next:)``.
  package mutating func add(_ name: [UInt8], _ entry: Entry, next: Int) -> Bool {
    var parameters = fuse_entry_param(entry)
    let request = unsafe duty.pending
    return unsafe page.add(name) { target, room, name in
      unsafe fuse_add_direntry_plus(request, target, room, name, &parameters, next)
    }
  }

  /// Adds a name without telling what it leads to, so without a reference: `.`, `..`, and what has
  /// gone meanwhile.
  package mutating func addUnlinked(
    _ name: [UInt8], inode: InodeNumber, kind: FileKind, next: Int
  ) -> Bool {
    var parameters = fuse_entry_param()
    parameters.attr.st_ino = UInt(inode.rawValue)
    parameters.attr.st_mode = kind.typeBits
    let request = unsafe duty.pending
    return unsafe page.add(name) { target, room, name in
      unsafe fuse_add_direntry_plus(request, target, room, name, &parameters, next)
    }
  }

  /// Answers, and gives whether the kernel took the answer; if not, it holds no references.
  package consuming func finish() -> Bool {
    let page = page
    return unsafe duty.answer { request in unsafe page.reply(to: request) }
  }
}

/// Names as the kernel reads them, packed one behind the other.
///
/// Unchecked `Sendable`, because the compiler can't see into the pointer: there is one owner.
@safe
private struct ListPage: ~Copyable, @unchecked Sendable {
  /// The longest name that Linux takes, in bytes.
  private static let longestName = 255
  /// More than the kernel ever asks for, in bytes.
  private static let mostRoom = 1 << 20

  /// The page, and behind it the place where a name becomes a C string.
  private let storage: UnsafeMutablePointer<CChar>
  let room: Int
  private var used = 0

  init(room: Int) {
    self.room = min(max(room, 0), Self.mostRoom)
    unsafe storage = .allocate(capacity: self.room + Self.longestName + 1)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// Has `pack` write `name` behind the others; it gives the bytes that this takes, and writes
  /// nothing if they are more than the room it was told.
  mutating func add(
    _ name: [UInt8],
    _ pack: (UnsafeMutablePointer<CChar>, Int, UnsafePointer<CChar>) -> Int
  ) -> Bool {
    guard Self.isName(name) else { return true }
    // SAFETY: `storage` has room for the longest name and a NUL behind the page.
    let text = unsafe storage + room
    for (i, byte) in name.enumerated() { unsafe text[i] = CChar(bitPattern: byte) }
    unsafe text[name.count] = 0
    // SAFETY: `used` never passes `room`.
    let needed = unsafe pack(storage + used, room - used, text)
    guard needed <= room - used else { return false }
    used += needed
    return true
  }

  func reply(to request: fuse_req_t) -> CInt {
    unsafe fuse_reply_buf(request, storage, used)
  }

  private static func isName(_ name: [UInt8]) -> Bool {
    (1...longestName).contains(name.count) && !name.contains { $0 == 0 || $0 == UInt8(ascii: "/") }
  }
}
