import ByteCoding
import Secrets

/// The fields of an entry as one text for an editor (`docs/command-line.md`).
///
/// A field is a line `NAME: VALUE`, with `NAME*` for a protected one. A value of several lines, and one
/// with blanks at its ends, stands on lines of its own, each behind `| `, and an empty line ends it: the
/// lines of a name that was deleted by mistake are nobody's. Lines that begin with `#`, and other empty
/// ones, mean nothing. A name with one of `:*"#|\` or a blank at an end stands in quotes, in which
/// `\` takes the next byte as it is.
enum EntryText {
  /// A field of it; the value is kept in a buffer that is wiped.
  final class Field {
    let name: [UInt8]
    let isProtected: Bool
    let value: SharedBuffer
    /// The line of the text that it was read from, counted from 1; 0 for one of the vault's.
    let line: Int

    init(
      _ name: [UInt8], isProtected: Bool, _ value: consuming WipedBuffer, line: Int = 0
    ) {
      self.name = name
      self.isProtected = isProtected
      self.line = line
      self.value = SharedBuffer(value)
    }

    /// Whether another one has the same value.
    func hasValue(of other: Field) -> Bool {
      let (value, otherValue) = (value, other.value)
      return value.bytes.hasSameBytes(as: otherValue.bytes)
    }
  }

  // MARK: - Writing

  /// Appends a comment, and the fields.
  static func write(_ fields: [Field], comment: String, into output: inout WipedBuffer) {
    for line in comment.split(separator: "\n") { append("# \(line)\n", to: &output) }
    for field in fields {
      append(quoted(field.name), to: &output)
      output.append(field.isProtected ? "*:" : ":")
      let value = field.value
      let bytes = value.bytes
      if bytes.isEmpty || isPlain(bytes) {
        if !bytes.isEmpty { output.append(" ") }
        output.append(bytes)
        output.append("\n")
      } else {
        output.append("\n")
        appendLines(bytes, to: &output)
        output.append("\n")
      }
    }
  }

  private static func append(_ text: String, to output: inout WipedBuffer) {
    for byte in text.utf8 { output.append(byte) }
  }

  private static func append(_ bytes: [UInt8], to output: inout WipedBuffer) {
    output.append(bytes.span)
  }

  private static func appendLines(_ bytes: Span<UInt8>, to output: inout WipedBuffer) {
    var start = 0
    for i in 0...bytes.count where i == bytes.count || bytes[i] == UInt8(ascii: "\n") {
      output.append(i > start ? "| " : "|")
      output.append(bytes.extracting(start..<i))
      output.append("\n")
      start = i + 1
    }
  }

  /// Whether a value can stand behind its name.
  private static func isPlain(_ bytes: Span<UInt8>) -> Bool {
    if isBlank(bytes[0]) || isBlank(bytes[bytes.count - 1]) { return false }
    for i in bytes.indices where bytes[i] == UInt8(ascii: "\n") || bytes[i] == 0x0D {
      return false
    }
    return true
  }

  static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == 0x09 }

  private static let special = Array(":*\"#|\\".utf8)

  private static func quoted(_ name: [UInt8]) -> [UInt8] {
    let needsQuotes =
      name.isEmpty || name.contains(where: { special.contains($0) })
      || name.first.map(isBlank) == true || name.last.map(isBlank) == true
    guard needsQuotes else { return name }
    let quote = UInt8(ascii: "\"")
    let backslash = UInt8(ascii: "\\")
    return [quote]
      + name.flatMap { $0 == quote || $0 == backslash ? [backslash, $0] : [$0] } + [quote]
  }
}
