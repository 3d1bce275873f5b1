import CPlatform

/// Bytes that must not outlive their use: a password, a key.
///
/// A value is unique (copying it doesn't compile), lies on locked pages, is overwritten when it goes
/// away, and is read only inside ``withBytes(_:)``, whose view can't be kept.
///
/// For keys and passwords only: locked memory is scarce. Decrypted fields and other large or passing
/// plain text belong in a ``WipedBuffer``.
///
/// Unchecked `Sendable`, because the compiler can't see into the pointer: the bytes are written
/// only in `init`, before anyone else has the value, and freed only in `deinit`, after everyone.
@safe
package struct SecretBytes: ~Copyable, @unchecked Sendable {
  private let storage: UnsafeMutableRawBufferPointer

  /// The number of bytes; zero is allowed, because an empty password is a password.
  package let count: Int

  /// Makes room for `count` bytes and lets `fill` write them in place.
  ///
  /// If `fill` throws, what it had written is overwritten before the error goes on.
  ///
  /// - Precondition: `fill` appends exactly `count` bytes.
  package init<E: Error>(
    count: Int, filledBy fill: (inout OutputRawSpan) throws(E) -> Void
  ) throws(E) {
    let storage = unsafe LockedMemory.allocate(count)
    do throws(E) {
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
      var output = unsafe OutputRawSpan(buffer: target, initializedCount: 0)
      try fill(&output)
      let written = unsafe output.finalize(for: target)
      precondition(written == count, "a secret of \(count) bytes was filled with \(written)")
    } catch {
      unsafe LockedMemory.free(storage)
      throw error
    }
    unsafe self.storage = storage
    self.count = count
  }

  /// Makes a secret of a copy of `bytes`; overwriting the original is the caller's duty.
  package init(copying bytes: Span<UInt8>) {
    self.init(count: bytes.count) { output in
      for i in bytes.indices { output.append(bytes[i]) }
    }
  }

  /// Makes room for `count` zero bytes and lets `fill` change them in place.
  ///
  /// For C functions that want a buffer of a known size.
  package init<E: Error>(
    zeroed count: Int, changedBy fill: (inout MutableSpan<UInt8>) throws(E) -> Void
  ) throws(E) {
    let storage = unsafe LockedMemory.allocate(count)
    do throws(E) {
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
      var span = unsafe MutableSpan(_unsafeElements: target.bindMemory(to: UInt8.self))
      try fill(&span)
    } catch {
      unsafe LockedMemory.free(storage)
      throw error
    }
    unsafe self.storage = storage
    self.count = count
  }

  deinit {
    unsafe LockedMemory.free(storage)
  }

  /// Gives `body` a view of the bytes that the compiler won't let it keep.
  package borrowing func withBytes<Result: ~Copyable, E: Error>(
    _ body: (Span<UInt8>) throws(E) -> Result
  ) throws(E) -> Result {
    // SAFETY: `storage` holds `count` initialised bytes for as long as `self` lives, and `body`
    // borrows `self`.
    let bytes = unsafe UnsafeRawBufferPointer(storage).bindMemory(to: UInt8.self)
    return try body(unsafe Span(_unsafeElements: bytes).extracting(first: count))
  }

  /// Gives a second secret with the same bytes.
  package borrowing func copy() -> SecretBytes {
    withBytes { SecretBytes(copying: $0) }
  }
}

extension SecretBytes {
  /// Compares all of both, so that the time taken says nothing about where they differ.
  package borrowing func matches(_ other: borrowing SecretBytes) -> Bool {
    withBytes { mine in other.withBytes { theirs in constantTimeEqual(mine, theirs) } }
  }

  /// Whether every key and password of this process lies on locked pages.
  package static var allAreLocked: Bool { LockedMemory.isFullyLocked }
}

/// Compares all of both, so that the time taken says nothing about where they differ.
package func constantTimeEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count else { return false }
  var difference: UInt8 = 0
  for i in left.indices { difference |= left[i] ^ right[i] }
  return difference == 0
}

/// A secret that many values may point to: what a copyable model stores.
///
/// Copying the model copies the reference, never the bytes; they're overwritten when the last
/// holder lets go. Printing, dumping or logging one shows nothing.
package final class SharedSecret: Sendable {
  package let bytes: SecretBytes

  package init(_ bytes: consuming SecretBytes) {
    self.bytes = bytes
  }
}

extension SharedSecret: CustomStringConvertible, CustomReflectable {
  package var description: String { "[secret]" }
  package var customMirror: Mirror { Mirror(self, children: [:]) }
}
