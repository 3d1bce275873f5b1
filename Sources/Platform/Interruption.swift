import Glibc
import Secrets

/// Lets the thread that holds it be woken out of a system call that it waits in, by
/// ``Thread/interruptAndJoin()`` and by nothing else: all other signals are blocked.
///
/// The frame of a signal holds the registers, and with them pieces of what the thread works on. So it comes
/// to lie on a stack of its own, in locked memory that is kept out of core files, and is overwritten with
/// the value's end.
///
/// Make it and let it go on one thread.
@safe
package struct Interruption: ~Copyable {
  /// What nobody minds that doesn't wait for it: its default is to be ignored.
  static let signal = Signal(rawValue: SIGURG)
  /// Far more than a frame takes (12 KiB, with all registers that there are).
  private static let stackSize = 1 << 16

  private let stack = LockedPages(count: Self.stackSize)
  /// The stack that signals had before: a sanitizer gives each thread one.
  private let before: stack_t

  package init() {
    Self.install()
    var before = unsafe stack_t()
    var ours = unsafe stack_t(ss_sp: stack.base, ss_flags: 0, ss_size: stack.count)
    unsafe sigaltstack(&ours, &before)
    unsafe self.before = before
    Signals.blockAll()
    Signals.unblock([Self.signal])
  }

  deinit {
    Signals.block([Self.signal])
    var before = unsafe before
    unsafe sigaltstack(&before, nil)
  }

  /// Has the signal do nothing but end a system call: without a handler it wouldn't do that, and with
  /// SA_RESTART the call would go on.
  private static func install() {
    var action = sigaction()
    unsafe action.__sigaction_handler.sa_handler = { _ in }
    action.sa_flags = SA_ONSTACK
    unsafe sigaction(signal.rawValue, &action, nil)
  }
}
