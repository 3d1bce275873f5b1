/// This process and its children.
package enum Process {
  /// Which side of a fork this is.
  package enum Fork: Hashable, Sendable {
    case parent(child: Int32)
    case child
  }

  /// How a child ended.
  package enum End: Hashable, Sendable {
    case exited(Int32)
    case killed(Signal)
  }

  /// - Precondition: this process has no other thread.
  package static func fork() throws(Errno) -> Fork { fatalError("not yet") }

  /// Waits for a child of ours to end.
  package static func wait(for child: Int32) throws(Errno) -> End { fatalError("not yet") }

  /// Leaves the session of the terminal: setsid(2).
  package static func startSession() throws(Errno) { fatalError("not yet") }

  /// Ends at once, without running what `exit` would run: for a forked child.
  package static func exitNow(_ status: Int32) -> Never { fatalError("not yet") }

  /// Ends; nothing on the stack is destroyed, so no secret may be alive.
  package static func exit(_ status: Int32) -> Never { fatalError("not yet") }

  package static var id: Int32 { fatalError("not yet") }
  package static var user: UInt32 { fatalError("not yet") }
  package static var group: UInt32 { fatalError("not yet") }

  /// The arguments of `main` as bytes, the program's name first.
  package static var arguments: [[UInt8]] { fatalError("not yet") }

  package static func environment(_ name: String) -> [UInt8]? { fatalError("not yet") }

  /// Puts `/dev/null` in the place of the descriptors 0, 1 and 2.
  package static func detachStandardStreams() throws(Errno) { fatalError("not yet") }
}
