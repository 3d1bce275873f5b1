/// A thread of the kernel's.
package struct Thread: ~Copyable, Sendable {
  private let handle: UInt

  /// Runs `body` on a new thread, with the same signals blocked as this one's.
  ///
  /// At most 15 bytes of `name` are shown by `top` and debuggers.
  package static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(Errno) -> Thread { fatalError("not yet") }

  /// Waits for its end.
  package consuming func join() { fatalError("not yet") }

  // Letting the value go lets the thread run on by itself.
  deinit {}
}
