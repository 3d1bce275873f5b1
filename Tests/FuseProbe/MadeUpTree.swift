import Fuse
import Platform

/// A tree of 10,000 directories of six small files, whose text is made up as it is read.
///
/// The same as in the yardstick written in C that the speed of ``Fuse`` is compared with.
struct MadeUpTree: FileSystem {
  private static let groups: UInt64 = 100
  private static let directories: UInt64 = 10_000
  private static let perGroup = directories / groups
  private static let base: UInt64 = 100_000
  private static let validForSeconds: Double = 1
  private static let fields = ["Title", "UserName", "Password", "URL", "Notes", "otp"].map {
    Array($0.utf8)
  }

  private static func isDirectory(_ inode: UInt64) -> Bool {
    inode < base || (inode - base) % 8 == 0
  }

  private static func content(_ inode: UInt64) -> [UInt8] {
    fields[Int((inode - base) % 8 - 1)] + Array(" value of entry ".utf8)
      + number((inode - base) / 8, digits: 6) + [0x0A]
  }

  private static func number(_ value: UInt64, digits: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0x30, count: digits)
    var rest = value
    for i in stride(from: digits - 1, through: 0, by: -1) {
      bytes[i] = 0x30 + UInt8(rest % 10)
      rest /= 10
    }
    return bytes
  }

  private static func number(after prefix: String, in name: [UInt8]) -> UInt64? {
    guard name.starts(with: prefix.utf8) else { return nil }
    var value: UInt64 = 0
    for digit in name.dropFirst(prefix.utf8.count) {
      guard (0x30...0x39).contains(digit), value < 1_000_000 else { return nil }
      value = value * 10 + UInt64(digit - 0x30)
    }
    return value
  }

  private static func find(_ name: [UInt8], in parent: UInt64) -> UInt64? {
    if parent == 1 {
      return number(after: "group-", in: name).flatMap { $0 < groups ? 2 + $0 : nil }
    }
    if parent < base {
      guard let k = number(after: "entry-", in: name), k / perGroup == parent - 2 else {
        return nil
      }
      return base + 8 * k
    }
    return fields.firstIndex(of: name).map { parent + 1 + UInt64($0) }
  }

  private static func childCount(_ inode: UInt64) -> Int {
    inode == 1 ? Int(groups) : inode < base ? Int(perGroup) : fields.count
  }

  private static func child(_ k: Int, of inode: UInt64) -> (name: [UInt8], inode: UInt64) {
    if inode == 1 {
      return (Array("group-".utf8) + number(UInt64(k), digits: 3), 2 + UInt64(k))
    }
    if inode >= base { return (fields[k], inode + 1 + UInt64(k)) }
    let entry = (inode - 2) * perGroup + UInt64(k)
    return (Array("entry-".utf8) + number(entry, digits: 6), base + 8 * entry)
  }

  private static func attributes(_ inode: UInt64) -> FileAttributes {
    let time = FileTime(seconds: 1_700_000_000)
    let isDirectory = isDirectory(inode)
    return FileAttributes(
      inode: InodeNumber(rawValue: inode), kind: isDirectory ? .directory : .regular,
      permissions: isDirectory ? 0o700 : 0o600, owner: 0, group: 0,
      size: isDirectory ? 0 : content(inode).count, accessed: time, modified: time, changed: time)
  }

  private static func entry(_ inode: UInt64) -> Entry {
    Entry(
      attributes(inode), attributesValidForSeconds: validForSeconds,
      nameValidForSeconds: validForSeconds)
  }

  func lookup(_ name: [UInt8], in directory: InodeNumber, _ reply: consuming EntryReply) {
    guard let inode = Self.find(name, in: directory.rawValue) else {
      return reply.failure(.noEntry)
    }
    _ = reply.entry(Self.entry(inode))
  }

  func attributes(
    of inode: InodeNumber, handle: HandleNumber?, _ reply: consuming AttributesReply
  ) {
    reply.attributes(
      Self.attributes(inode.rawValue), validForSeconds: Self.validForSeconds)
  }

  func open(_ inode: InodeNumber, _ flags: FileOpenFlags, _ reply: consuming OpenReply) {
    _ = reply.opened(HandleNumber(rawValue: 0))
  }

  func read(
    _ inode: InodeNumber, _ handle: HandleNumber, at offset: Int, count: Int,
    _ reply: consuming DataReply
  ) {
    let bytes = Self.content(inode.rawValue)
    let part = bytes[min(offset, bytes.count)...].prefix(count)
    reply.bytes(part.span)
  }

  func openDirectory(_ inode: InodeNumber, _ reply: consuming OpenDirectoryReply) {
    _ = reply.opened(HandleNumber(rawValue: 0), .none)
  }

  func readDirectory(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int, _ reply: consuming ListReply
  ) {
    var reply = reply
    for k in min(offset, Self.childCount(inode.rawValue))..<Self.childCount(inode.rawValue) {
      let child = Self.child(k, of: inode.rawValue)
      guard
        reply.add(
          child.name, inode: InodeNumber(rawValue: child.inode),
          kind: Self.isDirectory(child.inode) ? .directory : .regular, next: k + 1)
      else { break }
    }
    reply.finish()
  }

  func readDirectoryPlus(
    _ inode: InodeNumber, _ handle: HandleNumber, from offset: Int,
    _ reply: consuming ListPlusReply
  ) {
    var reply = reply
    for k in min(offset, Self.childCount(inode.rawValue))..<Self.childCount(inode.rawValue) {
      let child = Self.child(k, of: inode.rawValue)
      guard reply.add(child.name, Self.entry(child.inode), next: k + 1) else { break }
    }
    _ = reply.finish()
  }
}
