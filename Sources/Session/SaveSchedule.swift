/// When a vault is saved by itself: a small calculation over times, without a clock or a thread.
///
/// All times are nanoseconds of `CLOCK_BOOTTIME`, so that sleep counts.
///
/// - `quiet` after the last change, and `latest` after the first one at the latest.
/// - Until `latest` it waits for handles with unsettled writes and for fields whose name was moved
///   aside.
/// - A name that was too young for the last save is due by itself.
/// - A save that failed is tried again after ``retries``, whatever changes meanwhile.
struct SaveSchedule: Hashable, Sendable {
  /// How long after a failure the next try comes; the last one repeats.
  static let retries: [Int64] = [5_000_000_000, 60_000_000_000, 300_000_000_000]

  /// What the tree says, as far as it changes the time.
  struct Waiting: Hashable, Sendable {
    /// Something is half done: unsettled writes, a name moved aside.
    var isUnsettled = false
    /// When a new name is old enough to be stored, if one isn't yet.
    var newNameDue: Int64?
  }

  /// How long nothing must change; 0: nothing happens by itself but trying again.
  private let quiet: Int64
  private let latest: Int64
  private var firstChange: Int64?
  private var lastChange: Int64?
  private var failures = 0
  private var retryAt: Int64?

  init(quiet: Int64, latest: Int64) {
    self.quiet = quiet
    self.latest = max(quiet, latest)
  }

  /// Something changed that wants saving.
  ///
  /// Gives whether that may bring the next look at the schedule forward: of a row of changes only the
  /// first does, the others put a save off.
  mutating func changed(at now: Int64) -> Bool {
    lastChange = now
    guard firstChange == nil else { return false }
    firstChange = now
    return true
  }

  /// A save begins; it holds every change so far.
  mutating func began() {
    firstChange = nil
    lastChange = nil
  }

  mutating func succeeded() {
    failures = 0
    retryAt = nil
  }

  mutating func failed(at now: Int64) {
    retryAt = now + Self.retries[min(failures, Self.retries.count - 1)]
    failures += 1
  }

  /// Whether the last save failed.
  var isRetrying: Bool { retryAt != nil }

  /// When a save is due; `nil`: not before something else happens.
  func due(_ waiting: Waiting) -> Int64? {
    if let retryAt { return retryAt }
    guard quiet > 0 else { return nil }
    guard let firstChange, let lastChange else { return waiting.newNameDue }
    let end = firstChange + latest
    if waiting.isUnsettled { return end }
    return min(lastChange + quiet, end, waiting.newNameDue ?? .max)
  }

  /// When to look at ``due(_:)`` again, if nothing is due now; `nil`: when something changes.
  ///
  /// What is waited for may come to rest without a word, so that is looked at once a quiet time.
  func nextLook(_ waiting: Waiting, at now: Int64) -> Int64? {
    guard let due = due(waiting) else { return nil }
    return waiting.isUnsettled && quiet > 0 && retryAt == nil ? min(due, now + quiet) : due
  }
}
