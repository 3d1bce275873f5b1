import CPlatform
import Glibc

/// Gives one open file the owner, mode and extended attributes of another.
enum AttributeCopy {
  /// Access control lists, as an attribute: acl(5).
  private static let accessList = Array("system.posix_acl_access".utf8)
  /// Made by the kernel over a file's contents, so wrong for others.
  private static let signatures = ["security.ima", "security.evm"].map { Array($0.utf8) }
  /// The most bytes of one attribute's value, and of a file's list of names: xattr(7).
  private static let mostBytes = 65536

  /// Says whether all could be kept; throws where the file would be open to more people than before.
  static func copy(
    from old: borrowing Descriptor, to new: borrowing Descriptor
  ) throws(Errno) -> Bool {
    let status = try old.status()
    let owner = try keepOwner(status, of: new)
    // Before the mode: setting a list changes the mode, setting the mode changes the list.
    let keptAll = try copyAttributes(from: old, to: new)
    let permissions = owner.group ? status.permissions : status.permissions & ~0o070
    let number = new.number
    if try new.status().permissions != permissions {
      try systemCall { fchmod(number, mode_t(permissions)) }
    }
    return owner.user && owner.group && keptAll
  }

  /// Says which of the two the new file has got.
  private static func keepOwner(
    _ old: FileStatus, of new: borrowing Descriptor
  ) throws(Errno) -> (user: Bool, group: Bool) {
    let status = try new.status()
    if status.owner == old.owner, status.group == old.group { return (true, true) }
    if try change(new, owner: old.owner, group: old.group) { return (true, true) }
    // Any group that we are in may be given.
    let group =
      status.group == old.group ? true : try change(new, owner: .max, group: old.group)
    return (status.owner == old.owner, group)
  }

  /// Whether the owner, or with `.max` the group alone, could be changed.
  private static func change(
    _ file: borrowing Descriptor, owner: UInt32, group: UInt32
  ) throws(Errno) -> Bool {
    let number = file.number
    do throws(Errno) {
      try systemCall { fchown(number, owner, group) }
      return true
    } catch {
      guard error.isRefusal else { throw error }
      return false
    }
  }

  private static func copyAttributes(
    from old: borrowing Descriptor, to new: borrowing Descriptor
  ) throws(Errno) -> Bool {
    let names = try names(of: old)
    var keptAll = true
    for name in names where !signatures.contains(name) {
      guard let value = try value(of: name, in: old) else { continue }
      if try self.value(of: name, in: new) == value { continue }
      do throws(Errno) {
        try set(name, to: value, in: new)
      } catch {
        // Without its list, the mode would say something else.
        guard error.isRefusal, name != accessList else { throw error }
        keptAll = false
      }
    }
    // The folder may have given the new file a list that the old one hasn't.
    if !names.contains(accessList), try self.names(of: new).contains(accessList) {
      try remove(accessList, from: new)
    }
    return keptAll
  }
}

// MARK: - One file's attributes

extension AttributeCopy {
  /// The names of a file's extended attributes; none where the file system has no such thing.
  static func names(of file: borrowing Descriptor) throws(Errno) -> [[UInt8]] {
    let number = file.number
    var list = [CChar](repeating: 0, count: mostBytes)
    do throws(Errno) {
      let count = try systemCall { unsafe platform_list_attributes(number, &list, mostBytes) }
      return list[..<count].split(separator: 0).map { $0.map { UInt8(bitPattern: $0) } }
    } catch  where error == .notSupported {
      return []
    }
  }

  /// The value of one attribute, or `nil` if there is none of that name, or it may not be read.
  static func value(
    of name: [UInt8], in file: borrowing Descriptor
  ) throws(Errno) -> [UInt8]? {
    let number = file.number
    do throws(Errno) {
      var value = [UInt8](repeating: 0, count: mostBytes)
      let count = try unsafe Path(name).withCString { (name) throws(Errno) in
        try systemCall { unsafe platform_get_attribute(number, name, &value, mostBytes) }
      }
      return Array(value[..<count])
    } catch {
      guard error == .noData || error.isRefusal else { throw error }
      return nil
    }
  }

  static func set(
    _ name: [UInt8], to value: [UInt8], in file: borrowing Descriptor
  ) throws(Errno) {
    let number = file.number
    try unsafe Path(name).withCString { (name) throws(Errno) in
      try systemCall { unsafe platform_set_attribute(number, name, value, value.count) }
    }
  }

  static func remove(_ name: [UInt8], from file: borrowing Descriptor) throws(Errno) {
    let number = file.number
    try unsafe Path(name).withCString { (name) throws(Errno) in
      try systemCall { unsafe platform_remove_attribute(number, name) }
    }
  }
}

extension Errno {
  /// Whether the kernel says that this isn't ours to do, or can't be done with such files at all.
  fileprivate var isRefusal: Bool {
    [.notPermitted, .accessDenied, .notSupported, .invalid].contains(self)
  }
}
