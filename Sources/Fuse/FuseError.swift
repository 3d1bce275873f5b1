package import Platform

/// Why a file system couldn't be mounted.
package enum FuseError: Error, Hashable {
  /// The kernel's FUSE device can't be used.
  case noDevice(Errno)
  /// libfuse refused to make a session; its own words.
  case session([String])
  /// The mount failed; the words of libfuse and of `fusermount3`, where they had some.
  case mount([String])
  /// A system call of our own failed.
  case system(Errno)
}

extension FuseError: CustomStringConvertible {
  /// One line for a person.
  package var description: String {
    switch self {
    case .noDevice(let error): "can't use /dev/fuse: \(error)"
    case .session(let words): Self.line("libfuse refused", words)
    case .mount(let words): Self.line("mount failed", words)
    case .system(let error): "\(error)"
    }
  }

  private static func line(_ what: String, _ words: [String]) -> String {
    words.isEmpty ? what : what + ": " + words.joined(separator: "; ")
  }
}
