/// Helpers for bytes that are mostly ASCII: the grammar around a value, never its meaning.
extension Span where Element == UInt8 {
  /// Whether the bytes are those of `text`, small and capital letters counting as one.
  func equalsIgnoringCase(_ text: StaticString) -> Bool {
    count == text.utf8CodeUnitCount && hasPrefixIgnoringCase(text)
  }

  /// Whether the bytes begin with those of `text`, small and capital letters counting as one.
  func hasPrefixIgnoringCase(_ text: StaticString) -> Bool {
    let length = text.utf8CodeUnitCount
    guard count >= length else { return false }
    return text.withUTF8Buffer { buffer in
      for i in 0..<length where unsafe lowercased(self[i]) != lowercased(buffer[i]) {
        return false
      }
      return true
    }
  }

  /// The first place of `byte` in `range`.
  func firstIndex(of byte: UInt8, in range: Range<Int>) -> Int? {
    for i in range where self[i] == byte { return i }
    return nil
  }

  /// The range of the bytes without white space at either end.
  var trimmedRange: Range<Int> {
    var start = 0
    var end = count
    while start < end, isASCIIWhiteSpace(self[start]) { start += 1 }
    while end > start, isASCIIWhiteSpace(self[end - 1]) { end -= 1 }
    return start..<end
  }

  /// The number that the bytes spell in decimal; nil for anything else, a sign and an overflow too.
  var decimal: Int64? {
    guard !isEmpty else { return nil }
    var value: Int64 = 0
    for i in indices {
      guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self[i]) else { return nil }
      let (scaled, overflow) = value.multipliedReportingOverflow(by: 10)
      let (sum, carried) = scaled.addingReportingOverflow(Int64(self[i] - UInt8(ascii: "0")))
      guard !overflow, !carried else { return nil }
      value = sum
    }
    return value
  }
}

/// The small letter of an ASCII capital; other bytes as they are.
func lowercased(_ byte: UInt8) -> UInt8 {
  (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// Blank, tab, line feed, vertical tab, form feed, carriage return.
func isASCIIWhiteSpace(_ byte: UInt8) -> Bool {
  byte == 0x20 || (0x09...0x0D).contains(byte)
}
