package import Secrets

/// Reads XML 1.0 in one checked pass over bytes, a mark at a time.
///
/// Well-formedness is checked in full for what a document without a document type can hold; a
/// document type is refused. Builds nothing: names and texts are ranges of the bytes.
package struct XMLScanner: ~Escapable {
  package enum Token: Hashable, Sendable {
    /// A start tag; ``name`` and the attributes are its. An empty element's end follows by itself.
    case start
    /// An end tag.
    case end
    /// Text, a reference or a CDATA section; comments and instructions are passed over.
    case text
    /// The document ended, and was well-formed.
    case finished
  }

  /// The most elements that may be open at one time.
  package static let depthLimit = 1024

  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>) throws(XMLError) { fatalError("not yet") }

  /// Goes on to the next mark.
  @_lifetime(self: copy self)
  package mutating func next() throws(XMLError) -> Token { fatalError("not yet") }

  /// The number of open elements, the one just started included.
  package var depth: Int { fatalError("not yet") }
  /// The name of the element that just started or ended.
  package var name: Range<Int> { fatalError("not yet") }
  /// The bytes of the text that was just passed, escapes and all.
  package var text: Range<Int> { fatalError("not yet") }
  /// Whether the element that just started or ended is called so.
  package func isNamed(_ name: StaticString) -> Bool { fatalError("not yet") }
  /// The value of an attribute of the element that just started.
  package func attribute(_ name: StaticString) -> [UInt8]? { fatalError("not yet") }
  /// Appends the characters that the text that was just passed stands for.
  package func appendText(to output: inout WipedBuffer) { fatalError("not yet") }
}
