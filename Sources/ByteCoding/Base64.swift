/// Why a text isn't base64, and where.
package enum Base64Error: Error, Hashable {
  /// The byte at this offset is none of the alphabet, of the padding or of white space.
  case badCharacter(at: Int)
  /// The text ends inside a group of four (the offset is its length), or an `=` stands elsewhere
  /// than at the end.
  case badPadding(at: Int)
}

/// Base64 with padding (RFC 4648, section 4), as it stands in the XML of a vault.
///
/// White space is ignored wherever it stands, padding is required, and bits that no byte needs are
/// ignored: so does KeePass.
package enum Base64 {
  /// The number of bytes that ``decode(_:into:)`` will append for `text`.
  ///
  /// What this accepts, ``decode(_:into:)`` accepts.
  package static func decodedCount(of text: Span<UInt8>) throws(Base64Error) -> Int {
    let table = values
    let values = table.span
    var count = 0
    var i = 0
    while i < text.count {
      // Whole groups without white space or padding: nearly all of them.
      while i &+ 4 <= text.count {
        let all =
          values[Int(text[i])] | values[Int(text[i + 1])]
          | values[Int(text[i + 2])] | values[Int(text[i + 3])]
        if all >= 64 { break }
        count &+= 3
        i &+= 4
      }
      count &+= try group(of: text, at: &i, values: values).count
    }
    return count
  }

  /// Appends the bytes that `text` spells.
  ///
  /// - Precondition: `output` has room for them (``decodedCount(of:)``; `count / 4 * 3` is enough).
  package static func decode(
    _ text: Span<UInt8>, into output: inout OutputRawSpan
  ) throws(Base64Error) {
    let table = values
    let values = table.span
    var i = 0
    while i < text.count {
      while i &+ 4 <= text.count {
        let a = values[Int(text[i])]
        let b = values[Int(text[i + 1])]
        let c = values[Int(text[i + 2])]
        let d = values[Int(text[i + 3])]
        if (a | b | c | d) >= 64 { break }
        output.append(a << 2 | b >> 4)
        output.append(b << 4 | c >> 2)
        output.append(c << 6 | d)
        i &+= 4
      }
      let group = try group(of: text, at: &i, values: values)
      for shift in 0..<group.count {
        output.append(UInt8(truncatingIfNeeded: group.bits >> UInt32(16 - 8 * shift)))
      }
    }
  }

  /// The bytes that `text` spells; not for secrets.
  package static func decode(_ text: Span<UInt8>) throws(Base64Error) -> [UInt8] {
    // SAFETY: the array's memory is as large as the span, whose count is handed over.
    try unsafe [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3) {
      (buffer, count) throws(Base64Error) in
      var output = unsafe OutputRawSpan(
        buffer: UnsafeMutableRawBufferPointer(buffer), initializedCount: 0)
      try decode(text, into: &output)
      count = unsafe output.finalize(for: UnsafeMutableRawBufferPointer(buffer))
    }
  }

  /// The length of the text for `count` bytes.
  package static func encodedCount(of count: Int) -> Int {
    (count + 2) / 3 * 4
  }

  /// Appends the text for `bytes`.
  ///
  /// - Precondition: `output` has room for it (``encodedCount(of:)``).
  package static func encode(_ bytes: Span<UInt8>, into output: inout OutputRawSpan) {
    let table = alphabet
    let alphabet = table.span
    var i = 0
    while i &+ 3 <= bytes.count {
      let (a, b, c) = (bytes[i], bytes[i + 1], bytes[i + 2])
      output.append(alphabet[Int(a >> 2)])
      output.append(alphabet[Int((a << 4 | b >> 4) & 63)])
      output.append(alphabet[Int((b << 2 | c >> 6) & 63)])
      output.append(alphabet[Int(c & 63)])
      i &+= 3
    }
    guard i < bytes.count else { return }
    let a = bytes[i]
    let b = i + 1 < bytes.count ? bytes[i + 1] : 0
    output.append(alphabet[Int(a >> 2)])
    output.append(alphabet[Int((a << 4 | b >> 4) & 63)])
    output.append(i + 1 < bytes.count ? alphabet[Int(b << 2 & 63)] : UInt8(ascii: "="))
    output.append(UInt8(ascii: "="))
  }

  /// The text for `bytes`; not for secrets.
  package static func encode(_ bytes: Span<UInt8>) -> [UInt8] {
    // SAFETY: the array's memory is as large as the span, whose count is handed over.
    unsafe [UInt8](unsafeUninitializedCapacity: encodedCount(of: bytes.count)) { buffer, count in
      var output = unsafe OutputRawSpan(
        buffer: UnsafeMutableRawBufferPointer(buffer), initializedCount: 0)
      encode(bytes, into: &output)
      count = unsafe output.finalize(for: UnsafeMutableRawBufferPointer(buffer))
    }
  }
}

// MARK: - One group of four

extension Base64 {
  private static let padding: UInt8 = 64
  private static let whiteSpace: UInt8 = 65
  private static let nothing: UInt8 = 255

  private static let alphabet = Array(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// What each byte stands for: 0 to 63, or one of the names above.
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: nothing, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    values[Int(UInt8(ascii: "="))] = padding
    for blank in " \t\r\n\u{0B}\u{0C}".utf8 { values[Int(blank)] = whiteSpace }
    return values
  }()

  /// Reads the next group, with white space anywhere in it, and moves `i` behind it.
  ///
  /// Gives its bytes in the upper three quarters of 24 bits, and how many they are: 0 where only
  /// white space was left, 3, or 2 or 1 where it is the last and padded.
  private static func group(
    of text: Span<UInt8>, at i: inout Int, values: Span<UInt8>
  ) throws(Base64Error) -> (bits: UInt32, count: Int) {
    var bits: UInt32 = 0
    var digits = 0
    var pads = 0
    while i < text.count, digits + pads < 4 {
      let value = values[Int(text[i])]
      switch value {
      case whiteSpace: break
      case padding:
        guard digits >= 2 else { throw .badPadding(at: i) }
        pads += 1
      case nothing: throw .badCharacter(at: i)
      default:
        guard pads == 0 else { throw .badPadding(at: i) }
        bits |= UInt32(value) << UInt32(18 - 6 * digits)
        digits += 1
      }
      i += 1
    }
    if digits + pads == 0 { return (0, 0) }
    guard digits + pads == 4 else { throw .badPadding(at: i) }
    if pads > 0 { try onlyWhiteSpace(in: text, from: &i, values: values) }
    return (bits, 3 - pads)
  }

  private static func onlyWhiteSpace(
    in text: Span<UInt8>, from i: inout Int, values: Span<UInt8>
  ) throws(Base64Error) {
    while i < text.count {
      switch values[Int(text[i])] {
      case whiteSpace: i += 1
      case nothing: throw .badCharacter(at: i)
      default: throw .badPadding(at: i)
      }
    }
  }
}
