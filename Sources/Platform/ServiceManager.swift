import Glibc

/// Whoever started this process as a service and wants to know how it is doing: sd_notify(3).
package enum ServiceManager {
  /// Whether there is one.
  package static var isThere: Bool { Process.environment("NOTIFY_SOCKET") != nil }

  /// Tells it a state, as `READY=1`; several are lines.
  ///
  /// Nothing happens where there is none, or where it doesn't listen.
  package static func tell(_ state: String) {
    guard let name = Process.environment("NOTIFY_SOCKET"), let first = name.first,
      name.count > 1, first == UInt8(ascii: "/") || first == UInt8(ascii: "@")
    else { return }
    // An address without a name in the file system begins with a NUL, and ends with its last byte.
    let isAbstract = first == UInt8(ascii: "@")
    let bytes = isAbstract ? [0] + name.dropFirst() : name
    var address = sockaddr_un()
    let room = MemoryLayout.size(ofValue: address.sun_path) - (isAbstract ? 0 : 1)
    guard bytes.count <= room, let socket = try? UnixSocket.makeDatagram() else { return }
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
    let size = MemoryLayout<sa_family_t>.size + bytes.count + (isAbstract ? 0 : 1)
    let (number, message) = (socket.number, Array(state.utf8))
    _ = try? unsafe withUnsafePointer(to: &address) { (address) throws(Errno) in
      // SAFETY: every socket address begins as a sockaddr does.
      let general = unsafe UnsafeRawPointer(address).assumingMemoryBound(to: sockaddr.self)
      try systemCall {
        unsafe sendto(
          number, message, message.count, CInt(MSG_NOSIGNAL), general, socklen_t(size))
      }
    }
    _ = consume socket
  }
}
