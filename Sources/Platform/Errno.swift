import Glibc

/// Why the kernel refused a system call: errno(3).
package struct Errno: RawRepresentable, Error, Hashable, Sendable {
  package let rawValue: CInt

  package init(rawValue: CInt) {
    self.rawValue = rawValue
  }
}

extension Errno {
  /// What the last failed call of this thread left.
  static var last: Errno { Errno(rawValue: errno) }

  /// EPERM.
  package static let notPermitted = Errno(rawValue: EPERM)
  /// ENOENT.
  package static let noEntry = Errno(rawValue: ENOENT)
  /// ESRCH.
  package static let noProcess = Errno(rawValue: ESRCH)
  /// EINTR.
  package static let interrupted = Errno(rawValue: EINTR)
  /// EIO.
  package static let inputOutput = Errno(rawValue: EIO)
  /// ENXIO.
  package static let noDeviceOrAddress = Errno(rawValue: ENXIO)
  /// E2BIG.
  package static let argumentsTooLong = Errno(rawValue: E2BIG)
  /// EBADF.
  package static let badDescriptor = Errno(rawValue: EBADF)
  /// EAGAIN, also EWOULDBLOCK.
  package static let tryAgain = Errno(rawValue: EAGAIN)
  /// ENOMEM.
  package static let noMemory = Errno(rawValue: ENOMEM)
  /// EACCES.
  package static let accessDenied = Errno(rawValue: EACCES)
  /// EBUSY.
  package static let busy = Errno(rawValue: EBUSY)
  /// EEXIST.
  package static let exists = Errno(rawValue: EEXIST)
  /// EXDEV.
  package static let crossDevice = Errno(rawValue: EXDEV)
  /// ENODEV.
  package static let noDevice = Errno(rawValue: ENODEV)
  /// ENOTDIR.
  package static let notDirectory = Errno(rawValue: ENOTDIR)
  /// EISDIR.
  package static let isDirectory = Errno(rawValue: EISDIR)
  /// EINVAL.
  package static let invalid = Errno(rawValue: EINVAL)
  /// ENOTTY.
  package static let notTerminal = Errno(rawValue: ENOTTY)
  /// EFBIG.
  package static let fileTooBig = Errno(rawValue: EFBIG)
  /// ENOSPC.
  package static let noSpace = Errno(rawValue: ENOSPC)
  /// EROFS.
  package static let readOnly = Errno(rawValue: EROFS)
  /// EMLINK.
  package static let tooManyLinks = Errno(rawValue: EMLINK)
  /// EPIPE.
  package static let brokenPipe = Errno(rawValue: EPIPE)
  /// ERANGE.
  package static let outOfRange = Errno(rawValue: ERANGE)
  /// ENAMETOOLONG.
  package static let nameTooLong = Errno(rawValue: ENAMETOOLONG)
  /// ENOSYS.
  package static let notImplemented = Errno(rawValue: ENOSYS)
  /// ENOTEMPTY.
  package static let notEmpty = Errno(rawValue: ENOTEMPTY)
  /// ELOOP.
  package static let tooManySymbolicLinks = Errno(rawValue: ELOOP)
  /// ENODATA, also ENOATTR.
  package static let noData = Errno(rawValue: ENODATA)
  /// ETIME.
  package static let timerExpired = Errno(rawValue: ETIME)
  /// EPROTO.
  package static let protocolError = Errno(rawValue: EPROTO)
  /// EILSEQ.
  package static let illegalSequence = Errno(rawValue: EILSEQ)
  /// EOPNOTSUPP, also ENOTSUP.
  package static let notSupported = Errno(rawValue: EOPNOTSUPP)
  /// EADDRINUSE.
  package static let addressInUse = Errno(rawValue: EADDRINUSE)
  /// ECONNREFUSED.
  package static let connectionRefused = Errno(rawValue: ECONNREFUSED)
  /// ECONNABORTED.
  package static let connectionAborted = Errno(rawValue: ECONNABORTED)
  /// ENOTCONN.
  package static let notConnected = Errno(rawValue: ENOTCONN)
  /// ETIMEDOUT.
  package static let timedOut = Errno(rawValue: ETIMEDOUT)
  /// ESTALE.
  package static let stale = Errno(rawValue: ESTALE)
  /// EDQUOT.
  package static let quotaExceeded = Errno(rawValue: EDQUOT)
  /// ECANCELED.
  package static let cancelled = Errno(rawValue: ECANCELED)
  /// ENOKEY.
  package static let noKey = Errno(rawValue: ENOKEY)
}

extension Errno: CustomStringConvertible {
  /// The kernel's own words, as `perror` would print them.
  package var description: String {
    var text = [CChar](repeating: 0, count: 256)
    // SAFETY: strerror_r writes at most `count` bytes, with the NUL. (Swift sees
    // POSIX' function of this name, not GNU's.)
    let result = unsafe strerror_r(rawValue, &text, text.count)
    guard result == 0 else { return "error \(rawValue)" }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return String(decoding: bytes, as: UTF8.self)
  }
}

/// Makes a system call again while a signal interrupts it, and turns -1 into its errno.
///
/// Every system call of ours goes through here, so that no caller forgets either half.
@discardableResult
package func systemCall<I: SignedInteger>(_ call: () -> I) throws(Errno) -> I {
  while true {
    let result = call()
    guard result == -1 else { return result }
    let error = Errno.last
    guard error == .interrupted else { throw error }
  }
}
