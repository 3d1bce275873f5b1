import CPlatform
package import Secrets

/// The kernel's key retention: keeps a key outside of our memory, for a time (keyrings(7)).
///
/// In the process' own keyring, which no other process finds and which goes with the process. It is
/// that of the calling thread and of those that it starts: keep and read from one thread.
package enum Keyring {
  /// Keeps `secret` under `name` for so many seconds; what was kept under the name goes.
  package static func keep(
    _ secret: borrowing SecretBytes, as name: StaticString, seconds: UInt32
  ) throws(Errno) {
    try secret.withBytes { (bytes) throws(Errno) in
      try unsafe bytes.withUnsafeBytes { (bytes) throws(Errno) in
        guard let base = bytes.baseAddress else { throw .invalid }
        let name = unsafe name.cString
        try systemCall { unsafe platform_keep_key(name, base, bytes.count, seconds) }
      }
    }
  }

  /// The most bytes that can be read.
  private static let most = 256

  /// Reads what is kept under `name`; `nil` where there is nothing any more.
  package static func read(_ name: StaticString) -> SecretBytes? {
    var length = 0
    let room = SecretBytes(zeroed: most) { span in
      unsafe span.withUnsafeMutableBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        length = unsafe platform_read_key(name.cString, base, bytes.count)
      }
    }
    guard length >= 0, length <= most else { return nil }
    return room.withBytes { SecretBytes(copying: $0.extracting(first: length)) }
  }

  /// Forgets what is kept under `name`.
  package static func forget(_ name: StaticString) {
    _ = unsafe platform_forget_key(name.cString)
  }
}

extension StaticString {
  /// Ends in a NUL, as every static string does.
  fileprivate var cString: UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
