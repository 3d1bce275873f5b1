import Testing

@testable import Fuse

@Suite struct ServingPaceTests {
  @Test func `while requests are there nothing waits`() {
    var pace = ServingPace()
    for _ in 0..<100 {
      #expect(!pace.waitsFirst)
      pace.foundOne()
    }
  }

  @Test func `where none was there it waits, and tries without now and then`() {
    var pace = ServingPace()
    var tries = 0
    for _ in 0..<90 {
      if pace.waitsFirst {
        pace.foundOne()
      } else {
        tries += 1
        pace.foundNone()
      }
    }
    #expect(tries == 10)
  }

  @Test func `a try that finds one ends the waiting`() {
    var pace = ServingPace()
    pace.foundNone()
    for _ in 0..<8 { pace.foundOne() }
    #expect(!pace.waitsFirst)
    for _ in 0..<100 { pace.foundOne() }
    #expect(!pace.waitsFirst)
  }

  /// A wait can end with nothing: another thread took the request, or the wait was interrupted.
  @Test func `a wait in vain is followed by a wait`() {
    var pace = ServingPace()
    pace.foundNone()
    pace.foundNone()
    #expect(pace.waitsFirst)
  }
}
