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
}
