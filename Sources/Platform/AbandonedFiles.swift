import Glibc

/// What a killed save leaves beside a file: the new file under its temporary name, and nothing else.
///
/// Whoever makes one holds a lock on it (flock(2)) until it has its name or is removed, and the lock
/// goes with the process: so a file that can be locked is nobody's.
package enum AbandonedFiles {
  /// Removes those that were to be `path`, after following links, and gives their number.
  ///
  /// Files of a save that is running, here or on another machine, stay.
  @discardableResult
  package static func remove(beside path: Path) throws(Errno) -> Int {
    let target = try Files.resolveTarget(path)
    var count = 0
    for name in try Files.names(in: target.parent) where isTemporary(name, for: target) {
      if try isAbandoned(target.parent.appending(name)) {
        try Files.remove(target.parent.appending(name))
        count += 1
      }
    }
    return count
  }

  /// Whether it is a name that ``Files/temporaryName(for:)`` makes for the file, or for its probe.
  static func isTemporary(_ name: [UInt8], for target: Path) -> Bool {
    let mark = Array(".kdbxfs-".utf8)
    guard name.first == UInt8(ascii: "."),
      let place = name.indices.last(where: { $0 > 0 && name[$0...].starts(with: mark) })
    else { return false }
    let (stem, ending) = (name[1..<place], name[(place + mark.count)...])
    let parts = ending.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].allSatisfy({ (0x30...0x39).contains($0) }),
      parts.allSatisfy({ !$0.isEmpty })
    else { return false }
    // A long name is cut to leave room.
    let own = target.lastComponent
    return stem.elementsEqual("probe".utf8)
      || stem.elementsEqual(own.prefix(255 - 1 - mark.count - ending.count))
  }

  private static func isAbandoned(_ path: Path) throws(Errno) -> Bool {
    let file: Descriptor
    do throws(Errno) {
      file = try Descriptor.open(path, [.readWrite, .noFollow, .nonBlocking])
    } catch {
      // Gone by now, or somebody else's.
      return false
    }
    guard try file.status().kind == .regular else { return false }
    return file.tryLock()
  }
}

extension Descriptor {
  /// Locks the file or folder (flock(2)) if nobody else has; the lock goes with the descriptor and with
  /// the process.
  package func tryLock() -> Bool { flock(number, LOCK_EX | LOCK_NB) == 0 }
}
