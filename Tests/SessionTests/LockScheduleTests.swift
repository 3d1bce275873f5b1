import Testing

@testable import Session

/// When a vault is locked by itself, to the table of `docs/locking.md`.
@Suite struct LockScheduleTests {
  struct Case: CustomTestStringConvertible, Sendable {
    let what: String
    var idle: Int64 = 0
    var cap: Int64 = 0
    var lastUse: Int64 = 0
    var writersUntil: Int64?
    var unlockedAt: Int64 = 0
    var now: Int64 = 0
    let due: Int64?
    var reason = LockReason.idle
    var testDescription: String { what }
  }

  static let cases = [
    Case(what: "never", due: nil),
    Case(what: "after the last use", idle: 100, lastUse: 40, now: 60, due: 140),
    Case(
      what: "an open writer is use now", idle: 100, lastUse: 40, writersUntil: 900, now: 60,
      due: 160),
    Case(
      what: "a writer counts to its limit", idle: 100, lastUse: 40, writersUntil: 50, now: 60,
      due: 150),
    Case(
      what: "use after a writer's limit", idle: 100, lastUse: 55, writersUntil: 50, now: 60,
      due: 155),
    Case(
      what: "the cap heeds no use", cap: 300, lastUse: 290, unlockedAt: 10, now: 295, due: 310,
      reason: .cap),
    Case(
      what: "the first of both", idle: 100, cap: 300, lastUse: 290, unlockedAt: 10, now: 295,
      due: 310, reason: .cap),
    Case(
      what: "idle before the cap", idle: 100, cap: 300, lastUse: 20, unlockedAt: 10, now: 30,
      due: 120),
  ]

  @Test(arguments: cases)
  func `it is due`(example: Case) {
    let schedule = LockSchedule(idle: example.idle, cap: example.cap)
    let due = schedule.due(
      at: example.now, lastUse: example.lastUse, writersUntil: example.writersUntil,
      unlockedAt: example.unlockedAt)
    #expect(due?.time == example.due)
    if example.due != nil { #expect(due?.reason == example.reason) }
  }
}
