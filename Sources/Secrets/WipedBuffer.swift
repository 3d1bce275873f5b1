import CPlatform

/// A growable buffer of bytes that is overwritten before its memory is given back, also when it
/// grows and moves.
///
/// For plain text in passing and for big working buffers (the inflated document, a file to be
/// written). It has one owner, isn't locked, and never goes into a core file when it is big.
/// Keys and passwords belong in ``SecretBytes``.
///
/// Unchecked `Sendable`, because the compiler can't see into the pointer: there is one owner, and
/// the views that it lends end before it moves to another thread.
@safe
package struct WipedBuffer: ~Copyable, @unchecked Sendable {
  /// From this many bytes on memory is mapped, with huge pages where the kernel has them: the first
  /// touch of a page is dear (`docs/performance.md`).
  private static let mappedFrom = 1 << 20

  @usableFromInline var storage: UnsafeMutableRawBufferPointer
  @usableFromInline var used: Int

  // What is called for every byte or value is inlined into the modules above.

  /// The number of bytes in use.
  @inlinable package var count: Int { used }

  /// Makes an empty buffer with room for `capacity` bytes before it has to move; without any it takes no
  /// memory.
  package init(capacity: Int = 0) {
    unsafe storage =
      capacity > 0
      ? Self.allocate(max(capacity, 16)) : UnsafeMutableRawBufferPointer(start: nil, count: 0)
    used = 0
  }

  /// Makes a buffer that holds a copy of `bytes`.
  package init(copying bytes: Span<UInt8>) {
    self.init(capacity: bytes.count)
    append(bytes)
  }

  deinit {
    unsafe Self.free(storage)
  }

  /// The room before the buffer has to move, in bytes.
  @inlinable package var capacity: Int { unsafe storage.count }

  /// The bytes in use.
  @inlinable package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // SAFETY: the view borrows `self`.
      let span = unsafe Span(_unsafeElements: elements)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }

  /// The bytes in use, valid until the buffer changes or goes away.
  @inlinable var elements: UnsafeBufferPointer<UInt8> {
    // SAFETY: the first `count` bytes of `storage` are initialised.
    unsafe UnsafeRawBufferPointer(rebasing: storage[..<count]).bindMemory(to: UInt8.self)
  }

  /// The bytes in use, to be changed in place.
  @inlinable package var mutableBytes: MutableSpan<UInt8> {
    @_lifetime(&self)
    mutating get {
      // SAFETY: as above, and the view is exclusive.
      let elements = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[..<count])
        .bindMemory(to: UInt8.self)
      let span = unsafe MutableSpan(_unsafeElements: elements)
      return unsafe _overrideLifetime(span, mutating: &self)
    }
  }

  /// Some of the bytes in use, to be changed in place.
  ///
  /// - Precondition: `range` lies within `0..<count`.
  @_lifetime(&self)
  package mutating func mutableBytes(in range: Range<Int>) -> MutableSpan<UInt8> {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= count, "the range leaves the buffer")
    // SAFETY: as above.
    let elements = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[range])
      .bindMemory(to: UInt8.self)
    let span = unsafe MutableSpan(_unsafeElements: elements)
    return unsafe _overrideLifetime(span, mutating: &self)
  }

  /// Appends one byte.
  @inlinable package mutating func append(_ byte: UInt8) {
    if used == capacity { grow(to: used + 1) }
    unsafe storage[used] = byte
    used += 1
  }

  /// Appends a copy of `bytes`.
  @inlinable package mutating func append(_ bytes: Span<UInt8>) {
    guard !bytes.isEmpty else { return }
    reserve(count + bytes.count)
    unsafe bytes.withUnsafeBytes { source in
      // SAFETY: `reserve` made room; a span of another object can't overlap ours.
      let target = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count...])
      unsafe target.copyMemory(from: source)
    }
    used += bytes.count
  }

  /// Appends the UTF-8 bytes of a text of ours; not for secrets, which never are a `String`.
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { buffer in append(unsafe Span(_unsafeElements: buffer)) }
  }

  /// Appends `byteCount` zero bytes.
  package mutating func append(zeros byteCount: Int) {
    guard byteCount > 0 else { return }
    reserve(count + byteCount)
    unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count..<(count + byteCount)])
      .initializeMemory(as: UInt8.self, repeating: 0)
    used += byteCount
  }

  /// Lets `fill` append up to `limit` bytes in place.
  @inlinable package mutating func append<R, E: Error>(
    atMost limit: Int, filledBy fill: (inout OutputRawSpan) throws(E) -> R
  ) throws(E) -> R {
    reserve(count + limit)
    let target = unsafe UnsafeMutableRawBufferPointer(rebasing: storage[count..<(count + limit)])
    var output = unsafe OutputRawSpan(buffer: target, initializedCount: 0)
    let result = try fill(&output)
    used += unsafe output.finalize(for: target)
    return result
  }

  /// Makes room for `capacity` bytes in all.
  @inlinable package mutating func reserve(_ capacity: Int) {
    if capacity > self.capacity { grow(to: capacity) }
  }

  /// Makes room for at least `capacity` bytes, and for more the larger the buffer is already.
  @usableFromInline mutating func grow(to capacity: Int) {
    let wanted = unsafe max(capacity, storage.count * 2, 16)
    if unsafe storage.count >= Self.mappedFrom, let base = unsafe storage.baseAddress {
      // The kernel moves pages without copying them, so nothing is held twice.
      let size = Self.wholePages(wanted)
      guard let moved = unsafe platform_remap(base, storage.count, size) else {
        preconditionFailure("the kernel has no memory for a buffer of \(size) bytes")
      }
      unsafe storage = UnsafeMutableRawBufferPointer(start: moved, count: size)
    } else {
      let larger = unsafe Self.allocate(wanted)
      unsafe larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: storage[..<used]))
      unsafe Self.free(storage)
      unsafe storage = larger
    }
  }

  /// Overwrites and drops all but the first `newCount` bytes; the memory stays for what follows.
  package mutating func truncate(to newCount: Int) {
    guard newCount < count else { return }
    if let base = unsafe storage.baseAddress {
      unsafe platform_wipe(base + newCount, count - newCount)
    }
    used = newCount
  }

  private static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    guard count >= mappedFrom else {
      return UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    }
    let size = wholePages(count)
    guard let base = unsafe platform_map(size, 1) else {
      preconditionFailure("the kernel has no memory for a buffer of \(size) bytes")
    }
    return unsafe UnsafeMutableRawBufferPointer(start: base, count: size)
  }

  private static func wholePages(_ count: Int) -> Int { (count + 4095) / 4096 * 4096 }

  private static func free(_ storage: UnsafeMutableRawBufferPointer) {
    guard let base = storage.baseAddress else { return }
    if storage.count >= mappedFrom {
      // The kernel overwrites pages before it gives them to anyone else.
      unsafe platform_unmap(base, storage.count)
    } else {
      unsafe platform_wipe(base, storage.count)
      unsafe storage.deallocate()
    }
  }
}

/// A ``WipedBuffer`` that no longer changes and that many may hold.
package final class SharedBuffer: Sendable {
  @usableFromInline let buffer: WipedBuffer

  package init(_ buffer: consuming WipedBuffer) {
    self.buffer = buffer
  }

  /// The number of bytes.
  @inlinable package var count: Int { buffer.count }

  /// The bytes; the view keeps this object alive.
  @inlinable package var bytes: Span<UInt8> {
    @_lifetime(borrow self)
    get {
      // SAFETY: the buffer never changes, and lives as long as this object, which the view borrows.
      let span = unsafe Span(_unsafeElements: buffer.elements)
      return unsafe _overrideLifetime(span, borrowing: self)
    }
  }
}
