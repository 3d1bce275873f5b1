import ByteCoding
import Platform
import Secrets

/// Takes lines off a socket, and the secrets that may follow them; what it has read is wiped.
struct LineReader: ~Copyable {
  private let requests: [PollRequest]
  private let milliseconds: Int?
  /// The most bytes that a line may have.
  private let longest: Int
  /// What was read and not taken yet.
  private var pending = WipedBuffer()
  /// Whether the last wait was for nothing.
  private(set) var hasWaitedInVain = false
  /// How much of it is known to hold no line feed.
  private var searched = 0

  /// - Parameters:
  ///   - number: the socket.
  ///   - milliseconds: how long nothing may come before the other side counts as gone; `nil`: for
  ///     ever.
  ///   - longest: the most bytes that a line may have.
  ///   - ending: a descriptor that ends the wait when it becomes readable.
  init(
    _ number: CInt, waitingAtMost milliseconds: Int?,
    longest: Int = ControlRequest.longestLine, orUntil ending: CInt? = nil
  ) {
    self.longest = longest
    requests = [number, ending].compactMap { $0 }.map { PollRequest($0, .readable) }
    self.milliseconds = milliseconds
  }

  /// The next line without its line feed; `nil` at the end, for one that is too long, or after the
  /// wait.
  mutating func next(from socket: borrowing Descriptor) -> [UInt8]? {
    while true {
      if let end = lineEnd {
        let line = pending.bytes.extracting(first: end).copied()
        drop(end + 1)
        return line
      }
      searched = pending.count
      guard pending.count < longest, read(from: socket) else { return nil }
    }
  }

  /// The `count` bytes that follow what was taken; `nil` when they don't come.
  mutating func secret(_ count: Int, from socket: borrowing Descriptor) -> SecretBytes? {
    while pending.count < count {
      guard read(from: socket) else { return nil }
    }
    let secret = SecretBytes(copying: pending.bytes.extracting(first: count))
    drop(count)
    return secret
  }

  /// Where the first line ends.
  private var lineEnd: Int? {
    let bytes = pending.bytes
    for i in searched..<bytes.count where bytes[i] == UInt8(ascii: "\n") { return i }
    return nil
  }

  /// Takes the first `count` bytes away.
  private mutating func drop(_ count: Int) {
    let rest = WipedBuffer(copying: pending.bytes.extracting(droppingFirst: count))
    pending = rest
    searched = 0
  }

  /// Reads some more; `false` at the end or after the wait.
  private mutating func read(from socket: borrowing Descriptor) -> Bool {
    guard waits() else { return false }
    guard
      let count = try? socket.read(atMost: max(4096, min(pending.count, 1 << 20)), into: &pending)
    else { return false }
    return count > 0
  }

  private mutating func waits() -> Bool {
    while true {
      do throws(Errno) {
        let happened = try poll(requests, milliseconds: milliseconds)
        hasWaitedInVain = happened.allSatisfy(\.isEmpty)
        return !happened[0].isEmpty
      } catch {
        if error != .interrupted { return false }
      }
    }
  }
}
