import Ciphers
import KDBX
import Secrets
import Synchronization

/// How much room temporary files take, in all.
final class ScratchQuota: Sendable {
  /// The most bytes of temporary files beside fields.
  static let limit = 64 << 20
  /// The most bytes of temporary files in `attachments` directories: an attachment's limit.
  static let attachmentLimit = 256 << 20

  private let fields = Atomic<Int>(0)
  private let attachments = Atomic<Int>(0)

  /// The number of bytes taken.
  var used: Int { fields.load(ordering: .relaxed) + attachments.load(ordering: .relaxed) }

  /// Takes `count` bytes more (or gives back, where negative), or throws and takes none.
  func take(_ count: Int, besideAttachments: Bool) throws(TreeError) {
    if besideAttachments {
      try take(count, from: attachments, limit: Self.attachmentLimit)
    } else {
      try take(count, from: fields, limit: Self.limit)
    }
  }

  private func take(
    _ count: Int, from counter: borrowing Atomic<Int>, limit: Int
  ) throws(TreeError) {
    let sum = counter.add(count, ordering: .relaxed).newValue
    guard count <= 0 || sum <= limit else {
      counter.subtract(count, ordering: .relaxed)
      throw .noSpace
    }
  }
}

/// The content of a temporary file: in wiped memory, sealed when nobody is writing it.
///
/// Unlike a field it is one for all who have it open. Safe to call from any thread; the tree's lock may
/// be taken within its own (to read the document), never the other way round: with the tree's lock
/// held only ``count`` and ``changeCount`` may be asked for.
final class ScratchFile: Sendable {
  /// Whether it stands in an `attachments` directory.
  let isBesideAttachments: Bool
  private let quota: ScratchQuota
  private let content: Mutex<GatheredBytes>
  /// Counts the changes of the content.
  private let changes = Atomic<UInt64>(0)
  private let size: Atomic<Int>
  /// How much of the quota it has taken.
  private let taken = Atomic<Int>(0)

  /// Makes a file of `base`, which are `count` bytes that exist already elsewhere.
  init(_ base: RestingBytes, count: Int, isBesideAttachments: Bool, quota: ScratchQuota) {
    self.isBesideAttachments = isBesideAttachments
    self.quota = quota
    content = Mutex(GatheredBytes(base, count: count))
    size = Atomic(count)
  }

  deinit {
    try? quota.take(-taken.load(ordering: .relaxed), besideAttachments: isBesideAttachments)
  }

  var count: Int { size.load(ordering: .relaxed) }
  var changeCount: UInt64 { changes.load(ordering: .relaxed) }

  func write(
    _ bytes: Span<UInt8>, at offset: Int?, _ document: () -> Document
  ) throws(TreeError) {
    try content.withLock { (content) throws(TreeError) in
      let start = offset ?? content.count
      let (end, overflow) = start.addingReportingOverflow(bytes.count)
      guard !overflow else { throw .tooBig }
      try makeRoom(max(end, content.count))
      try content.write(bytes, at: start, document)
      noteChange(content.count)
    }
  }

  func resize(to count: Int, _ document: () -> Document) throws(TreeError) {
    try content.withLock { (content) throws(TreeError) in
      try makeRoom(count)
      try content.resize(to: count, document)
      noteChange(content.count)
    }
  }

  /// Makes the content what another file's was.
  func replace(with base: RestingBytes, count: Int) throws(TreeError) {
    try content.withLock { (content) throws(TreeError) in
      try makeRoom(count)
      content.rest(as: base, count: count)
      noteChange(content.count)
    }
  }

  func read(
    _ range: Range<Int>, sealedBy key: () -> SealingKey, _ values: ValueSource,
    _ document: () -> Document, into output: inout WipedBuffer
  ) throws(TreeError) {
    try content.withLock { (content) throws(TreeError) in
      try content.read(range, sealedBy: key, values, document, into: &output)
    }
  }

  /// Seals what is plain; gives what rests now, and the number of bytes.
  @discardableResult
  func rest(sealedBy key: SealingKey) -> (RestingBytes, count: Int) {
    content.withLock { content in
      let resting = content.rest(sealedBy: key)
      return (resting, content.count)
    }
  }

  private func noteChange(_ count: Int) {
    changes.add(1, ordering: .relaxed)
    size.store(count, ordering: .relaxed)
  }

  private func makeRoom(_ count: Int) throws(TreeError) {
    // Also keeps the sums below from overflowing, whatever size a process asks for.
    if isBesideAttachments, count > ScratchQuota.attachmentLimit { throw .tooBig }
    if !isBesideAttachments, count > ScratchQuota.limit { throw .noSpace }
    let before = taken.load(ordering: .relaxed)
    try quota.take(count - before, besideAttachments: isBesideAttachments)
    taken.store(count, ordering: .relaxed)
  }
}
