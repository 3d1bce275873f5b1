import CPlatform

/// Whole pages with one owner, for bytes in passing that others write: each is locked when it is first
/// touched, none goes into a core file, and all are overwritten with the value's end.
///
/// Where the limit of locked memory doesn't allow it, they are used unlocked (the swap is then the only
/// difference), like every locked memory of ours.
@safe
package struct LockedPages: ~Copyable {
  /// Where they start: `count` bytes, zero at first; valid while the value is there.
  package let base: UnsafeMutableRawPointer
  /// How many bytes there are.
  package let count: Int

  /// Maps pages for `count` bytes.
  ///
  /// - Precondition: there is memory; a process that can't get it can't go on.
  package init(count: Int) {
    guard let base = unsafe platform_map(count, 0) else {
      preconditionFailure("the kernel has no memory for a buffer of \(count) bytes")
    }
    unsafe self.base = base
    self.count = count
    _ = unsafe platform_lock_when_touched(base, count)
  }

  deinit {
    wipe(first: count)
    unsafe platform_unmap(base, count)
  }

  /// Overwrites the first bytes, all where there aren't so many.
  package func wipe(first wiped: Int) {
    unsafe platform_wipe(base, min(max(wiped, 0), count))
  }
}
