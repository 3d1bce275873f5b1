package import Ciphers

/// A part of the document's XML, in bytes from its start.
package struct SourceRange: Hashable, Sendable {
  let start: UInt32
  let end: UInt32

  init(start: UInt32, end: UInt32) {
    self.start = start
    self.end = end
  }

  /// - Precondition: both ends fit in 32 bits, which ``XMLScanner/sizeLimit`` sees to.
  init(_ range: Range<Int>) {
    self.init(start: UInt32(range.lowerBound), end: UInt32(range.upperBound))
  }

  static let none = SourceRange(start: 0, end: 0)

  var range: Range<Int> { Int(start)..<Int(max(start, end)) }
  var count: Int { range.count }
  var isEmpty: Bool { end <= start }
}

/// Where a protected value lies: its base64 text in the source, and its place in the key stream.
package struct ProtectedSlot: Hashable, Sendable {
  let text: SourceRange
  let streamOffset: UInt32
  /// The number of bytes of the value.
  package let count: UInt32
}

/// A text of the vault, as it rests in memory: never plain where it is secret.
///
/// Opened by the ``ValueSource`` of its document.
package enum StoredText: Sendable {
  /// As in the source, with XML's escapes.
  case source(SourceRange)
  /// As in the source, enciphered by the inner stream.
  case protected(ProtectedSlot)
  /// Written in this session.
  case sealed(SealedBytes)
  /// Written in this session, and no secret.
  case plain([UInt8])

  /// The empty text.
  package static let empty = StoredText.plain([])
}
