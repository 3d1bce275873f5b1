import Glibc
import Platform

/// Receives and serves requests until the mount is gone or `ending` rings.
///
/// Many threads may do this for one session. Each waits with `poll`, for the device is not blocking, so
/// that ``Bell`` can end it, and receives into a locked buffer of its own, of which as many bytes are
/// overwritten after each request as the request had.
func serveUntilOver(_ core: SessionCore, _ ending: Bell) {
  let buffer = ReceiveBuffer()
  while true {
    switch core.receiveAndServe(into: buffer) {
    case .served(let count):
      buffer.wipe(count)
    case .none:
      guard wait(for: core.descriptor, or: ending) else { return }
    case .over:
      // Wakes the others too, though the kernel does.
      ending.ring()
      return
    case .failed:
      // The device is broken for good; the mount can't be served any more.
      ending.ring()
      return
    }
  }
}

/// Waits until the device has a request (or is gone); `false` when `ending` rings.
private func wait(for device: CInt, or ending: Bell) -> Bool {
  var requests = [
    pollfd(fd: device, events: Int16(POLLIN), revents: 0),
    pollfd(fd: ending.descriptor.number, events: Int16(POLLIN), revents: 0),
  ]
  // An interruption is as good as a wake-up: the caller tries to receive and comes back.
  unsafe poll(&requests, 2, -1)
  return requests[1].revents == 0
}
