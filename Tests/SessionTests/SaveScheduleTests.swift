import Testing

@testable import Session

@Suite struct SaveScheduleTests {
  static func schedule(changedAt changes: [Int64], quiet: Int64 = 5, latest: Int64 = 30)
    -> SaveSchedule
  {
    var schedule = SaveSchedule(quiet: quiet, latest: latest)
    for change in changes { _ = schedule.changed(at: change) }
    return schedule
  }

  /// Changes, what else the tree says, and when a save is due.
  struct Row: Sendable {
    var changes: [Int64]
    var isUnsettled = false
    var newNameDue: Int64?
    var due: Int64?
  }

  static let rows = [
    Row(changes: [], due: nil),
    Row(changes: [100], due: 105),
    Row(changes: [100, 103], due: 108),
    Row(changes: [100, 104, 108, 112, 116, 120, 124, 128], due: 130),
    Row(changes: [100], isUnsettled: true, due: 130),
    Row(changes: [], isUnsettled: true, due: nil),
    Row(changes: [], newNameDue: 107, due: 107),
    Row(changes: [100], newNameDue: 102, due: 102),
    Row(changes: [100], newNameDue: 900, due: 105),
    Row(changes: [100], isUnsettled: true, newNameDue: 102, due: 130),
  ]

  @Test(arguments: rows)
  func `a save is due after a quiet time, and at the latest after the longest one`(row: Row) {
    let schedule = Self.schedule(changedAt: row.changes)
    let waiting = SaveSchedule.Waiting(isUnsettled: row.isUnsettled, newNameDue: row.newNameDue)
    #expect(schedule.due(waiting) == row.due)
  }

  @Test func `a save takes all changes before it, and none after it began`() {
    var schedule = Self.schedule(changedAt: [100])
    schedule.began()
    #expect(schedule.due(.init()) == nil)
    _ = schedule.changed(at: 104)
    schedule.succeeded()
    #expect(schedule.due(.init()) == 109)
  }

  @Test func `a failed save is tried again ever more rarely, whatever changes`() {
    var schedule = Self.schedule(changedAt: [0])
    var now: Int64 = 0
    for wait in [5, 60, 300, 300, 300] as [Int64] {
      schedule.began()
      schedule.failed(at: now)
      _ = schedule.changed(at: now + 1)
      #expect(schedule.isRetrying)
      #expect(schedule.due(.init(isUnsettled: true)) == now + wait * 1_000_000_000)
      now += wait * 1_000_000_000
    }
    schedule.began()
    schedule.succeeded()
    #expect(!schedule.isRetrying)
    #expect(schedule.due(.init()) == nil)
    schedule.failed(at: now)
    #expect(schedule.due(.init()) == now + 5_000_000_000)
  }

  @Test func `zero turns it off, but not trying again`() {
    var schedule = Self.schedule(changedAt: [100], quiet: 0)
    #expect(schedule.due(.init(newNameDue: 7)) == nil)
    schedule.failed(at: 100)
    #expect(schedule.due(.init()) == 5_000_000_100)
  }

  @Test func `a quiet time over the longest one makes that longer`() {
    #expect(Self.schedule(changedAt: [0, 50], quiet: 60).due(.init()) == 60)
  }

  @Test func `only the first of a row of changes brings the next look forward`() {
    var schedule = Self.schedule(changedAt: [])
    let first = schedule.changed(at: 100)
    let second = schedule.changed(at: 101)
    schedule.began()
    let third = schedule.changed(at: 102)
    #expect([first, second, third] == [true, false, true])
  }

  @Test func `what is unsettled is looked at once a quiet time`() {
    let schedule = Self.schedule(changedAt: [100])
    #expect(schedule.nextLook(.init(isUnsettled: true), at: 105) == 110)
    #expect(schedule.nextLook(.init(isUnsettled: true), at: 128) == 130)
    #expect(schedule.nextLook(.init(), at: 103) == 105)
    #expect(Self.schedule(changedAt: []).nextLook(.init(isUnsettled: true), at: 7) == nil)
  }
}
