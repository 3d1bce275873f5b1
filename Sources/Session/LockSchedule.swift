/// Why a vault is locked.
package enum LockReason: String, Hashable, Sendable {
  /// `kdbxfs lock`.
  case request
  /// Nothing has used it for long.
  case idle
  /// It has been open for long, used or not.
  case cap
  /// The machine is about to sleep.
  case suspend
  /// The screen was locked.
  case screenLock
  /// The user's session at the machine has ended.
  case logout
}

/// When a vault is locked by itself: a small calculation over times, without a clock or a thread.
///
/// All times are nanoseconds of the session's clock, which counts sleep.
struct LockSchedule: Hashable, Sendable {
  /// How long after it was opened for writing a file counts as use, at most.
  static let writerLimit: Int64 = 8 * 3600 * 1_000_000_000

  /// How long nothing must use the vault; 0: never.
  let idle: Int64
  /// How long it may be open; 0: for ever.
  let cap: Int64

  /// When it is due, and why, if nothing uses the vault from `now` on; `nil`: never.
  ///
  /// `lastUse` is when it was last used, `writersUntil` until when files that are open for writing count
  /// as use (`nil`: none is), `unlockedAt` when it was unlocked.
  func due(
    at now: Int64, lastUse: Int64, writersUntil: Int64?, unlockedAt: Int64
  ) -> (time: Int64, reason: LockReason)? {
    let used = max(lastUse, min(writersUntil ?? .min, now))
    let whenIdle = idle > 0 ? used + idle : nil
    let whenCapped = cap > 0 ? unlockedAt + cap : nil
    switch (whenIdle, whenCapped) {
    case (let idle?, let cap?): return idle <= cap ? (idle, .idle) : (cap, .cap)
    case (let idle?, nil): return (idle, .idle)
    case (nil, let cap?): return (cap, .cap)
    case (nil, nil): return nil
    }
  }
}
