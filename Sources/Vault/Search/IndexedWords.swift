import ByteCoding

/// The different words of a vault, numbered as they are met, while an index is made.
struct IndexedWords: Sendable {
  struct Word: Sendable {
    let bytes: [UInt8]
    /// ``SearchWords/signature(of:)``.
    let signature: UInt64
  }

  private(set) var all: [Word] = []
  /// Numbers by what stands for a word, or the next free key behind it: most words were met before, and
  /// a dictionary of the words themselves would want an array made of each to look it up.
  private var numbers: [Key: Int32] = [:]

  /// What `Hasher` makes of a word: nobody can choose words so that many have the same.
  private struct Key: Hashable, Sendable {
    var hash: Int

    init(of word: Span<UInt8>) {
      var hasher = Hasher()
      unsafe word.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
      hash = hasher.finalize()
    }

    /// It is one already: not hashed once more.
    func _rawHashValue(seed: Int) -> Int { hash ^ seed }
  }

  /// The number of a word, which gets one if it is new.
  mutating func number(of word: Span<UInt8>) -> Int32 {
    var key = Key(of: word)
    while let number = numbers[key] {
      let known = all[Int(number)].bytes
      if known.span.hasSameBytes(as: word) { return number }
      key.hash &+= 1
    }
    let number = Int32(clamping: all.count)
    numbers[key] = number
    let bytes = word.copied()
    all.append(Word(bytes: bytes, signature: SearchWords.signature(of: bytes)))
    return number
  }
}
