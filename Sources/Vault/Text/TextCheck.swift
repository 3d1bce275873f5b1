/// What keeps bytes from being the text of a vault.
package enum TextProblem: Hashable, Sendable {
  /// The bytes from `at` on are no UTF-8.
  case notUTF8(at: Int)
  /// At `at` stands a character that XML 1.0 can't hold.
  case forbiddenCharacter(at: Int)
}

/// Judges bytes that are to become text in a vault.
///
/// The rule is one for protected and unprotected fields: an unprotected field can't hold what XML
/// can't, and a field's protection may change later.
package enum TextCheck {
  /// The first problem of `text`, or nil when a vault can hold it.
  ///
  /// Allowed is what XML 1.0 calls a character: tab, line feed, carriage return, and everything
  /// from U+0020 on but surrogates, U+FFFE and U+FFFF. UTF-8 is judged as RFC 3629 has it: no
  /// overlong forms.
  ///
  /// A piece of a value that comes in parts may be cut inside a character: `cutAtStart` forgives
  /// up to three continuation bytes at the front, `cutAtEnd` an unfinished character at the end.
  package static func firstProblem(
    in text: Span<UInt8>, cutAtStart: Bool = false, cutAtEnd: Bool = false
  ) -> TextProblem? {
    var i = 0
    if cutAtStart {
      while i < text.count, i < 3, text[i] & 0xC0 == 0x80 { i += 1 }
    }
    while i < text.count {
      let first = text[i]
      if first < 0x80 {
        if first < 0x20, first != 0x09, first != 0x0A, first != 0x0D {
          return .forbiddenCharacter(at: i)
        }
        i += 1
        continue
      }
      switch character(in: text, at: i) {
      case .whole(let length): i += length
      case .cut: return cutAtEnd ? nil : .notUTF8(at: i)
      case .broken: return .notUTF8(at: i)
      case .forbidden: return .forbiddenCharacter(at: i)
      }
    }
    return nil
  }

  private enum Character {
    case whole(length: Int)
    case cut
    case broken
    case forbidden
  }

  /// Reads the character of two to four bytes that starts at `start`.
  private static func character(in text: Span<UInt8>, at start: Int) -> Character {
    let length: Int
    var second: ClosedRange<UInt8> = 0x80...0xBF
    switch text[start] {
    case 0xC2...0xDF: length = 2
    case 0xE0: (length, second) = (3, 0xA0...0xBF)
    case 0xED: (length, second) = (3, 0x80...0x9F)
    case 0xE1...0xEF: length = 3
    case 0xF0: (length, second) = (4, 0x90...0xBF)
    case 0xF4: (length, second) = (4, 0x80...0x8F)
    case 0xF1...0xF3: length = 4
    default: return .broken
    }
    guard start + 1 < text.count else { return .cut }
    guard second.contains(text[start + 1]) else { return .broken }
    for i in (start + 2)..<max(start + 2, start + length) {
      guard i < text.count else { return .cut }
      guard text[i] & 0xC0 == 0x80 else { return .broken }
    }
    let isNoncharacter =
      text[start] == 0xEF && text[start + 1] == 0xBF && text[start + 2] >= 0xBE
    return isNoncharacter ? .forbidden : .whole(length: length)
  }
}
