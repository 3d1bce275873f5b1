import Synchronization

/// When the vault was last used, by the session's clock: the idle lock counts from then.
///
/// An object of its own, which requests note without a look at the session.
package final class LastUse: Sendable {
  private let clock: SessionClock
  private let noted: Atomic<Int64>

  /// Begins with now.
  init(_ clock: SessionClock) {
    self.clock = clock
    noted = Atomic(clock.sinceBoot())
  }

  /// The vault is used: the idle time begins anew.
  ///
  /// Called for each request that counts, so it does nothing else.
  package func note() { noted.store(clock.sinceBoot(), ordering: .relaxed) }

  /// In nanoseconds since the machine was started.
  var time: Int64 { noted.load(ordering: .relaxed) }
}
