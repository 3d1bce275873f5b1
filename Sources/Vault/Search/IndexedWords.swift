import ByteCoding

/// The different words of a vault, numbered as they are met, while an index is made.
struct IndexedWords: Sendable {
  struct Word: Sendable {
    let bytes: [UInt8]
    /// ``SearchWords/signature(of:)``.
    let signature: UInt64
  }

  private(set) var all: [Word] = []
  /// Numbers by what `Hasher` makes of a word, or the next free key behind it: most words were met
  /// before, and a dictionary of the words themselves would want an array made of each to look it up.
  private var numbers: [Int: Int32] = [:]

  /// The number of a word, which gets one if it is new.
  mutating func number(of word: Span<UInt8>) -> Int32 {
    var key = Self.hash(word)
    while let number = numbers[key] {
      let known = all[Int(number)].bytes
      if known.span.hasSameBytes(as: word) { return number }
      key &+= 1
    }
    let number = Int32(clamping: all.count)
    numbers[key] = number
    let bytes = word.copied()
    all.append(Word(bytes: bytes, signature: SearchWords.signature(of: bytes)))
    return number
  }

  private static func hash(_ word: Span<UInt8>) -> Int {
    var hasher = Hasher()
    unsafe word.withUnsafeBytes { bytes in unsafe hasher.combine(bytes: bytes) }
    return hasher.finalize()
  }
}
