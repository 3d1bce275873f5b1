import Glibc
package import Secrets

extension Files {
  /// Reads a whole file, pipe or device; more than `limit` bytes are ``Errno/fileTooBig``.
  package static func readWhole(
    _ path: Path, limit: Int = 1 << 31
  ) throws(Errno) -> WipedBuffer {
    try readWhole(Descriptor.open(path), limit: limit)
  }

  /// Reads to the end of an open file, pipe or socket.
  package static func readWhole(
    _ descriptor: borrowing Descriptor, limit: Int = 1 << 31
  ) throws(Errno) -> WipedBuffer {
    // The size is a hint: files of /proc say 0, and others grow.
    let hint = Int(clamping: try descriptor.status().size)
    guard hint <= limit else { throw .fileTooBig }
    var buffer = WipedBuffer(capacity: hint + 1)
    while true {
      let room = max(buffer.capacity - buffer.count, 4096)
      guard try descriptor.read(atMost: room, into: &buffer) > 0 else { return buffer }
      guard buffer.count <= limit else { throw .fileTooBig }
    }
  }

  /// Reads a whole file, and never waits for one that isn't there: what is no regular file, a pipe say, is
  /// ``Errno/invalid``.
  package static func readRegular(
    _ path: Path, limit: Int = 1 << 31
  ) throws(Errno) -> WipedBuffer {
    let descriptor = try Descriptor.open(path, [.read, .nonBlocking])
    guard try descriptor.status().kind == .regular else { throw .invalid }
    return try readWhole(descriptor, limit: limit)
  }

  /// The names in a folder, in no order, without `.` and `..`.
  package static func names(in folder: Path) throws(Errno) -> [[UInt8]] {
    let opened = unsafe folder.withCString { unsafe opendir($0) }
    guard let stream = unsafe opened else { throw .last }
    defer { unsafe closedir(stream) }
    var names: [[UInt8]] = []
    while true {
      errno = 0
      guard let entry = unsafe readdir(stream) else {
        guard errno == 0 else { throw .last }
        return names
      }
      guard let start = MemoryLayout<dirent>.offset(of: \.d_name) else { return names }
      // SAFETY: the name ends in a NUL, and stays until the next call for this stream.
      let name = unsafe (UnsafeRawPointer(entry) + start).assumingMemoryBound(to: CChar.self)
      let bytes = unsafe [UInt8](cString: name)
      if bytes != [UInt8(ascii: ".")], bytes != Array("..".utf8) { names.append(bytes) }
    }
  }

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

  /// The absolute path without symbolic links; all of it must exist.
  package static func resolve(_ path: Path) throws(Errno) -> Path {
    try unsafe taking(path.withCString { unsafe realpath($0, nil) })
  }

  /// The absolute path without symbolic links of a file that needn't exist yet, though its folder must.
  ///
  /// A link to nothing is followed too: what it leads to is the file.
  package static func resolveTarget(_ path: Path) throws(Errno) -> Path {
    var path = path
    for _ in 0..<40 {
      do throws(Errno) { return try resolve(path) } catch  where error == .noEntry {}
      guard let target = try? readLink(path) else {
        return try resolve(path.parent).appending(path.lastComponent)
      }
      path = target.isAbsolute ? target : path.parent.appending(target.bytes)
    }
    throw .tooManySymbolicLinks
  }

  /// The absolute path of the folder that this process stands in.
  package static func currentDirectory() throws(Errno) -> Path {
    try unsafe taking(getcwd(nil, 0))
  }

  /// Makes this process stand in `path`.
  package static func changeDirectory(to path: Path) throws(Errno) {
    try unsafe path.withCString { (path) throws(Errno) in try systemCall { unsafe chdir(path) } }
  }

  /// Takes over a path that the C library has allocated for us.
  private static func taking(_ path: UnsafeMutablePointer<CChar>?) throws(Errno) -> Path {
    guard let path = unsafe path else { throw .last }
    defer { unsafe free(path) }
    return Path(unsafe [UInt8](cString: path))
  }
}

extension [UInt8] {
  /// A copy of what stands before the NUL.
  init(cString text: UnsafePointer<CChar>) {
    self = unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).map { $0 }
  }
}
