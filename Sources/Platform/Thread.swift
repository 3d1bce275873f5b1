import CPlatform
import Glibc

/// A thread of the kernel's.
///
/// Letting the value go lets the thread run on by itself.
package struct Thread: ~Copyable, Sendable {
  private let handle: pthread_t

  private init(handle: pthread_t) {
    self.handle = handle
  }

  /// Runs `body` on a new thread, with the same signals blocked as this one's.
  ///
  /// At most 15 bytes of `name` are shown by `top` and debuggers.
  package static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(Errno) -> Thread {
    let start = unsafe Unmanaged.passRetained(Start(name: name, body: body))
    var handle = pthread_t()
    let result = unsafe pthread_create(
      &handle, nil,
      { argument in
        guard let argument = unsafe argument else { return nil }
        // SAFETY: this takes the reference that was kept for it below.
        unsafe Unmanaged<Start>.fromOpaque(argument).takeRetainedValue().run()
        return nil
      }, start.toOpaque())
    guard result == 0 else {
      unsafe start.release()
      throw Errno(rawValue: result)
    }
    return Thread(handle: handle)
  }

  /// Waits for its end.
  package consuming func join() {
    let handle = handle
    discard self
    _ = pthread_join(handle, nil)
  }

  /// Waits for its end, and wakes it meanwhile out of whatever call it waits in: what it does next is to see
  /// that it is to end.
  ///
  /// For a thread that holds an ``Interruption``. It is woken again and again, for it may be just about to
  /// wait.
  package consuming func interruptAndJoin() {
    let handle = handle
    discard self
    while true {
      _ = pthread_kill(handle, Interruption.signal.rawValue)
      if platform_join(handle, 5) == 0 { return }
    }
  }

  deinit {
    pthread_detach(handle)
  }
}

/// What a thread begins with; a class, because C holds a pointer to it.
private final class Start: Sendable {
  private let name: String
  private let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }

  func run() {
    _ = unsafe name.withCString { unsafe platform_name_thread($0) }
    body()
  }
}
