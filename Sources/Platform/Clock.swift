import Glibc

/// A moment or a span of time as the kernel counts it.
package struct ClockTime: Hashable, Comparable, Sendable {
  package var seconds: Int64
  /// 0 to 999,999,999.
  package var nanoseconds: Int32

  package init(seconds: Int64, nanoseconds: Int32) {
    self.seconds = seconds
    self.nanoseconds = nanoseconds
  }

  init(_ time: timespec) {
    self.init(
      seconds: Int64(time.tv_sec), nanoseconds: Int32(truncatingIfNeeded: time.tv_nsec))
  }

  package static func < (left: ClockTime, right: ClockTime) -> Bool {
    (left.seconds, left.nanoseconds) < (right.seconds, right.nanoseconds)
  }
}

/// The two clocks that we look at.
package enum Clock {
  /// The time of day, in UTC since 1970; it may be set, and jump.
  package static func wall() -> ClockTime { read(CLOCK_REALTIME) }

  /// Nanoseconds since the machine started, sleep included; it never goes back.
  package static func sinceBoot() -> Int64 {
    let time = read(CLOCK_BOOTTIME)
    return time.seconds * 1_000_000_000 + Int64(time.nanoseconds)
  }

  /// How many milliseconds are left until ``sinceBoot()`` is `time`, rounded up; not above 0 when it is.
  static func milliseconds(until time: Int64) -> Int {
    Int((time - sinceBoot() + 999_999) / 1_000_000)
  }

  private static func read(_ clock: CInt) -> ClockTime {
    var time = timespec()
    let result = unsafe clock_gettime(clock, &time)
    precondition(result == 0, "clock \(clock) can't be read")
    return ClockTime(time)
  }
}
