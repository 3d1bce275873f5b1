/// What can happen to a descriptor: poll(2).
package struct PollEvents: OptionSet, Hashable, Sendable {
  package let rawValue: Int16
  package init(rawValue: Int16) { self.rawValue = rawValue }

  package static let readable = PollEvents(rawValue: 0x001)
  package static let priority = PollEvents(rawValue: 0x002)
  package static let writable = PollEvents(rawValue: 0x004)
  package static let error = PollEvents(rawValue: 0x008)
  package static let hangUp = PollEvents(rawValue: 0x010)
}

/// A descriptor to wait on, by number: its owner must outlive the call.
package struct PollRequest: Hashable, Sendable {
  package var descriptor: CInt
  package var events: PollEvents

  package init(_ descriptor: CInt, _ events: PollEvents) {
    self.descriptor = descriptor
    self.events = events
  }
}

/// Waits until one of the descriptors has what was asked of it.
///
/// Gives what happened to each, in the order of `requests`; all are empty when `milliseconds` are
/// over (`nil` waits for ever). Their clock stops in sleep; what must count it uses a ``BootTimer``.
/// ``Errno/interrupted`` is thrown too, so that a signal can be looked at.
package func poll(
  _ requests: [PollRequest], milliseconds: Int? = nil
) throws(Errno) -> [PollEvents] { fatalError("not yet") }

/// A bell that any thread may ring and one waits for: eventfd(2).
package final class Bell: Sendable {
  package let descriptor: Descriptor

  package init() throws(Errno) { fatalError("not yet") }

  /// Makes the descriptor readable, until it is silenced.
  package func ring() { fatalError("not yet") }

  package func silence() { fatalError("not yet") }
}

/// An alarm clock that counts sleep (CLOCK_BOOTTIME): timerfd_create(2).
package final class BootTimer: Sendable {
  package let descriptor: Descriptor

  package init() throws(Errno) { fatalError("not yet") }

  /// Makes the descriptor readable when ``Clock/sinceBoot()`` reaches `time`; `nil`: never.
  package func set(at time: Int64?) throws(Errno) { fatalError("not yet") }

  /// Makes the descriptor unreadable until the next alarm.
  package func silence() { fatalError("not yet") }
}
