import CPlatform
import Glibc

/// Where one thread receives the kernel's requests: locked memory that is kept out of core files, and
/// that is overwritten as far as it was used after each request.
///
/// A request may hold a secret: what a process writes into a field.
@safe
struct ReceiveBuffer: ~Copyable {
  /// The largest write, and what the kernel and libfuse put before it (4 KiB), rounded up.
  static let size = Capabilities.mostBytesOfWrite + 2 * 4096

  /// `size` bytes; lent to libfuse while a request is received and processed.
  let base: UnsafeMutableRawPointer

  init() {
    guard let base = unsafe platform_map(Self.size, 0) else {
      preconditionFailure("the kernel has no memory for a buffer of \(Self.size) bytes")
    }
    unsafe self.base = base
    // Pages are locked as they are touched: most requests are small. Where the limit doesn't allow it,
    // the buffer is used unlocked (the swap is then the only difference), like every locked memory
    // of ours.
    _ = unsafe platform_lock_when_touched(base, Self.size)
  }

  deinit {
    wipe(Self.size)
    unsafe munmap(base, Self.size)
  }

  /// Overwrites the first `count` bytes.
  func wipe(_ count: Int) {
    unsafe platform_wipe(base, min(max(count, 0), Self.size))
  }
}
