/// Why bytes aren't the XML that we take, and where.
package struct XMLError: Error, Hashable {
  package enum Problem: Hashable, Sendable {
    /// The bytes end inside the document.
    case truncated
    /// Something that doesn't belong there: a mark, a second root element, text outside of it.
    case unexpected(UInt8)
    /// A character that XML 1.0 can't hold, raw or as a reference.
    case forbiddenCharacter(UInt32)
    /// Bytes that aren't UTF-8.
    case notUTF8
    /// `]]>` in text.
    case cdataEndInText
    /// `--` in a comment, or a processing instruction called `xml`.
    case badComment, badInstruction
    /// A reference that names no character.
    case badReference
    /// An end tag that doesn't match.
    case tagMismatch
    /// Two attributes of one name in a tag.
    case repeatedAttribute
    /// An XML declaration of another version or encoding, or in the wrong place.
    case badDeclaration
    /// A document type declaration: KDBX has none, and it is how XML is attacked.
    case documentType
    /// Elements nested deeper than the limit.
    case tooDeep(limit: Int)
    /// More bytes than offsets can count.
    case tooLarge
  }

  package let problem: Problem
  /// Counted from the first byte that the scanner was given.
  package let offset: Int

  package init(_ problem: Problem, at offset: Int) {
    self.problem = problem
    self.offset = offset
  }
}
