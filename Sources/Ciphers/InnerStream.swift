/// The key stream that protected values are enciphered with inside the document.
///
/// It can be entered at any offset, from any thread.
package final class InnerStream: Sendable {
  /// The numbers of the format.
  package enum Kind: UInt32, Hashable, Sendable {
    case none = 0
    case arcFourVariant = 1
    case salsa20 = 2
    case chaCha20 = 3
  }

  package let kind: Kind

  /// Derives the stream's own key from `key`, of any length, which the caller overwrites.
  package init(_ kind: Kind, key: Span<UInt8>) { fatalError("not yet") }

  /// Combines `bytes` with the key stream from `offset` on: enciphers plain text and deciphers the
  /// other kind.
  package func apply(at offset: UInt64, to bytes: inout MutableSpan<UInt8>) {
    fatalError("not yet")
  }
}
