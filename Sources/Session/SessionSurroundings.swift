package import Platform
import Synchronization

/// What a session takes from the machine that it runs on; tests give it something else.
package struct SessionSurroundings: Sendable {
  package let clock: SessionClock
  /// Where edits go that can't be saved; `nil`: nowhere.
  package let stateFolder: Path?
  /// Makes them, in the process that serves the mount.
  package typealias Maker = @Sendable () throws(Errno) -> SessionSurroundings

  /// The machine's own.
  package static let machine: Maker = { () throws(Errno) in
    SessionSurroundings(clock: try SessionClock())
  }

  /// Asked before each step of a save; what it throws is taken for the machine's answer.
  package typealias SaveProbe = @Sendable (ReplacementError.Step) throws(Errno) -> Void
  let saveProbe: SaveProbe

  /// The machine's own, or what is given in its place.
  package init(
    clock: SessionClock, stateFolder: Path? = RescueFile.usualFolder,
    saveProbe: @escaping SaveProbe = { _ in }
  ) {
    self.clock = clock
    self.stateFolder = stateFolder
    self.saveProbe = saveProbe
  }
}

/// The clocks that one session goes by, and its alarm: those of the machine, which a test can put
/// forward.
///
/// Safe to call from any thread.
package final class SessionClock: Sendable {
  private let timer: BootTimer
  /// How far the clocks are put forward, in nanoseconds; changed while `alarmTime` is held.
  private let ahead = Atomic<Int64>(0)
  /// The alarm that is set.
  private let alarmTime = Mutex<Int64?>(nil)

  package init() throws(Errno) { timer = try BootTimer() }

  /// Nanoseconds since the machine started, sleep included.
  func sinceBoot() -> Int64 { Clock.sinceBoot() + ahead.load(ordering: .relaxed) }

  /// The time of day.
  func wall() -> ClockTime {
    let ahead = ahead.load(ordering: .relaxed)
    let now = Clock.wall()
    let nanoseconds = Int64(now.nanoseconds) + ahead % 1_000_000_000
    return ClockTime(
      seconds: now.seconds + ahead / 1_000_000_000 + nanoseconds / 1_000_000_000,
      nanoseconds: Int32(truncatingIfNeeded: nanoseconds % 1_000_000_000))
  }

  /// Puts both clocks forward, as a long sleep would; an alarm that lies behind goes off.
  package func advance(by nanoseconds: Int64) {
    alarmTime.withLock { time in
      ahead.add(nanoseconds, ordering: .relaxed)
      set(time)
    }
  }

  /// Readable when the alarm has gone off.
  var alarm: CInt { timer.descriptor.number }

  /// Has the alarm go off at a time of ``sinceBoot()``; `nil`: never.
  func setAlarm(at time: Int64?) {
    alarmTime.withLock { alarm in
      alarm = time
      set(time)
    }
  }

  private func set(_ time: Int64?) {
    let ahead = ahead.load(ordering: .relaxed)
    try? timer.set(at: time.map { $0 - ahead })
  }

  func silence() { timer.silence() }
}
