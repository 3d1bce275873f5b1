import Ciphers
import KDBX
import Secrets

/// The content of a file as it rests in memory, never plain where it is secret.
enum RestingBytes: Sendable {
  case text(StoredText)
  case content(AttachmentContent)

  static let empty = RestingBytes.text(.empty)

  /// The number of bytes.
  func count(in document: Document) throws(TreeError) -> Int {
    switch self {
    case .text(let text):
      return document.values.count(of: text)
    case .content(let content):
      do throws(DocumentError) {
        return try document.count(of: content)
      } catch {
        throw .inputOutput
      }
    }
  }

  /// Appends all bytes.
  func open(in document: Document, into output: inout WipedBuffer) throws(TreeError) {
    switch self {
    case .text(let text):
      document.values.open(text, into: &output)
    case .content(let content):
      do throws(DocumentError) {
        try document.open(content, into: &output)
      } catch {
        throw .inputOutput
      }
    }
  }

  /// Appends the bytes of `range`, which may reach beyond the end.
  func open(
    _ range: Range<Int>, in document: Document, into output: inout WipedBuffer
  ) throws(TreeError) {
    switch self {
    case .text(.sealed(let sealed)):
      let range = range.clamped(to: 0..<sealed.count)
      if !range.isEmpty { sealed.open(range: range, into: &output) }
    case .text(let text):
      var whole = WipedBuffer()
      document.values.open(text, into: &whole)
      output.append(whole.bytes.extracting(range.clamped(to: 0..<whole.count)))
    case .content(let content):
      do throws(DocumentError) {
        try document.open(content, range: range, into: &output)
      } catch {
        throw .inputOutput
      }
    }
  }

  /// Whether a part of it can be opened without the rest.
  var opensInParts: Bool {
    switch self {
    case .text(.sealed), .content: true
    case .text: false
    }
  }
}
