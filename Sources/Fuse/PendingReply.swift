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

/// A reply that is held, to be given later and from any thread.
///
/// If the process that asked is interrupted meanwhile, it is answered `EINTR` at once. If the last
/// reference goes without an answer, it says `EIO`.
package final class HeldReply<Reply: ~Copyable>: Sendable {
  private let waiter = InterruptibleDuty()
  private let reply: @Sendable (consuming Duty) -> Reply

  package init(_ reply: consuming EntryReply) where Reply == EntryReply {
    self.reply = { EntryReply(duty: $0) }
    waiter.begin(reply.duty)
  }

  package init(_ reply: consuming OpenDirectoryReply) where Reply == OpenDirectoryReply {
    self.reply = { OpenDirectoryReply(duty: $0) }
    waiter.begin(reply.duty)
  }

  deinit { waiter.abandon() }

  /// Gives the reply back, once; `nil` where nobody waits for it any more.
  package func take() -> Reply? {
    guard let duty = waiter.take() else { return nil }
    return reply(duty)
  }
}
