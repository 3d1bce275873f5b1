package import Platform

/// What the desktop tells of.
package enum DesktopEvent: Hashable, Sendable {
  /// The machine is about to sleep; it waits until the handler returns, if not for ever.
  case sleep
  /// The screen was locked.
  case screenLock
  /// The user's session at the machine has ended.
  case logout
}

/// What to watch for.
package struct DesktopEvents: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let sleep = DesktopEvents(rawValue: 1)
  package static let screenLock = DesktopEvents(rawValue: 2)
  package static let logout = DesktopEvents(rawValue: 4)
  package static let all: DesktopEvents = [.sleep, .screenLock, .logout]
}

/// Listens to logind and to screen savers, on a thread of its own.
///
/// sd-bus is loaded when the machine has it. Without it, or without a bus, nothing is told and nothing
/// is the worse for it.
package final class DesktopWatcher: Sendable {
  private let ending: Bell
  private let ended: Bell

  /// Starts listening; `handler` is called on the watcher's thread.
  ///
  /// `isReady` is called there once what can be watched is watched.
  package init(
    _ events: DesktopEvents, isReady: @escaping @Sendable () -> Void = {},
    handler: @escaping @Sendable (DesktopEvent) -> Void
  ) throws(Errno) {
    let (ending, ended) = (try Bell(), try Bell())
    self.ending = ending
    self.ended = ended
    _ = try Thread.start(name: "desktop") {
      Signals.blockAll()
      var ears = Ears(events, handler)
      isReady()
      ears.listen(until: ending)
      ended.ring()
    }
  }

  /// Stops listening, and waits for the handler.
  package func stop() {
    ending.ring()
    while true {
      let happened = try? poll([PollRequest(ended.descriptor.number, .readable)])
      if happened?.first == .readable { return }
    }
  }
}

/// What the watcher's thread holds.
private struct Ears: ~Copyable {
  /// How long a bus that went away is let be before it is looked for again, in milliseconds.
  private static let pause = 30_000

  private let events: DesktopEvents
  private let handler: @Sendable (DesktopEvent) -> Void
  private var system: BusConnection?
  private var user: BusConnection?
  /// Buses that were there and went away.
  private var isMissingSystem = false
  private var isMissingUser = false
  /// Holds sleep up while it is open.
  private var inhibitor: Descriptor?
  /// logind's path of the session in which we were started.
  private var session: String?

  init(_ events: DesktopEvents, _ handler: @escaping @Sendable (DesktopEvent) -> Void) {
    self.events = events
    self.handler = handler
    connectToSystem()
    connectToUser()
  }

  // MARK: - Connections

  private mutating func connectToSystem() {
    guard !events.isEmpty, let bus = BusConnection(system: true) else { return }
    let name = Process.environment("XDG_SESSION_ID").map { String(decoding: $0, as: UTF8.self) }
    session = (name.flatMap { bus.sessionPath($0) }) ?? bus.sessionPath(nil)
    if events.contains(.sleep) { bus.watch(for: .prepareForSleep) }
    // Where our session isn't known, the lock of any counts: one too many does no harm.
    if events.contains(.screenLock) { bus.watch(for: .sessionLock, path: session) }
    if events.contains(.logout), session != nil { bus.watch(for: .sessionRemoved) }
    system = consume bus
    isMissingSystem = false
    holdSleep()
  }

  private mutating func connectToUser() {
    guard events.contains(.screenLock), let bus = BusConnection(system: false) else { return }
    bus.watch(for: .freedesktopScreenSaver)
    bus.watch(for: .gnomeScreenSaver)
    user = consume bus
    isMissingUser = false
  }

  private mutating func holdSleep() {
    guard events.contains(.sleep), inhibitor == nil else { return }
    switch system {
    case .some(let bus):
      if let number = bus.inhibitSleep() { inhibitor = Descriptor(owning: number) }
    case .none: break
    }
  }

  private mutating func letSleep() { inhibitor = nil }

  // MARK: - Listening

  mutating func listen(until ending: Bell) {
    while true {
      // First of all: what came with the answers to our calls waits in memory, and wakes nobody.
      hearSystem()
      hearUser()
      var requests = [PollRequest(ending.descriptor.number, .readable)]
      Self.add(system, to: &requests)
      Self.add(user, to: &requests)
      let isMissing = isMissingSystem || isMissingUser
      let happened = try? poll(requests, milliseconds: isMissing ? Self.pause : nil)
      guard let happened else { continue }
      if !happened[0].isEmpty { return }
      if isMissing, happened.allSatisfy(\.isEmpty) {
        if isMissingSystem { connectToSystem() }
        if isMissingUser { connectToUser() }
      }
    }
  }

  /// Adds what a connection waits for.
  private static func add(
    _ bus: borrowing BusConnection?, to requests: inout [PollRequest]
  ) {
    switch bus {
    case .some(let bus):
      requests.append(PollRequest(bus.descriptor, PollEvents(rawValue: bus.events)))
    case .none: break
    }
  }

  private static func hear(_ bus: borrowing BusConnection?) -> [BusConnection.Signal]? {
    switch bus {
    case .some(let bus): bus.signals()
    case .none: []
    }
  }

  private mutating func hearSystem() {
    guard let signals = Self.hear(system) else {
      system = nil
      isMissingSystem = true
      return letSleep()
    }
    for signal in signals { take(signal) }
  }

  private mutating func hearUser() {
    guard let signals = Self.hear(user) else {
      user = nil
      isMissingUser = true
      return
    }
    for signal in signals { take(signal) }
  }

  private mutating func take(_ signal: BusConnection.Signal) {
    switch (signal.watch, signal.flag) {
    case (.prepareForSleep, true):
      handler(.sleep)
      letSleep()
    case (.prepareForSleep, false): holdSleep()
    case (.sessionLock, _), (.freedesktopScreenSaver, true), (.gnomeScreenSaver, true):
      handler(.screenLock)
    case (.sessionRemoved, _): if signal.path == session { handler(.logout) }
    case (.freedesktopScreenSaver, false), (.gnomeScreenSaver, false): break
    }
  }
}
