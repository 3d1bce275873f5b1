/// Stream sockets with a name in the file system: unix(7).
package enum UnixSocket {
  /// Who is at the other end, as the kernel knows it.
  package struct Peer: Hashable, Sendable {
    package var process: Int32
    package var user: UInt32
    package var group: UInt32
  }

  /// Makes a socket with mode 0600 at `path`; one that nobody listens on any more is replaced.
  package static func listen(at path: Path) throws(Errno) -> Descriptor { fatalError("not yet") }

  package static func accept(
    from listener: borrowing Descriptor
  ) throws(Errno) -> Descriptor { fatalError("not yet") }

  package static func connect(to path: Path) throws(Errno) -> Descriptor { fatalError("not yet") }

  package static func peer(of socket: borrowing Descriptor) throws(Errno) -> Peer {
    fatalError("not yet")
  }

  /// A connected pair.
  package static func shutDownWriting(_ socket: borrowing Descriptor) throws(Errno) {
    fatalError("not yet")
  }
}
