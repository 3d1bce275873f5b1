import Glibc
package import Secrets

/// How a password of characters is made.
package struct CharacterRecipe: Hashable, Sendable {
  /// Kinds of characters.
  package enum Class: String, CaseIterable, Sendable {
    case lower, upper, digits, symbols

    /// All characters of the kind; of the symbols only those that shells, URLs and tables bear best:
    /// no quotes, no backslash, no blank.
    var characters: [UInt8] {
      switch self {
      case .lower: Array("abcdefghijklmnopqrstuvwxyz".utf8)
      case .upper: Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
      case .digits: Array("0123456789".utf8)
      case .symbols: Array("!#$%&()*+,-./:;<=>?@[]^_{|}~".utf8)
      }
    }
  }

  /// What is easily taken for something else where it is read or typed off.
  private static let lookAlikes = Array("0O1Il|8B6G5S2Z".utf8)
  /// The most characters that a password may have.
  package static let mostCharacters = 1024

  /// How many characters, at most ``mostCharacters``.
  package var length = 24
  /// The kinds of characters, each of which is in the password if it is long enough for that.
  package var classes = Set(Class.allCases)
  /// Whether what looks like something else is left out.
  package var avoidsLookAlikes = false

  package init() {}

  /// The characters of each kind, in an order that is always the same.
  private var alphabets: [[UInt8]] {
    Class.allCases.filter { classes.contains($0) }.map { kind in
      avoidsLookAlikes
        ? kind.characters.filter { !Self.lookAlikes.contains($0) } : kind.characters
    }
  }

  /// Whether a password holds each kind.
  private var holdsEach: Bool { length >= classes.count }

  /// A new password: any that holds each kind is as likely as any other.
  ///
  /// - Precondition: there is a kind, and the length lies within 1...``mostCharacters``.
  package func generate() -> SecretBytes {
    precondition((1...Self.mostCharacters).contains(length) && !classes.isEmpty, "bad recipe")
    let alphabets = alphabets
    let alphabet = alphabets.flatMap(\.self)
    var picker = RandomPicker()
    while true {
      let password = SecretBytes(zeroed: length) { bytes in
        for i in bytes.indices { bytes[i] = alphabet[picker.pick(below: alphabet.count)] }
      }
      let isTaken =
        !holdsEach
        || password.withBytes { bytes in
          alphabets.allSatisfy { kind in bytes.indices.contains { kind.contains(bytes[$0]) } }
        }
      // Another try rather than a character put in its place, which would make some likelier.
      if isTaken { return password }
    }
  }

  /// The strength in bits: the logarithm of how many passwords it may have been.
  package var bits: Double {
    let counts = alphabets.map { Double($0.count) }
    let all = counts.reduce(0, +)
    guard all > 0 else { return 0 }
    let free = Double(length) * log2(all)
    guard holdsEach else { return free }
    // The share that holds each kind, by inclusion and exclusion of those that lack some.
    var share = 0.0
    for lacking in 0..<1 << counts.count {
      let left = counts.indices.reduce(all) { lacking >> $1 & 1 == 1 ? $0 - counts[$1] : $0 }
      let sign = lacking.nonzeroBitCount.isMultiple(of: 2) ? 1.0 : -1.0
      share += sign * pow(left / all, Double(length))
    }
    return free + log2(share)
  }
}
