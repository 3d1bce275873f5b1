import CPlatform
import Platform

/// Receives and serves requests until the mount is gone or the bell rings.
///
/// Many threads may do this for one session. The device doesn't block, so each waits with a waiter of
/// its own, and receives into a locked buffer of its own, of which as many bytes are overwritten after
/// each request as the request had.
func serveUntilOver(_ core: SessionCore, _ waiter: DeviceWaiter) {
  let buffer = ReceiveBuffer()
  while true {
    switch core.receiveAndServe(into: buffer) {
    case .served(let count):
      buffer.wipe(count)
    case .none:
      guard waiter.wait() else { return }
    case .over, .failed:
      // A device that fails otherwise is broken for good. The others need waking only then: the kernel
      // wakes them when the mount is gone.
      waiter.bell.ring()
      return
    }
  }
}

/// Waits for requests, as one of several.
///
/// With `poll` each request would wake every thread that waits, and all but one in vain: with two of
/// them that cost a tenth of the requests a second. `epoll` wakes one (`EPOLLEXCLUSIVE`).
final class DeviceWaiter: Sendable {
  /// Wakes all, for good.
  let bell: Bell
  private let descriptor: Descriptor

  /// Makes a waiter for one thread; `device` must stay open for as long as it lives.
  init(_ device: CInt, bell: Bell) throws(Errno) {
    self.bell = bell
    let bellNumber = bell.descriptor.number
    descriptor = Descriptor(
      owning: try systemCall { platform_make_waiter(device, bellNumber) })
  }

  /// Waits until a request may be there, or the device is gone; `false` when the bell has rung.
  func wait() -> Bool { platform_wait(descriptor.number) == 0 }
}
