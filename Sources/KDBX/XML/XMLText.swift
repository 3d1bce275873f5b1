package import Secrets

/// Takes XML's text apart and puts it together: references, line ends, escapes.
package enum XMLText {
  /// What a reference stands for, and the number of its bytes.
  struct Reference {
    let scalar: UInt32
    let count: Int
  }

  /// Whether `text` starts at `index`; ASCII only.
  static func isAt(
    _ index: Int, in bytes: Span<UInt8>, _ text: StaticString, ignoringCase: Bool = false
  ) -> Bool {
    let count = text.utf8CodeUnitCount
    guard index >= 0, bytes.count - index >= count else { return false }
    return text.withUTF8Buffer { buffer in
      for i in 0..<count {
        let left = bytes[index + i]
        let right = unsafe buffer[i]
        if left == right { continue }
        guard ignoringCase, lowercased(left) == lowercased(right) else { return false }
      }
      return true
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte
  }

  static func equal(
    _ left: Span<UInt8>, _ leftRange: Range<Int>, _ right: Span<UInt8>, _ rightRange: Range<Int>
  ) -> Bool {
    guard leftRange.count == rightRange.count else { return false }
    for i in 0..<leftRange.count
    where left[leftRange.lowerBound + i] != right[rightRange.lowerBound + i] {
      return false
    }
    return true
  }

  /// The reference that starts at `index` with its `&`; `nil` if it is none that XML defines.
  ///
  /// Whether XML can hold the character is for the caller to ask.
  static func reference(in bytes: Span<UInt8>, at index: Int) -> Reference? {
    if isAt(index, in: bytes, "&lt;") { return Reference(scalar: 0x3C, count: 4) }
    if isAt(index, in: bytes, "&gt;") { return Reference(scalar: 0x3E, count: 4) }
    if isAt(index, in: bytes, "&amp;") { return Reference(scalar: 0x26, count: 5) }
    if isAt(index, in: bytes, "&quot;") { return Reference(scalar: 0x22, count: 6) }
    if isAt(index, in: bytes, "&apos;") { return Reference(scalar: 0x27, count: 6) }
    guard isAt(index, in: bytes, "&#") else { return nil }
    var i = index + 2
    let isHex = isAt(i, in: bytes, "x")
    if isHex { i += 1 }
    let firstDigit = i
    var scalar: UInt32 = 0
    while i < bytes.count, let digit = digit(bytes[i], isHex: isHex) {
      // Held below the point where it could overflow; too large is too large.
      scalar = min(scalar * (isHex ? 16 : 10) + digit, 0x11_0000)
      i += 1
    }
    guard i > firstDigit, i < bytes.count, bytes[i] == UInt8(ascii: ";") else { return nil }
    return Reference(scalar: scalar, count: i + 1 - index)
  }

  private static func digit(_ byte: UInt8, isHex: Bool) -> UInt32? {
    switch byte {
    case 0x30...0x39: UInt32(byte - 0x30)
    case 0x41...0x46 where isHex: UInt32(byte - 0x41 + 10)
    case 0x61...0x66 where isHex: UInt32(byte - 0x61 + 10)
    default: nil
    }
  }

  /// The value of an attribute whose text is well-formed: references resolved, white space as blanks.
  static func attributeValue(_ text: Span<UInt8>) -> [UInt8] {
    var value: [UInt8] = []
    var i = 0
    while i < text.count {
      let c = text[i]
      if c == UInt8(ascii: "&"), let reference = reference(in: text, at: i) {
        if let scalar = Unicode.Scalar(reference.scalar) { value += scalar.utf8 }
        i += reference.count
      } else {
        value.append(XMLCharacters.isSpace(c) ? 0x20 : c)
        i += c == 0x0D && i + 1 < text.count && text[i + 1] == 0x0A ? 2 : 1
      }
    }
    return value
  }
}

// MARK: - Content

extension XMLText {
  /// Whether a bool attribute says yes: `True` as KeePass writes it, and what KeePassXC takes too.
  static func isTrue(_ value: Span<UInt8>) -> Bool {
    value.count == 4 && isAt(0, in: value, "true", ignoringCase: true)
      || value.count == 1 && value[0] == UInt8(ascii: "1")
  }

  /// Whether the content of an element means anything else than its bytes.
  static func hasMarkup(_ content: Span<UInt8>) -> Bool {
    firstMarkup(in: content, from: 0) < content.count
  }

  /// The next byte that doesn't stand for itself.
  @inline(__always)
  private static func firstMarkup(in content: Span<UInt8>, from start: Int) -> Int {
    var i = start
    while i < content.count {
      let c = content[i]
      if c == UInt8(ascii: "<") || c == UInt8(ascii: "&") { break }
      if c < 0x20, c != 0x0A, c != 0x09 { break }
      i += 1
    }
    return i
  }

  /// Gives `body` the pieces of the text that the content of an element stands for.
  ///
  /// References are resolved, line ends are line feeds, comments and instructions are left out, and
  /// so are control characters and what stands in elements. The content is part of a document that
  /// was found well-formed; if it isn't, something is left out.
  @inline(__always)
  static func forEachPiece(of content: Span<UInt8>, _ body: (Span<UInt8>) -> Void) {
    var i = 0
    while i < content.count {
      let next = firstMarkup(in: content, from: i)
      if next > i { body(content.extracting(i..<next)) }
      i = next
      guard i < content.count else { return }
      switch content[i] {
      case 0x0D: passLineEnd(in: content, at: &i, body)
      case 0..<0x20: i += 1
      case UInt8(ascii: "&"): passReference(in: content, at: &i, body)
      default: passTag(in: content, at: &i, body)
      }
    }
  }

  private static func passLineEnd(
    in content: Span<UInt8>, at i: inout Int, _ body: (Span<UInt8>) -> Void
  ) {
    let lineFeed: InlineArray<1, UInt8> = [0x0A]
    body(lineFeed.span)
    i += i + 1 < content.count && content[i + 1] == 0x0A ? 2 : 1
  }

  private static func passReference(
    in content: Span<UInt8>, at i: inout Int, _ body: (Span<UInt8>) -> Void
  ) {
    guard let reference = reference(in: content, at: i) else {
      i += 1
      return
    }
    i += reference.count
    guard let scalar = Unicode.Scalar(reference.scalar) else { return }
    var character: InlineArray<4, UInt8> = [0, 0, 0, 0]
    var count = 0
    for byte in scalar.utf8 {
      character[count] = byte
      count += 1
    }
    body(character.span.extracting(first: count))
  }

  private static func passTag(
    in content: Span<UInt8>, at i: inout Int, _ body: (Span<UInt8>) -> Void
  ) {
    if isAt(i, in: content, "<![CDATA[") {
      let start = i + 9
      let end = find("]]>", in: content, from: start)
      i = start
      while i < end {
        var next = i
        while next < end, content[next] != 0x0D { next += 1 }
        if next > i { body(content.extracting(i..<next)) }
        i = next
        if i < end { passLineEnd(in: content.extracting(first: end), at: &i, body) }
      }
      i = min(end + 3, content.count)
    } else {
      i = XMLElement.endOfMarkup(in: content, at: i)
    }
  }

  /// Where `text` starts next; the count of `content` if it doesn't.
  static func find(_ text: StaticString, in content: Span<UInt8>, from start: Int) -> Int {
    var i = start
    while i < content.count {
      if isAt(i, in: content, text) { return i }
      i += 1
    }
    return content.count
  }

  /// The text that the content of an element stands for; not for secrets.
  static func plain(_ content: Span<UInt8>) -> [UInt8] {
    var plain: [UInt8] = []
    plain.reserveCapacity(content.count)
    forEachPiece(of: content) { piece in
      for i in piece.indices { plain.append(piece[i]) }
    }
    return plain
  }

  /// Appends the text that the content of an element stands for.
  package static func append(_ content: Span<UInt8>, to output: inout WipedBuffer) {
    forEachPiece(of: content) { output.append($0) }
  }

  /// The number of bytes that the content of an element stands for.
  static func plainCount(_ content: Span<UInt8>) -> Int {
    var count = 0
    forEachPiece(of: content) { count += $0.count }
    return count
  }
}

// MARK: - Writing

extension XMLText {
  /// Whether XML can hold every character: it is UTF-8 without what XML 1.0 forbids.
  package static func canHold(_ plain: Span<UInt8>) -> Bool {
    var i = 0
    while i < plain.count {
      guard let next = XMLCharacters.sequence(in: plain, at: i),
        XMLCharacters.isAllowed(next.scalar)
      else { return false }
      i += next.count
    }
    return true
  }

  /// Whether it is UTF-8, whatever characters it has.
  static func isUTF8(_ plain: Span<UInt8>) -> Bool {
    var i = 0
    while i < plain.count {
      guard let next = XMLCharacters.sequence(in: plain, at: i) else { return false }
      i += next.count
    }
    return true
  }

  /// Whether there is nothing but white space, and some.
  static func isOnlySpace(_ plain: Span<UInt8>) -> Bool {
    for i in plain.indices where !XMLCharacters.isSpace(plain[i]) { return false }
    return !plain.isEmpty
  }

  /// Appends `plain` as the content of an element or, between double quotes, of an attribute.
  ///
  /// A carriage return is written as a reference, for a reader would make a line feed of it.
  static func appendEscaped(_ plain: Span<UInt8>, to output: inout WipedBuffer) {
    var start = 0
    for i in plain.indices {
      let escape: StaticString
      switch plain[i] {
      case UInt8(ascii: "&"): escape = "&amp;"
      case UInt8(ascii: "<"): escape = "&lt;"
      case UInt8(ascii: ">"): escape = "&gt;"
      case 0x0D: escape = "&#13;"
      default: continue
      }
      output.append(plain.extracting(start..<i))
      output.append(escape)
      start = i + 1
    }
    output.append(plain.extracting(start..<plain.count))
  }
}
