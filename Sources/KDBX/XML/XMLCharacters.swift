/// What XML 1.0 (fifth edition) says of characters, as tables and tests.
enum XMLCharacters {
  /// White space: blank, tab, line feed, carriage return.
  static let space: UInt8 = 1
  /// ASCII that may stand in a name.
  static let name: UInt8 = 2
  /// Ends a run of plain text: marks, what XML can't hold, and every byte over 0x7F.
  static let stop: UInt8 = 4
  /// May begin a name; every byte over 0x7F may, and is looked at again.
  static let nameStart: UInt8 = 8
  /// May stand in a name; every byte over 0x7F may, and is looked at again.
  static let wideName: UInt8 = 16

  /// Stands for itself in an attribute's value: neither a quote nor a mark nor white space.
  static let plain: UInt8 = 32

  /// The classes of every byte.
  static func makeClasses() -> InlineArray<256, UInt8> {
    InlineArray { index in
      let byte = UInt8(truncatingIfNeeded: index)
      var classes: UInt8 = 0
      if byte > 0x20, byte < 0x7F, !"<&'\"".utf8.contains(byte) { classes |= plain }
      switch byte {
      case 0x09, 0x0A, 0x0D, 0x20: classes |= space
      case 0x00..<0x20: classes |= stop
      case UInt8(ascii: "<"), UInt8(ascii: "&"), UInt8(ascii: "]"): classes |= stop
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "_"), UInt8(ascii: ":"):
        classes |= name | wideName | nameStart
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."):
        classes |= name | wideName
      case 0x80...0xFF: classes |= stop | wideName | nameStart
      default: break
      }
      return classes
    }
  }

  /// Finds the ``stop`` bytes among eight: the lowest bit set stands in the first of them.
  ///
  /// May take white space other than blanks for one, and what follows one.
  @inline(__always)
  static func stops(in word: UInt64) -> UInt64 {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let highs: UInt64 = 0x8080_8080_8080_8080
    let less = word ^ (ones &* UInt64(UInt8(ascii: "<")))
    let ampersand = word ^ (ones &* UInt64(UInt8(ascii: "&")))
    let bracket = word ^ (ones &* UInt64(UInt8(ascii: "]")))
    let found =
      ((less &- ones) & ~less) | ((ampersand &- ones) & ~ampersand)
      | ((bracket &- ones) & ~bracket) | ((word &- (ones &* 0x20)) & ~word) | word
    return found & highs
  }

  static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
  }

  /// Whether XML 1.0 can hold the character, raw or as a reference (production 2, Char).
  static func isAllowed(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0x09, 0x0A, 0x0D, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
    default: false
    }
  }

  /// Whether a character over 0x7F may begin a name (production 4, NameStartChar).
  static func isNameStart(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D,
      0x2070...0x218F, 0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD,
      0x10000...0xEFFFF:
      true
    default: false
    }
  }

  /// Whether a character over 0x7F may stand in a name (production 4a, NameChar).
  static func isName(_ scalar: UInt32) -> Bool {
    switch scalar {
    case 0xB7, 0x300...0x36F, 0x203F...0x2040: true
    default: isNameStart(scalar)
    }
  }

  /// A character of UTF-8, and the number of its bytes.
  struct Sequence {
    let scalar: UInt32
    let count: Int
  }

  /// The character that starts at `index`; `nil` if the bytes aren't UTF-8 (RFC 3629).
  static func sequence(in bytes: Span<UInt8>, at index: Int) -> Sequence? {
    let first = UInt32(bytes[index])
    if first < 0x80 { return Sequence(scalar: first, count: 1) }
    let count = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
    guard first >= 0xC2, first <= 0xF4, bytes.count - index >= count else { return nil }
    var scalar = first & (0x7F >> UInt32(count))
    for i in 1..<count {
      let next = UInt32(bytes[index + i])
      guard next & 0xC0 == 0x80 else { return nil }
      scalar = scalar << 6 | next & 0x3F
    }
    // Longer forms than needed, surrogates, and what lies beyond Unicode.
    switch count {
    case 2: return Sequence(scalar: scalar, count: 2)
    case 3:
      guard scalar >= 0x800, !(0xD800...0xDFFF).contains(scalar) else { return nil }
      return Sequence(scalar: scalar, count: 3)
    default:
      guard (0x10000...0x10FFFF).contains(scalar) else { return nil }
      return Sequence(scalar: scalar, count: 4)
    }
  }
}
