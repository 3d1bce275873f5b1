import Ciphers
import KDBX
import Secrets

/// A file's bytes while it is open: resting until something is written, plain while it is.
///
/// Limits are the caller's business. The document is asked for only where it is needed, because
/// that may mean taking a lock.
struct GatheredBytes: ~Copyable {
  private var base: RestingBytes
  private var baseCount: Int
  private var plain = WipedBuffer()
  private var isPlain = false

  /// The bytes of `base`, which are `count`.
  init(_ base: RestingBytes, count: Int) {
    self.base = base
    baseCount = count
  }

  /// The number of bytes.
  var count: Int { isPlain ? plain.count : baseCount }

  /// Lets the bytes rest as `base`, and wipes what was plain.
  mutating func rest(as base: RestingBytes, count: Int) {
    self.base = base
    baseCount = count
    plain = WipedBuffer()
    isPlain = false
  }

  /// Seals what is plain; gives what rests now.
  mutating func rest(sealedBy key: SealingKey) -> RestingBytes {
    guard isPlain else { return base }
    rest(as: .text(.sealed(key.seal(plain.bytes))), count: plain.count)
    return base
  }

  /// Forgets all bytes.
  mutating func clear() {
    plain = WipedBuffer()
    isPlain = true
  }

  /// Makes the bytes plain, so that they can be changed and seen.
  mutating func open(_ document: () -> Document) throws(TreeError) {
    guard !isPlain else { return }
    var opened = WipedBuffer(capacity: baseCount)
    try base.open(in: document(), into: &opened)
    plain = opened
    isPlain = true
  }

  mutating func write(
    _ bytes: Span<UInt8>, at offset: Int, _ document: () -> Document
  ) throws(TreeError) {
    try open(document)
    plain.overwrite(at: offset, with: bytes)
  }

  mutating func resize(to count: Int, _ document: () -> Document) throws(TreeError) {
    if count == 0 { return clear() }
    try open(document)
    plain.resize(to: count)
  }

  /// Appends the bytes of `range` to `output`; what lies beyond the end is left out.
  ///
  /// `values` opens texts; `key` is asked for only where something is sealed.
  mutating func read(
    _ range: Range<Int>, sealedBy key: () -> SealingKey, _ values: ValueSource,
    _ document: () -> Document, into output: inout WipedBuffer
  ) throws(TreeError) {
    if isPlain {
      output.append(plain.bytes.extracting(range.clamped(to: 0..<plain.count)))
      return
    }
    if case .text(let text) = base, range == 0..<baseCount {
      // All of it at once, as most files are read.
      values.open(text, into: &output)
      return
    }
    if !base.opensInParts, baseCount > range.count {
      // Read in pieces: sealed anew once, so that the next piece doesn't open all of it again.
      var whole = WipedBuffer(capacity: baseCount)
      try base.open(in: document(), into: &whole)
      base = .text(.sealed(key().seal(whole.bytes)))
      output.append(whole.bytes.extracting(range.clamped(to: 0..<whole.count)))
      return
    }
    try base.open(range, in: document(), into: &output)
  }

  /// Gives `body` a view of the bytes, which are plain (``open(_:)``).
  borrowing func withPlain<R, E: Error>(_ body: (Span<UInt8>) throws(E) -> R) throws(E) -> R {
    try body(plain.bytes)
  }
}
