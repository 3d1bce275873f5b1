/// Names that a person takes for others: what `match` warns of.
enum Lookalikes {
  /// Whether somebody may take one name of a site for the other, which isn't it.
  ///
  /// So it is if they look the same (letters of other alphabets, digits for letters, `rn` for `m`), or are
  /// one slip apart.
  static func isAlike(_ name: [UInt8], _ other: [UInt8]) -> Bool {
    guard name != other else { return false }
    let (left, right) = (shape(of: name), shape(of: other))
    if left == right { return true }
    guard min(left.count, right.count) >= leastLetters else { return false }
    return Slips.count(left, right, limit: 1) != nil
  }

  /// In shorter names, dots and all, one letter makes another name.
  private static let leastLetters = 8

  /// A name in the letters that it looks like.
  private static func shape(of name: [UInt8]) -> [UInt32] {
    var shape: [UInt32] = []
    for letter in SearchWords.letters(of: name) {
      let seen = looks[letter] ?? letter
      switch (shape.last, seen) {
      case (r, n): shape[shape.count - 1] = m
      case (v, v): shape[shape.count - 1] = w
      default: shape.append(seen)
      }
    }
    return shape
  }

  private static let r = UInt32(UInt8(ascii: "r"))
  private static let n = UInt32(UInt8(ascii: "n"))
  private static let m = UInt32(UInt8(ascii: "m"))
  private static let v = UInt32(UInt8(ascii: "v"))
  private static let w = UInt32(UInt8(ascii: "w"))

  /// Letters and the Latin ones that they are taken for; of Unicode's list of confusables (UTS 39) those
  /// that host names may have.
  private static let looks: [UInt32: UInt32] = {
    let alike: KeyValuePairs<Character, String> = [
      "a": "аαạàáâãäåāăą", "b": "Ьƅ", "c": "сϲçćč", "d": "ԁďđ", "e": "еёèéêëēĕėęěẹ",
      "g": "ɡğģġ", "h": "һհ", "i": "іïìíîīĭįıǐ", "j": "јʝ", "k": "кκķ", "l": "1|ӏłļľ", "m": "м",
      "n": "пńñňņո", "o": "0оοσօöóòôõøōŏőọ", "p": "рρ", "q": "ԛգ", "r": "гŕř", "s": "ѕśşšș",
      "t": "тτţťț", "u": "υսùúûüūŭůűų", "v": "ѵν", "w": "ԝѡŵ", "x": "хχ", "y": "уүýÿŷγ",
      "z": "ᴢźżž",
    ]
    var looks: [UInt32: UInt32] = [:]
    for (letter, others) in alike {
      for scalar in others.unicodeScalars {
        looks[scalar.value] = letter.unicodeScalars.first?.value
      }
    }
    return looks
  }()
}
