import Ciphers
import Platform
import Secrets

/// `kdbxfs clip`: puts a field on the clipboard, and takes it away again after a while.
enum ClipCommand {
  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let clipboard = try Clipboard.find()
    let mark = try put(word, settings, on: clipboard)
    let turn = ClipTurn()
    if settings.clipFor == 0 { return turn.end() }
    do throws(Errno) {
      try leave(mark, turn, until: Clock.sinceBoot() + settings.clipFor, on: clipboard)
    } catch {
      clipboard.clear { mark.fits($0) }
      throw Complaint(
        "no process can be started that clears the clipboard: \(error)", exitCode: .clipboard)
    }
    guard !settings.isQuiet else { return }
    StandardStream.error.say(
      "kdbxfs: on the clipboard for \(settings.clipFor / 1_000_000_000) s")
  }

  /// Starts the process that waits, and clears the clipboard; returns when that has left the terminal,
  /// whose end would end it too.
  private static func leave(
    _ mark: Mark, _ turn: ClipTurn, until end: Int64, on clipboard: Clipboard
  ) throws(Errno) {
    var pipe = try Pipe()
    let reader = pipe.takeReader()
    // By its number, for each process has a descriptor of its own under it.
    let writer = pipe.takeWriter().release()
    // Held until somebody listens for them, so that none is lost.
    EndingSignals.hold()
    defer { EndingSignals.letGo() }
    do throws(Errno) {
      _ = try Process.fork {
        try? Process.startSession()
        try? Files.changeDirectory(to: "/")
        try? Process.detachStandardStreams()
        _ = Descriptor(owning: writer)
        try? wait(until: end)
        if turn.isOurs { clipboard.clear { mark.fits($0) } }
        turn.end()
        return 0
      }
    } catch {
      _ = Descriptor(owning: writer)
      throw error
    }
    _ = Descriptor(owning: writer)
    var nothing = WipedBuffer()
    _ = try reader.read(atMost: 1, into: &nothing)
  }

  /// Gives what tells the value again: neither it nor the vault is in memory any longer.
  private static func put(
    _ word: [UInt8], _ settings: Settings, on clipboard: Clipboard
  ) throws(Complaint) -> Mark {
    let value = try FieldReader(settings).read(word)
    guard value.count > 0 else {
      throw Complaint("'\(Path(word))' is empty", exitCode: .nothingFound)
    }
    try clipboard.put(value.bytes)
    return Mark(value.bytes)
  }

  /// Waits, or until a signal is to end us; the time that the machine sleeps counts.
  private static func wait(until end: Int64) throws(Errno) {
    let timer = try BootTimer()
    try timer.set(at: end)
    let signals = try Signals.descriptor(for: EndingSignals.all)
    while true {
      do throws(Errno) {
        _ = try poll([
          PollRequest(timer.descriptor.number, .readable), PollRequest(signals.number, .readable),
        ])
        return
      } catch .interrupted {}
    }
  }
}

/// What tells a value again without holding it: a digest under a key that nobody else has.
private struct Mark: Sendable {
  private let key = randomBytes(32)
  private let digest: [UInt8]

  init(_ value: Span<UInt8>) { digest = Self.digest(of: value, key) }

  func fits(_ value: Span<UInt8>) -> Bool {
    let other = Self.digest(of: value, key)
    return constantTimeEqual(digest.span, other.span)
  }

  private static func digest(of value: Span<UInt8>, _ key: [UInt8]) -> [UInt8] {
    HMAC.code(of: value, .sha256, key: key.span)
  }
}
