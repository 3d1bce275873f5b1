/// Receives and serves requests until the mount is gone, or ``SessionCore/endServing()`` was called.
///
/// Many threads may do this for one session. Each waits within the kernel for a request of its own, and
/// receives it into a locked buffer of its own, of which as many bytes are overwritten after each request
/// as the request had.
///
/// They wait in `read`, not beside it: a wait with `epoll` for a device that doesn't block is three system
/// calls a request instead of one, a tenth of the requests a second (`docs/performance.md`).
func serveUntilOver(_ core: SessionCore) {
  let buffer = ReceiveBuffer()
  while !core.isEnding {
    switch core.receiveAndServe(into: buffer) {
    case .served(let count): buffer.wipe(count)
    case .none: continue
    // The kernel has told all that the mount is gone.
    case .over: return
    // A device that fails otherwise is broken for good.
    case .failed: core.endServing()
    }
  }
  // The others may still wait: each that leaves wakes one.
  core.wakeOne()
}
