import CPlatform
import Glibc

/// What can happen to a descriptor: poll(2).
package struct PollEvents: OptionSet, Hashable, Sendable {
  package let rawValue: Int16
  package init(rawValue: Int16) { self.rawValue = rawValue }

  package static let readable = PollEvents(rawValue: Int16(POLLIN))
  package static let priority = PollEvents(rawValue: Int16(POLLPRI))
  package static let writable = PollEvents(rawValue: Int16(POLLOUT))
  package static let error = PollEvents(rawValue: Int16(POLLERR))
  package static let hangUp = PollEvents(rawValue: Int16(POLLHUP))
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
) throws(Errno) -> [PollEvents] {
  var descriptors = requests.map {
    pollfd(fd: $0.descriptor, events: $0.events.rawValue, revents: 0)
  }
  let limit = milliseconds.map { CInt(clamping: max($0, 0)) } ?? -1
  guard unsafe Glibc.poll(&descriptors, nfds_t(descriptors.count), limit) >= 0 else {
    throw .last
  }
  return descriptors.map { PollEvents(rawValue: $0.revents) }
}

/// A bell that any thread may ring and one waits for: eventfd(2).
package final class Bell: Sendable {
  package let descriptor: Descriptor

  package init() throws(Errno) {
    descriptor = Descriptor(owning: try systemCall { platform_bell() })
  }

  /// Makes the descriptor readable, until it is silenced.
  package func ring() {
    var one: UInt64 = 1
    // It can only fail when it has been rung 2^64 times, and then it is readable.
    unsafe _ = Glibc.write(descriptor.number, &one, 8)
  }

  package func silence() {
    emptyCounter(descriptor)
  }
}

/// An alarm clock that counts sleep (CLOCK_BOOTTIME): timerfd_create(2).
package final class BootTimer: Sendable {
  package let descriptor: Descriptor

  package init() throws(Errno) {
    descriptor = Descriptor(owning: try systemCall { platform_timer() })
  }

  /// Makes the descriptor readable when ``Clock/sinceBoot()`` reaches `time`; `nil`: never.
  package func set(at time: Int64?) throws(Errno) {
    let number = descriptor.number
    // To the kernel, 0 means never; what lies in the past is due at once.
    let time = time.map { max($0, 1) } ?? 0
    try systemCall { platform_timer_set(number, time / 1_000_000_000, time % 1_000_000_000) }
  }

  /// Makes the descriptor unreadable until the next alarm.
  package func silence() {
    emptyCounter(descriptor)
  }
}

/// Reads the 8 bytes that such descriptors hold, if they hold any.
private func emptyCounter(_ descriptor: borrowing Descriptor) {
  var count: UInt64 = 0
  unsafe _ = Glibc.read(descriptor.number, &count, 8)
}
