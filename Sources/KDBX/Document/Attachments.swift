/// Names a content in a document's pool of attachments; valid in this document and its copies.
package struct BinaryID: Hashable, Sendable {
  let number: UInt32
}

/// What an attachment of an entry refers to.
package enum AttachmentContent: Hashable, Sendable {
  /// A content of the pool, which several attachments may share.
  case pool(BinaryID)
  /// A content that stands in the entry itself.
  case inline(InlineBinary)
  /// A number that the pool doesn't have. Kept, and written back as it was.
  case missing(SourceRange)
}

/// A content that stands in the entry itself: base64, perhaps of gzip, perhaps enciphered.
package struct InlineBinary: Hashable, Sendable {
  let text: SourceRange
  let slot: ProtectedSlot?
  let isCompressed: Bool

  /// No content: an attachment that says nothing of one.
  static let empty = InlineBinary(text: .none, slot: nil, isCompressed: false)
}

/// An attachment of an entry: a name and a content.
package struct AttachmentField: Hashable, Sendable {
  package let name: [UInt8]
  package let content: AttachmentContent

  package init(name: [UInt8], content: AttachmentContent) {
    self.name = name
    self.content = content
  }
}

extension ValueSource {
  /// The content that a reference of the source names; `nil` if the pool has none of that number.
  ///
  /// The pool in Meta comes first: KeePass reads it over what the inner header has.
  func binary(numbered number: UInt32) -> BinaryID? {
    if let index = poolByNumber[number] {
      return BinaryID(number: UInt32(source.binaries.count + index))
    }
    return number < source.binaries.count ? BinaryID(number: number) : nil
  }
}
