import ByteCoding
import Ciphers
import KDBX
import Secrets
import Vault

/// Judges bytes that are to become a file's value: whether the vault can hold them, and what of them
/// it holds (`docs/editing.md`).
///
/// Runs without the tree's lock: values may be large.
struct Judge {
  let isExact: Bool
  let sealing: SealingKey

  /// A value, and the bytes that it was made of.
  struct Verdict: Sendable {
    let value: NewValue
    /// All bytes as they came.
    let raw: SealedBytes
  }

  /// What `raw` becomes in a file of `key`, whose value is `current`.
  func judge(
    _ raw: Span<UInt8>, for key: ItemKey, over current: RestingBytes, in document: Document
  ) throws(TreeError) -> Verdict {
    switch key {
    case .field: return try judgeText(raw, over: current, in: document)
    case .attachment: return try judgeAttachment(raw, over: current, in: document)
    case .tags: return try judgeTags(raw, over: current, in: document)
    case .expires: return try judgeExpiry(raw, over: current, in: document)
    case .totp, .hotp: return try judgeCode(raw)
    case .attachments, .history, .version, .inVersion, .json, .env: throw .readOnlyFile
    }
  }

  // MARK: - Text

  /// The same for a field, or a group's notes.
  func judgeText(
    _ raw: Span<UInt8>, over current: RestingBytes, in document: Document
  ) throws(TreeError) -> Verdict {
    let value = isExact ? raw : raw.extracting(first: Self.valueCount(of: raw))
    guard value.count <= Vault.fieldLimit else { throw .tooBig }
    if let problem = TextCheck.firstProblem(in: value) { throw TreeError(problem) }
    let sealed = sealing.seal(raw)
    if try isUnchanged(raw, current, in: document) {
      return Verdict(value: .unchanged, raw: sealed)
    }
    let stored = value.count == raw.count ? sealed : sealing.seal(value)
    return Verdict(value: .text(.sealed(stored)), raw: sealed)
  }

  /// The number of bytes that count: all but a last line feed that is the only one.
  static func valueCount(of text: Span<UInt8>) -> Int {
    let lineFeed = UInt8(ascii: "\n")
    let last = text.count - 1
    guard last >= 0, text[last] == lineFeed else { return text.count }
    for i in 0..<last where text[i] == lineFeed { return text.count }
    return last
  }

  /// Whether the bytes are the value that is there, or that and one line feed.
  private func isUnchanged(
    _ raw: Span<UInt8>, _ current: RestingBytes, in document: Document
  ) throws(TreeError) -> Bool {
    let count = try current.count(in: document)
    guard raw.count == count || (!isExact && raw.count == count + 1) else { return false }
    if raw.count > count, raw[count] != UInt8(ascii: "\n") { return false }
    var opened = WipedBuffer(capacity: count)
    try current.open(in: document, into: &opened)
    return raw.extracting(first: opened.count).hasSameBytes(as: opened.bytes)
  }

  // MARK: - Attachments

  private func judgeAttachment(
    _ raw: Span<UInt8>, over current: RestingBytes, in document: Document
  ) throws(TreeError) -> Verdict {
    guard raw.count <= Self.attachmentLimit else { throw .tooBig }
    let sealed = sealing.seal(raw)
    let isSame = try isSameContent(raw, current, in: document)
    return Verdict(value: isSame ? .unchanged : .bytes(sealed), raw: sealed)
  }

  static let attachmentLimit = 256 << 20

  /// Compares in pieces, so that no second copy of all of it is made.
  private func isSameContent(
    _ raw: Span<UInt8>, _ current: RestingBytes, in document: Document
  ) throws(TreeError) -> Bool {
    guard try current.count(in: document) == raw.count else { return false }
    guard current.opensInParts else {
      var opened = WipedBuffer(capacity: raw.count)
      try current.open(in: document, into: &opened)
      return raw.hasSameBytes(as: opened.bytes)
    }
    let piece = 1 << 20
    for start in stride(from: 0, to: raw.count, by: piece) {
      let range = start..<min(start + piece, raw.count)
      var opened = WipedBuffer(capacity: piece)
      try current.open(range, in: document, into: &opened)
      guard raw.extracting(range).hasSameBytes(as: opened.bytes) else { return false }
    }
    return true
  }

  // MARK: - Formats

  private func judgeTags(
    _ raw: Span<UInt8>, over current: RestingBytes, in document: Document
  ) throws(TreeError) -> Verdict {
    if let problem = TextCheck.firstProblem(in: raw) { throw TreeError(problem) }
    let sealed = sealing.seal(raw)
    if try isUnchanged(raw, current, in: document) {
      return Verdict(value: .unchanged, raw: sealed)
    }
    do throws(Tags.Problem) {
      let tags = try Tags.parse(fileText: raw.copied())
      return Verdict(value: .tags(Tags.stored(tags)), raw: sealed)
    } catch {
      throw .invalid
    }
  }

  private func judgeExpiry(
    _ raw: Span<UInt8>, over current: RestingBytes, in document: Document
  ) throws(TreeError) -> Verdict {
    if let problem = TextCheck.firstProblem(in: raw) { throw TreeError(problem) }
    let sealed = sealing.seal(raw)
    if try isUnchanged(raw, current, in: document) {
      return Verdict(value: .unchanged, raw: sealed)
    }
    guard let expiry = ExpiryText.parse(raw) else { throw .invalid }
    return Verdict(value: .expiry(expiry), raw: sealed)
  }

  private func judgeCode(_ raw: Span<UInt8>) throws(TreeError) -> Verdict {
    if let problem = TextCheck.firstProblem(in: raw) { throw TreeError(problem) }
    let sealed = sealing.seal(raw)
    switch OneTimeText(raw) {
    case .address, .key: return Verdict(value: .secret(sealed), raw: sealed)
    case .code: return Verdict(value: .code, raw: sealed)
    case .other:
      guard raw.isEmpty else { throw .invalid }
      // As good as a code: an emptied file that nothing was written to.
      return Verdict(value: .code, raw: sealed)
    }
  }

  // MARK: - Pieces

  /// Refuses what no later write can mend: the size, a forbidden character, a sequence broken inside
  /// the piece.
  static func checkPiece(
    _ bytes: Span<UInt8>, end: Int, _ rule: WriteRule
  ) throws(TreeError) {
    switch rule {
    case .nothing: throw .readOnlyFile
    case .bytes(let limit):
      guard end <= limit else { throw .tooBig }
    case .text(let limit), .formatted(_, let limit):
      // One line feed more may come, which the value doesn't keep.
      guard end <= limit + 1 else { throw .tooBig }
      let problem = TextCheck.firstProblem(in: bytes, cutAtStart: true, cutAtEnd: true)
      if let problem { throw TreeError(problem) }
    }
  }

  /// Refuses a line that no file of the rule can hold.
  ///
  /// For what one write puts into an empty file and ends with a line feed, as `echo` does: shells say
  /// nothing of a `close` that fails.
  static func checkLine(_ line: Span<UInt8>, _ rule: WriteRule) throws(TreeError) {
    guard case .formatted(let format, limit: _) = rule, let last = line.indices.last,
      line[last] == UInt8(ascii: "\n")
    else { return }
    let isFit =
      switch format {
      case .tags: (try? Tags.parse(fileText: line.copied())) != nil
      case .expiry: ExpiryText.parse(line) != nil
      case .code: OneTimeText(line) != .other
      }
    guard isFit else { throw .invalid }
  }
}

extension VaultTree {
  /// How many bytes of a text count: for who drops the line feed where a mount keeps everything.
  package static func valueCount(of text: Span<UInt8>) -> Int { Judge.valueCount(of: text) }
}
