import Secrets

extension WipedBuffer {
  /// Appends UTF-8 text with its capitals as small letters, so that texts compare without regard
  /// to case.
  ///
  /// Letter by letter, as Unicode maps them; bytes that are no UTF-8 stay as they are.
  mutating func append(foldingCaseOf text: Span<UInt8>) {
    var i = 0
    while i < text.count {
      if text[i] < 0x80 {
        append(lowercased(text[i]))
        i += 1
        continue
      }
      let length = Self.scalarLength(text[i])
      guard length > 1, i + length <= text.count,
        let scalar = Self.scalar(text.extracting(i..<(i + length)))
      else {
        append(text[i])
        i += 1
        continue
      }
      for byte in scalar.properties.lowercaseMapping.utf8 { append(byte) }
      i += length
    }
  }

  private static func scalarLength(_ first: UInt8) -> Int {
    switch first {
    case 0xC2...0xDF: 2
    case 0xE0...0xEF: 3
    case 0xF0...0xF4: 4
    default: 1
    }
  }

  private static func scalar(_ bytes: Span<UInt8>) -> Unicode.Scalar? {
    var value = UInt32(bytes[0]) & (0x7F >> UInt32(bytes.count))
    for i in 1..<bytes.count {
      guard bytes[i] & 0xC0 == 0x80 else { return nil }
      value = value << 6 | UInt32(bytes[i] & 0x3F)
    }
    return Unicode.Scalar(value)
  }
}

extension Span where Element == UInt8 {
  /// Whether `part` stands somewhere in the bytes; an empty one does.
  func contains(_ part: Span<UInt8>) -> Bool {
    guard !part.isEmpty else { return true }
    guard count >= part.count else { return false }
    for start in 0...(count - part.count) where self[start] == part[0] {
      var length = 1
      while length < part.count, self[start + length] == part[length] { length += 1 }
      if length == part.count { return true }
    }
    return false
  }
}
