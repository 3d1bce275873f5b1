import CPlatform
import Glibc

/// Stream sockets with a name in the file system: unix(7).
package enum UnixSocket {
  /// Who is at the other end, as the kernel knows it.
  package struct Peer: Hashable, Sendable {
    package var process: Int32
    package var user: UInt32
    package var group: UInt32
  }

  /// Makes a socket with mode 0600 at `path`; one that nobody listens on any more is replaced.
  ///
  /// Where somebody does, it is ``Errno/addressInUse``.
  package static func listen(at path: Path) throws(Errno) -> Descriptor {
    let socket = try make()
    let number = socket.number
    // The name gets the mode that the socket has before it is bound.
    try systemCall { fchmod(number, 0o600) }
    do throws(Errno) {
      try bind(socket, to: path)
    } catch  where error == .addressInUse {
      guard try isAbandoned(path) else { throw error }
      try Files.remove(path)
      try bind(socket, to: path)
    }
    try systemCall { Glibc.listen(number, 16) }
    return socket
  }

  /// Waits for someone to connect.
  package static func accept(
    from listener: borrowing Descriptor
  ) throws(Errno) -> Descriptor {
    let number = listener.number
    return Descriptor(owning: try systemCall { platform_accept(number) })
  }

  /// Connects; ``Errno/tryAgain`` where nobody takes the call for so many milliseconds, or takes what is
  /// written later.
  package static func connect(
    to path: Path, waitingAtMost milliseconds: Int? = nil
  ) throws(Errno) -> Descriptor {
    let socket = try make()
    let number = socket.number
    if let milliseconds {
      var limit = timeval(tv_sec: milliseconds / 1000, tv_usec: milliseconds % 1000 * 1000)
      let size = socklen_t(MemoryLayout<timeval>.size)
      try systemCall { unsafe setsockopt(number, SOL_SOCKET, SO_SNDTIMEO, &limit, size) }
    }
    try unsafe withAddress(of: path) { (address, size) throws(Errno) in
      try systemCall { unsafe Glibc.connect(number, address, size) }
    }
    return socket
  }

  /// Sends a few bytes, or nothing where there is no room for them now, or nobody.
  package static func sendAtOnce(_ bytes: [UInt8], to socket: CInt) {
    let flags = CInt(MSG_DONTWAIT | MSG_NOSIGNAL)
    _ = unsafe bytes.withUnsafeBytes { unsafe send(socket, $0.baseAddress, $0.count, flags) }
  }

  package static func peer(of socket: borrowing Descriptor) throws(Errno) -> Peer {
    let number = socket.number
    var peer = Peer(process: 0, user: 0, group: 0)
    try systemCall { unsafe platform_peer(number, &peer.process, &peer.user, &peer.group) }
    return peer
  }

  /// Tells the other end that nothing more will come; it may still answer.
  package static func shutDownWriting(_ socket: borrowing Descriptor) throws(Errno) {
    let number = socket.number
    try systemCall { shutdown(number, CInt(SHUT_WR)) }
  }
}

extension UnixSocket {
  /// A socket for messages of their own, bound to nothing.
  static func makeDatagram() throws(Errno) -> Descriptor {
    let kind = CInt(SOCK_DGRAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    return Descriptor(owning: try systemCall { socket(AF_UNIX, kind, 0) })
  }

  private static func make() throws(Errno) -> Descriptor {
    let kind = CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue)
    return Descriptor(owning: try systemCall { socket(AF_UNIX, kind, 0) })
  }

  private static func bind(_ socket: borrowing Descriptor, to path: Path) throws(Errno) {
    let number = socket.number
    try unsafe withAddress(of: path) { (address, size) throws(Errno) in
      try systemCall { unsafe Glibc.bind(number, address, size) }
    }
  }

  /// Whether `path` is a socket that nobody listens on.
  private static func isAbandoned(_ path: Path) throws(Errno) -> Bool {
    guard try Files.status(of: path, followingLinks: false).kind == .socket else { return false }
    do throws(Errno) {
      _ = try connect(to: path)
      return false
    } catch  where error == .connectionRefused {
      return true
    }
  }

  /// Lends the address of `path`, which has room for 107 bytes; a longer path goes through its folder.
  private static func withAddress(
    of path: Path, _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
  ) throws(Errno) {
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard path.bytes.count > room else {
      return try unsafe withAddress(&address, of: path.bytes, body)
    }
    let folder = try Descriptor.open(path.parent, [.read, .directory])
    let short = Array("/proc/self/fd/\(folder.number)/".utf8) + path.lastComponent
    guard short.count <= room else { throw .nameTooLong }
    try withExtendedLifetime(folder) { () throws(Errno) in
      try unsafe withAddress(&address, of: short, body)
    }
  }

  private static func withAddress(
    _ address: inout sockaddr_un, of path: [UInt8],
    _ body: (UnsafePointer<sockaddr>, socklen_t) throws(Errno) -> Void
  ) throws(Errno) {
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
    try unsafe withUnsafePointer(to: &address) { (address) throws(Errno) in
      // SAFETY: every socket address begins as a sockaddr does.
      let general = unsafe UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self)
      try unsafe body(general, socklen_t(MemoryLayout<sockaddr_un>.size))
    }
  }
}
