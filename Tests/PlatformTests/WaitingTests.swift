import Glibc
import Platform
import Synchronization
import Testing

@Suite struct WaitingTests {
  /// Far longer than any test waits, so that none hangs for ever.
  static let enough = 60_000

  @Test func `a bell rings until it is silenced`() throws {
    let bell = try Bell()
    let request = [PollRequest(bell.descriptor.number, .readable)]
    #expect(try poll(request, milliseconds: 0) == [[]])
    bell.ring()
    bell.ring()
    #expect(try poll(request, milliseconds: Self.enough) == [.readable])
    #expect(try poll(request) == [.readable])
    bell.silence()
    bell.silence()
    #expect(try poll(request, milliseconds: 0) == [[]])
  }

  @Test func `a bell wakes another thread`() throws {
    let bell = try Bell()
    let answer = try Bell()
    let thread = try Thread.start(name: "waiter with a long name") {
      _ = try? poll([PollRequest(bell.descriptor.number, .readable)], milliseconds: Self.enough)
      answer.ring()
    }
    bell.ring()
    let request = [PollRequest(answer.descriptor.number, .readable)]
    #expect(try poll(request, milliseconds: Self.enough) == [.readable])
    thread.join()
  }

  @Test func `a timer goes off when it is due, and not otherwise`() throws {
    let timer = try BootTimer()
    let request = [PollRequest(timer.descriptor.number, .readable)]
    #expect(try poll(request, milliseconds: 0) == [[]])
    let due = Clock.sinceBoot() + 5_000_000
    try timer.set(at: due)
    #expect(try poll(request, milliseconds: Self.enough) == [.readable])
    #expect(Clock.sinceBoot() >= due)
    timer.silence()
    #expect(try poll(request, milliseconds: 0) == [[]])
    for past in [0, -1, 1] as [Int64] {
      try timer.set(at: past)
      #expect(try poll(request, milliseconds: Self.enough) == [.readable])
      timer.silence()
    }
    try timer.set(at: Clock.sinceBoot() + 3_600_000_000_000)
    #expect(try poll(request, milliseconds: 0) == [[]])
    try timer.set(at: 1)
    try timer.set(at: nil)
    #expect(try poll(request, milliseconds: 0) == [[]])
  }

  @Test func `a pipe tells of its end`() throws {
    var pipe = try Pipe()
    let reader = pipe.takeReader()
    let request = [PollRequest(reader.number, .readable)]
    let writer = pipe.takeWriter()
    #expect(try poll(request, milliseconds: 0) == [[]])
    try writer.writeAll([1].span)
    #expect(try poll(request, milliseconds: Self.enough) == [.readable])
    try writer.close()
    #expect(try poll(request, milliseconds: Self.enough)[0].contains(.hangUp))
    withExtendedLifetime(reader) {}
  }

  @Test func `threads do their work and can be waited for`() throws {
    let sum = Atomic(0)
    for number in 1...10 {
      let thread = try Thread.start(name: "adder") {
        sum.wrappingAdd(number, ordering: .relaxed)
      }
      thread.join()
    }
    #expect(sum.load(ordering: .relaxed) == 55)
  }

  /// In a thread of its own, since which thread a test runs on isn't ours to change.
  @Test func `blocked signals are waited for in one thread`() throws {
    let seen = Mutex<[Signal?]>([])
    let thread = try Thread.start(name: "signals") {
      let signals: [Signal] = [.user1, .user2]
      Signals.block(signals)
      guard let descriptor = try? Signals.descriptor(for: signals) else { return }
      let none = try? Signals.next(from: descriptor)
      pthread_kill(pthread_self(), SIGUSR2)
      let fromDescriptor = try? Signals.next(from: descriptor)
      pthread_kill(pthread_self(), SIGUSR1)
      let waited = try? Signals.wait(for: signals)
      seen.withLock { $0 = [none ?? nil, fromDescriptor ?? nil, waited] }
    }
    thread.join()
    #expect(seen.withLock { $0 } == [nil, .user2, .user1])
  }

  @Test func `the clock goes on`() {
    let (before, wallBefore) = (Clock.sinceBoot(), Clock.wall())
    let (after, wallAfter) = (Clock.sinceBoot(), Clock.wall())
    #expect(before <= after)
    #expect(wallBefore.seconds > 1_700_000_000)
    #expect(abs(wallAfter.seconds - wallBefore.seconds) < 3600)
  }
}
