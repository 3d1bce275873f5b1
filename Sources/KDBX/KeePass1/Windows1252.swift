import Secrets

/// The encoding of KeePass 1's passwords, and of its texts before it used UTF-8.
enum Windows1252 {
  /// What the bytes from 0x80 to 0x9F stand for; the five that stand for nothing are the control
  /// characters of their number, as Windows has it.
  private static let upper: [UInt32] = [
    0x20AC, 0x81, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039,
    0x0152, 0x8D, 0x017D, 0x8F, 0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D, 0x017E, 0x0178,
  ]

  /// How a character is written.
  enum Form: CaseIterable {
    case windows1252, latin1
  }

  /// Writes a text of UTF-8 in one byte a character; `nil` where it isn't UTF-8, or has a character
  /// that the form lacks.
  static func encode(_ text: Span<UInt8>, as form: Form) -> SecretBytes? {
    var encoded = WipedBuffer(capacity: text.count)
    var i = 0
    while i < text.count {
      guard let next = XMLCharacters.sequence(in: text, at: i),
        let byte = byte(for: next.scalar, in: form)
      else { return nil }
      encoded.append(byte)
      i += next.count
    }
    return SecretBytes(copying: encoded.bytes)
  }

  private static func byte(for scalar: UInt32, in form: Form) -> UInt8? {
    switch (form, scalar) {
    case (_, 0..<0x80), (_, 0xA0...0xFF), (.latin1, 0x80..<0xA0): UInt8(scalar)
    case (.windows1252, _): upper.firstIndex(of: scalar).map { UInt8(0x80 + $0) }
    case (.latin1, _): nil
    }
  }

  /// Whether all of `text` is UTF-8.
  static func isUTF8(_ text: Span<UInt8>) -> Bool {
    var i = 0
    while i < text.count {
      guard let next = XMLCharacters.sequence(in: text, at: i) else { return false }
      i += next.count
    }
    return true
  }

  /// Appends a text in UTF-8.
  static func decode(_ text: Span<UInt8>, into output: inout WipedBuffer) {
    for i in text.indices {
      let byte = text[i]
      let scalar = (0x80..<0xA0).contains(byte) ? upper[Int(byte) - 0x80] : UInt32(byte)
      switch scalar {
      case 0..<0x80: output.append(UInt8(scalar))
      case 0x80..<0x800:
        output.append(UInt8(0xC0 | scalar >> 6))
        output.append(UInt8(0x80 | scalar & 0x3F))
      default:
        output.append(UInt8(0xE0 | scalar >> 12))
        output.append(UInt8(0x80 | scalar >> 6 & 0x3F))
        output.append(UInt8(0x80 | scalar & 0x3F))
      }
    }
  }
}
