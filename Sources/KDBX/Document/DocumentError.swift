/// Why the XML of a vault can't be used.
package struct DocumentError: Error, Hashable {
  package enum Kind: Hashable, Sendable {
    /// It isn't well-formed, or has more of something than we take.
    case malformed(XMLError.Problem)
    /// It is XML, but not a KeePass document; the word names what is missing or in the wrong place.
    case notADocument(Fault)
    /// A protected value isn't base64, or holds elements.
    case badProtectedValue
    /// An entry names an attachment that the file doesn't have.
    case missingBinary
    /// An attachment's content can't be decoded.
    case badBinary
    /// An attachment's content is larger than the limit.
    case tooLarge(limit: Int)
  }

  package enum Fault: String, Hashable, Sendable {
    case rootElement, rootGroup, secondRootGroup
  }

  package let kind: Kind
  /// Where, counted from the first byte of the XML; `nil` where it has no place.
  package let offset: Int?

  package init(_ kind: Kind, at offset: Int? = nil) {
    self.kind = kind
    self.offset = offset
  }

  init(_ error: XMLError) {
    self.init(.malformed(error.problem), at: error.offset)
  }
}
