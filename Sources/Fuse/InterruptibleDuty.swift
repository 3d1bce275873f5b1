import CFuse3
import Platform
import Synchronization

/// A duty that is kept while an interrupt may come: what libfuse holds a pointer to meanwhile.
///
/// Whoever takes the duty out of the phase answers it and then gives back the reference that libfuse
/// held. An interrupt comes under a lock of the request's own; `fuse_req_interrupt_func` takes the same
/// one, so after it was called to unregister, no interrupt is running and none will come.
final class InterruptibleDuty: Sendable {
  private enum Phase: ~Copyable {
    case new
    /// libfuse is just being told of the callback, and may call it before it returns.
    case registering(Duty, isInterrupted: Bool)
    case waiting(Duty)
    case answered
  }

  private let phase = Mutex<Phase>(.new)

  func begin(_ duty: consuming Duty) {
    let request = unsafe duty.pending
    var duty: Duty? = consume duty
    phase.withLock { phase in
      if let duty = duty.take() { phase = .registering(duty, isInterrupted: false) }
    }
    // SAFETY: the request is unanswered, since the duty is in `phase`, and only this function takes
    // it from there until it is `.waiting`.
    unsafe fuse_req_interrupt_func(
      request, Self.interrupted, Unmanaged.passRetained(self).toOpaque())
    let interrupted = phase.withLock { phase -> Duty? in
      switch consume phase {
      case .registering(let duty, isInterrupted: false):
        phase = .waiting(duty)
        return nil
      case .registering(let duty, isInterrupted: true):
        phase = .answered
        return duty
      case let other:
        phase = other
        return nil
      }
    }
    // Not answered in the callback: there libfuse still needs the request that an answer frees.
    if let interrupted { unregistered(interrupted).failure(.interrupted) }
  }

  /// Gives the duty to whoever asks first; `nil` afterwards, and once the process was interrupted.
  func take() -> Duty? {
    guard let duty = takeWaiting() else { return nil }
    return unregistered(duty)
  }

  /// Answers `EIO`, unless it was taken or answered.
  func abandon() {
    guard let duty = take() else { return }
    duty.failure(.inputOutput)
  }

  /// The duty, if it waits for an answer; one that is just being registered is marked if `isInterrupted`.
  private func takeWaiting(isInterrupted: Bool = false) -> Duty? {
    phase.withLock { phase -> Duty? in
      switch consume phase {
      case .registering(let duty, isInterrupted: let before):
        phase = .registering(duty, isInterrupted: before || isInterrupted)
        return nil
      case .waiting(let duty):
        phase = .answered
        return duty
      case let other:
        phase = other
        return nil
      }
    }
  }

  private func unregistered(_ duty: consuming Duty) -> Duty {
    unsafe fuse_req_interrupt_func(duty.pending, nil, nil)
    unsafe Unmanaged.passUnretained(self).release()
    return duty
  }

  /// What libfuse calls when the process that asked is interrupted.
  private static let interrupted: @convention(c) (fuse_req_t?, UnsafeMutableRawPointer?) -> Void = {
    _, data in
    guard let data = unsafe data else { return }
    // SAFETY: registered with a reference of its own, which is given back below or after
    // unregistering.
    let registration = unsafe Unmanaged<InterruptibleDuty>.fromOpaque(data)
    unsafe registration.takeUnretainedValue().interrupt(registration)
  }

  private func interrupt(_ registration: Unmanaged<InterruptibleDuty>) {
    guard let duty = takeWaiting(isInterrupted: true) else { return }
    // libfuse holds the request while it calls, so an answer here doesn't free it under its hands.
    duty.failure(.interrupted)
    unsafe registration.release()
  }
}
