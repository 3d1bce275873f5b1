import CDesktopBus

/// A connection to a message bus; used by one thread.
@safe
struct BusConnection: ~Copyable {
  /// What is watched for; the raw value is what sd-bus' side calls it.
  enum Watch: CInt, CaseIterable {
    case prepareForSleep, sessionLock, sessionRemoved, freedesktopScreenSaver, gnomeScreenSaver
  }

  /// A signal that came.
  struct Signal {
    let watch: Watch
    let flag: Bool
    let path: String
  }

  private let bus: OpaquePointer

  /// Connects; `nil` where there is no sd-bus, or no bus.
  init?(system: Bool) {
    guard let bus = unsafe desktop_bus_open(system ? 1 : 0) else { return nil }
    unsafe self.bus = bus
  }

  deinit { unsafe desktop_bus_close(bus) }

  /// Watches for a signal; `path` is that of its sender, `nil` for any.
  @discardableResult
  borrowing func watch(for watch: Watch, path: String? = nil) -> Bool {
    switch watch {
    case .prepareForSleep:
      match(watch, Self.logind, "\(Self.logind).Manager", "PrepareForSleep", path, "b")
    case .sessionLock: match(watch, Self.logind, "\(Self.logind).Session", "Lock", path, "")
    case .sessionRemoved:
      match(watch, Self.logind, "\(Self.logind).Manager", "SessionRemoved", path, "so")
    case .freedesktopScreenSaver:
      match(watch, nil, "org.freedesktop.ScreenSaver", "ActiveChanged", path, "b")
    case .gnomeScreenSaver:
      match(watch, nil, "org.gnome.ScreenSaver", "ActiveChanged", path, "b")
    }
  }

  private static let logind = "org.freedesktop.login1"

  private borrowing func match(
    _ watch: Watch, _ sender: String?, _ interface: String, _ member: String, _ path: String?,
    _ arguments: String
  ) -> Bool {
    // SAFETY: sd-bus copies the texts.
    unsafe desktop_bus_watch(bus, watch.rawValue, sender, path, interface, member, arguments) >= 0
  }

  /// What poll(2) is to wait for.
  var descriptor: CInt { unsafe desktop_bus_descriptor(bus) }
  var events: Int16 { unsafe desktop_bus_events(bus) }

  /// Takes what came; `nil` when the connection is gone.
  borrowing func signals() -> [Signal]? {
    guard unsafe desktop_bus_process(bus) >= 0 else { return nil }
    var signals: [Signal] = []
    var next = desktop_signal()
    while unsafe desktop_bus_next(bus, &next) != 0 {
      guard let watch = Watch(rawValue: next.watch) else { continue }
      let path = unsafe withUnsafeBytes(of: &next.path) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      signals.append(Signal(watch: watch, flag: next.flag != 0, path: path))
    }
    return signals
  }

  /// Has logind wait before the machine sleeps, while the descriptor that it gives is open; `nil` where
  /// it doesn't.
  borrowing func inhibitSleep() -> CInt? {
    let result = unsafe desktop_bus_inhibit_sleep(bus)
    return result >= 0 ? result : nil
  }

  /// logind's path for a session, or for that of this process; `nil` where it knows none.
  borrowing func sessionPath(_ name: String?) -> String? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      guard let base = buffer.baseAddress,
        unsafe desktop_bus_session(bus, name, base, buffer.count) >= 0
      else { return nil }
      return unsafe String(cString: base)
    }
  }
}
