import KDBX
import Secrets
import Synchronization

/// An open file.
///
/// What it reads and has written is its own and stands behind its own lock; the tree's lock may be
/// taken within it, never the other way round.
final class FileHandle: Sendable {
  let id: HandleID
  let node: NodeID
  let flags: OpenFlags
  /// The content where the file is temporary, shared with all who have it open.
  let scratch: ScratchFile?
  /// What may be written, and how much.
  let rule: WriteRule
  /// What opens the texts that it reads.
  let values: ValueSource
  /// When it was opened for writing, by the monotonic clock; nil for reading only.
  let opened: Int64?
  /// What the log calls it; nil for what is no part of the vault.
  let subject: AccessSubject?
  /// The threads that read and wrote it last (``RequestOrigin/thread``).
  let reader = Atomic<Int32>(-1)
  let writer = Atomic<Int32>(-1)
  let draft: Mutex<HandleDraft>

  init(
    _ id: HandleID, _ node: NodeID, _ flags: OpenFlags, scratch: ScratchFile?, rule: WriteRule,
    values: ValueSource, opened: Int64?, subject: AccessSubject?, draft: consuming HandleDraft
  ) {
    self.id = id
    self.node = node
    self.flags = flags
    self.scratch = scratch
    self.rule = rule
    self.values = values
    self.opened = opened
    self.subject = subject
    self.draft = Mutex(draft)
  }

  /// Whether it isn't the one who read it last that reads it now; takes down who does.
  ///
  /// What is read on is no new line of the log.
  func isNewReader(_ origin: RequestOrigin?) -> Bool { isNew(origin, after: reader) }

  /// The same of who writes.
  func isNewWriter(_ origin: RequestOrigin?) -> Bool { isNew(origin, after: writer) }

  private func isNew(_ origin: RequestOrigin?, after last: borrowing Atomic<Int32>) -> Bool {
    guard let origin, subject != nil else { return false }
    return last.exchange(origin.thread, ordering: .relaxed) != origin.thread
  }
}

/// What a handle reads and has gathered.
struct HandleDraft: ~Copyable {
  /// What the handle shows: the value as it was at the open, and its own writes.
  var content: GatheredBytes
  /// Appended bytes, which go behind whatever stands when the handle settles.
  var addition = WipedBuffer()
  /// Whether ``content`` holds writes that are to replace the value.
  var isReplaced = false
  /// Whether anything was written since the last settling.
  var hasWritten = false
  /// Whether the file was emptied or made at the open, and nothing has been written since.
  var isTruncatedAlone = false
  /// The first refusal: after it the handle settles nothing more.
  var failure: TreeError?
  /// Who wrote, or emptied the file, last.
  var writer: Accessor?
  /// Whether the tree counts this handle among those with unsettled writes.
  var isMarkedUnsettled = false

  init(_ base: RestingBytes, count: Int) {
    content = GatheredBytes(base, count: count)
  }

  /// The size that the handle shows.
  var count: Int { content.count + addition.count }

  /// Whether there is something to settle.
  var isUnsettled: Bool { hasWritten || isTruncatedAlone }

  /// Forgets what was gathered and shows `base` from now on.
  mutating func settle(as base: RestingBytes, count: Int) {
    content.rest(as: base, count: count)
    addition = WipedBuffer()
    isReplaced = false
    hasWritten = false
    isTruncatedAlone = false
  }

  /// Makes the addition part of the content, before a write that has a place.
  mutating func takeInAddition(_ document: () -> Document) throws(TreeError) {
    guard addition.count > 0 else { return }
    try content.open(document)
    let end = content.count
    let added = exchange(&addition, for: WipedBuffer())
    try content.write(added.bytes, at: end, document)
  }
}

/// What a file can hold.
enum WriteRule: Hashable, Sendable {
  /// Text that a field can hold.
  case text(limit: Int)
  /// Text of a format of its own, which a line that is written as a whole must have.
  case formatted(LineFormat, limit: Int)
  /// Any bytes.
  case bytes(limit: Int)
  /// Nothing: the file is read-only.
  case nothing

  /// Whether an appended line begins a new one: in texts, and in tags, of which each has a line.
  var hasLines: Bool {
    switch self {
    case .text, .formatted(.tags, _): true
    case .formatted, .bytes, .nothing: false
    }
  }

  /// A field of at most 16 MiB; a final line feed may come on top.
  static let field = WriteRule.text(limit: 16 << 20)
  /// An attachment.
  static let attachment = WriteRule.bytes(limit: 256 << 20)
  /// A temporary file; what limits it is the room for all of them.
  static let scratch = WriteRule.bytes(limit: 256 << 20)
}

/// What the text of a file must be, beside text.
enum LineFormat: Hashable, Sendable {
  case tags, expiry, code
}

/// Puts `new` in the place of what was there, and gives that.
func exchange<Value: ~Copyable>(_ place: inout Value, for new: consuming Value) -> Value {
  let old = place
  place = new
  return old
}
