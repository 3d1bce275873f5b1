package import Secrets

/// Base32 (RFC 4648, section 6), read as untidily as sites print it and written tidily.
package enum Base32 {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567".utf8)

  /// Appends the bytes that `text` spells; false, and nothing appended, when it spells none.
  ///
  /// Small letters, blanks, line ends, `-`, `+` (a blank in a form) and missing or surplus padding
  /// don't matter; bits that fill no byte are dropped, as every authenticator does. Any other
  /// character makes it no base32: reading past it would give a wrong code.
  package static func decode(_ text: Span<UInt8>, into output: inout WipedBuffer) -> Bool {
    let start = output.count
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for i in text.indices {
      guard let value = value(of: text[i]) else {
        if isFiller(text[i]) { continue }
        output.truncate(to: start)
        return false
      }
      bits = bits << 5 | value
      bitCount += 5
      guard bitCount >= 8 else { continue }
      bitCount -= 8
      output.append(UInt8(truncatingIfNeeded: bits >> bitCount))
      bits &= 1 << bitCount - 1
    }
    return output.count > start
  }

  /// Appends `bytes` in capital letters, without padding: what every program reads.
  package static func encode(_ bytes: Span<UInt8>, into output: inout WipedBuffer) {
    var bits: UInt32 = 0
    var bitCount: UInt32 = 0
    for i in bytes.indices {
      bits = bits << 8 | UInt32(bytes[i])
      bitCount += 8
      while bitCount >= 5 {
        bitCount -= 5
        output.append(alphabet[Int(bits >> bitCount)])
        bits &= 1 << bitCount - 1
      }
    }
    if bitCount > 0 { output.append(alphabet[Int(bits << (5 - bitCount))]) }
  }

  private static func value(of character: UInt8) -> UInt32? {
    switch lowercased(character) {
    case let letter where (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter):
      UInt32(letter - UInt8(ascii: "a"))
    case let digit where (UInt8(ascii: "2")...UInt8(ascii: "7")).contains(digit):
      UInt32(digit - UInt8(ascii: "2")) + 26
    default: nil
    }
  }

  private static func isFiller(_ character: UInt8) -> Bool {
    isASCIIWhiteSpace(character) || character == UInt8(ascii: "-")
      || character == UInt8(ascii: "=") || character == UInt8(ascii: "+")
  }
}
