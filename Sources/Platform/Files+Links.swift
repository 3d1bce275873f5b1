import Glibc

extension Files {
  /// What a symbolic link holds, which need not be a file that exists.
  package static func readLink(_ path: Path) throws(Errno) -> Path {
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try unsafe path.withCString { (path) throws(Errno) in
      try systemCall {
        // SAFETY: at most `count` bytes are written into the array, without a NUL.
        unsafe readlink(path, &target, target.count)
      }
    }
    return Path(target.prefix(count).map { UInt8(bitPattern: $0) })
  }
}
