import ByteCoding
import Ciphers
import Platform

/// Where the process that serves a mount listens.
enum ControlPlace {
  /// The socket for the mount at `mountPoint`, which is absolute and free of links.
  ///
  /// The name is a hash, since a socket's path has little room.
  static func socket(for mountPoint: Path, in folder: Path) -> Path {
    let digest = Array(SHA256.hash(mountPoint.bytes.span).prefix(16))
    return folder.appending(Hex.encode(digest.span, uppercase: false) + Array(".socket".utf8))
  }
}
