import ByteCoding
import Secrets

/// Text as words to be found: runs of letters and digits, in small letters.
enum SearchWords {
  /// The words of a text; what stands between them is no part of any.
  ///
  /// Bytes beyond ASCII count as letters.
  static func words(of text: Span<UInt8>) -> [[UInt8]] {
    var folded = WipedBuffer()
    var words: [[UInt8]] = []
    forEach(of: text, folding: &folded) { words.append($0.copied()) }
    return words
  }

  /// Calls `body` with each word of a text, as it stands in `folded`, which is for this only.
  static func forEach(
    of text: Span<UInt8>, folding folded: inout WipedBuffer, _ body: (Span<UInt8>) -> Void
  ) {
    folded.truncate(to: 0)
    folded.append(foldingCaseOf: text)
    let bytes = folded.bytes
    var start = 0
    for i in 0...bytes.count where i == bytes.count || !isLetter(bytes[i]) {
      if i > start { body(bytes.extracting(start..<i)) }
      start = i + 1
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: byte >= 0x80
    }
  }

  /// What tells at a glance that words differ (``Slips/signature(of:)``).
  static func signature(of word: [UInt8]) -> UInt64 {
    if word.allSatisfy({ $0 < 0x80 }) {
      return Slips.signature(of: word.lazy.map { UInt32($0) })
    }
    return Slips.signature(of: letters(of: word))
  }

  /// The letters of a word: Unicode scalars, or bytes where they are no UTF-8.
  static func letters(of word: some Collection<UInt8>) -> [UInt32] {
    if word.allSatisfy({ $0 < 0x80 }) { return word.map { UInt32($0) } }
    return String(decoding: word, as: UTF8.self).unicodeScalars.map(\.value)
  }
}

/// How many slips of the fingers lie between two words.
enum Slips {
  /// How many are forgiven in a word of so many letters: one from four on, two from eight on.
  static func allowed(inLetters count: Int) -> Int { count >= 8 ? 2 : count >= 4 ? 1 : 0 }

  /// The number of slips that make `typed` of `word`, or of the beginning of `word` with `asPrefix`; nil
  /// for more than `limit`.
  ///
  /// A slip is a letter too many, one too few, a wrong one, or two in the wrong order.
  static func count(
    _ typed: [UInt32], _ word: [UInt32], limit: Int, asPrefix: Bool = false
  ) -> Int? {
    guard asPrefix || abs(typed.count - word.count) <= limit, typed.count <= word.count + limit
    else { return nil }
    // Letters that can't matter any more aren't looked at.
    let word = word.prefix(typed.count + limit)
    var before: [Int] = []
    var above = Array(0...word.count)
    for (i, letter) in typed.enumerated() {
      var row = [i + 1]
      row.reserveCapacity(word.count + 1)
      for (j, other) in word.enumerated() {
        var least = min(above[j] + (letter == other ? 0 : 1), above[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, letter == word[j - 1], typed[i - 1] == other {
          least = min(least, before[j - 1] + 1)
        }
        row.append(least)
      }
      if row.allSatisfy({ $0 > limit }) { return nil }
      (before, above) = (above, row)
    }
    let slips = asPrefix ? above.min() : above.last
    return slips.flatMap { $0 <= limit ? $0 : nil }
  }

  /// A number with a bit for each letter of a word: two words with so many slips between them differ in
  /// at most twice as many bits.
  static func signature(of letters: some Sequence<UInt32>) -> UInt64 {
    letters.reduce(0) { $0 | 1 << UInt64($1 & 63) }
  }
}
