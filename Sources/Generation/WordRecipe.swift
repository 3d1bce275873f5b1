import Glibc
package import Secrets

/// How a password of words is made.
package struct WordRecipe: Hashable, Sendable {
  /// The most words that a password may have.
  package static let mostWords = 128

  /// How many words, at most ``mostWords``.
  package var count = 6
  /// What stands between two of them.
  package var separator: [UInt8] = [UInt8(ascii: "-")]
  /// Where the words come from.
  package var list = WordList.own

  package init() {}

  /// A new password: any sequence of words is as likely as any other.
  ///
  /// - Precondition: the count lies within 1...``mostWords``.
  package func generate() -> SecretBytes {
    precondition((1...Self.mostWords).contains(count), "bad recipe")
    var picker = RandomPicker()
    var password = WipedBuffer(capacity: count * 16)
    for place in 0..<count {
      if place > 0 { password.append(separator.span) }
      password.append(list[picker.pick(below: list.count)].span)
    }
    return SecretBytes(copying: password.bytes)
  }

  /// The strength in bits: the logarithm of how many sequences it may have been.
  package var bits: Double { Double(count) * log2(Double(list.count)) }
}
