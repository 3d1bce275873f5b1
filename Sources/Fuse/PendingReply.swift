package import Platform

/// A duty to answer "done" or why not, later and from any thread; the first answer counts.
///
/// If the process that asked is interrupted meanwhile (a signal), it is answered `EINTR` at once, and
/// what comes later is for nobody. If the last reference goes without an answer, it says `EIO`.
package final class PendingReply: Sendable {
  private let waiter: InterruptibleDuty

  package init(_ reply: consuming EmptyReply) {
    waiter = InterruptibleDuty()
    waiter.begin(reply.duty)
  }

  deinit { waiter.abandon() }

  /// Answers success, or a failure.
  package func finish(_ error: Errno?) {
    guard let duty = waiter.take() else { return }
    let reply = EmptyReply(duty: duty)
    if let error { reply.failure(error) } else { reply.success() }
  }
}

/// A lookup that is held, to be answered later and from any thread.
///
/// If the process that asked is interrupted meanwhile, it is answered `EINTR` at once. If the last
/// reference goes without an answer, it says `EIO`.
package final class HeldEntryReply: Sendable {
  private let waiter = InterruptibleDuty()

  package init(_ reply: consuming EntryReply) { waiter.begin(reply.duty) }

  deinit { waiter.abandon() }

  /// Gives the reply back, once; `nil` where nobody waits for it any more.
  package func take() -> EntryReply? {
    guard let duty = waiter.take() else { return nil }
    return EntryReply(duty: duty)
  }
}

/// As ``HeldEntryReply``, of the open of a directory.
package final class HeldOpenDirectoryReply: Sendable {
  private let waiter = InterruptibleDuty()

  package init(_ reply: consuming OpenDirectoryReply) { waiter.begin(reply.duty) }

  deinit { waiter.abandon() }

  /// Gives the reply back, once; `nil` where nobody waits for it any more.
  package func take() -> OpenDirectoryReply? {
    guard let duty = waiter.take() else { return nil }
    return OpenDirectoryReply(duty: duty)
  }
}
