import Glibc
import Secrets
import Synchronization
import Testing

@testable import Platform

/// Threads that wait in a system call, and are woken to end.
@Suite(.timeLimit(.minutes(2)))
struct InterruptionTests {
  @Test func `a thread that waits in read is woken, as often as it needs`() throws {
    var pipe = try Pipe()
    let reader = pipe.takeReader()
    let writer = pipe.takeWriter()
    let end = reader.number
    let count = Mutex(0)
    let thread = try Thread.start(name: "reads") {
      let interruption = Interruption()
      var byte: UInt8 = 0
      // It goes back to sleep twice, as one does that was woken just before it waited.
      for _ in 0..<3 where unsafe read(end, &byte, 1) == -1 && Errno.last == .interrupted {
        count.withLock { $0 += 1 }
      }
      _ = consume interruption
    }
    thread.interruptAndJoin()
    #expect(count.withLock { $0 } == 3)
    _ = consume writer
    _ = consume reader
  }

  @Test func `no other signal comes, and a frame lies in memory that is locked and not dumped`()
    throws
  {
    let seen = Mutex(Seen())
    let thread = try Thread.start(name: "waits") {
      let interruption = Interruption()
      let held = Seen.now()
      _ = consume interruption
      seen.withLock { seen in
        seen = held
        seen.stackAfter = Seen.now().stack
      }
    }
    thread.interruptAndJoin()
    seen.withLock { seen in
      #expect(seen.blocked == [true, true, true, true, false])
      // Locked, and left out of dumps.
      #expect(seen.stackFlags.contains("lo"))
      #expect(seen.stackFlags.contains("dd"))
      #expect(seen.stackAfter != seen.stack)
    }
  }

  /// What a thread finds of itself.
  private struct Seen {
    /// Whether SIGTERM, SIGCHLD, SIGUSR1, SIGALRM and the one that wakes are blocked.
    var blocked: [Bool] = []
    /// Where the frames of signals go.
    var stack: UInt = 0
    var stackAfter: UInt = 0
    /// The flags of the memory there: proc(5), VmFlags.
    var stackFlags: [Substring] = []

    static func now() -> Seen {
      var seen = Seen()
      var mask = sigset_t()
      unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
      for signal in [SIGTERM, SIGCHLD, SIGUSR1, SIGALRM, Interruption.signal.rawValue] {
        seen.blocked.append(unsafe sigismember(&mask, signal) == 1)
      }
      var stack = unsafe stack_t()
      unsafe sigaltstack(nil, &stack)
      seen.stack = unsafe UInt(bitPattern: stack.ss_sp)
      seen.stackFlags = flags(of: seen.stack)
      return seen
    }

    /// The flags of the mapping that an address lies in.
    private static func flags(of address: UInt) -> [Substring] {
      guard let text = try? Files.readWhole("/proc/self/smaps", limit: 1 << 24) else { return [] }
      let bytes = text.bytes
      let lines = String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
      var isThere = false
      for line in lines.split(separator: "\n") {
        let words = line.split(separator: " ")
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        if ends.count == 2 { isThere = (ends[0]..<ends[1]).contains(address) }
        if isThere, words[0] == "VmFlags:" { return Array(words.dropFirst()) }
      }
      return []
    }
  }
}
