import Glibc
import Platform

/// What FUSE needs of the machine.
enum DeviceReadiness {
  /// Throws what keeps the kernel's FUSE device from being opened, before libfuse says it in words.
  static func checkDevice() throws(FuseError) {
    do throws(Errno) {
      _ = try Descriptor.open("/dev/fuse", .readWrite)
    } catch {
      throw .noDevice(error)
    }
  }

  /// Lets reads of the device say "none there" instead of waiting.
  static func makeNonBlocking(_ descriptor: CInt) throws(Errno) {
    let flags = try systemCall { fcntl(descriptor, F_GETFL) }
    try systemCall { fcntl(descriptor, F_SETFL, flags | O_NONBLOCK) }
  }
}
