import ByteCoding
package import KDBX
import Secrets

/// An entry that was looked for.
package struct SearchHit: Hashable, Sendable {
  package let entry: EntryID
  /// How well it fits: more is better.
  package let score: Int
}

/// All words of a vault's titles, user names, URLs, tags and notes, to find entries by.
///
/// Building it takes each entry apart once; asking takes as long as there are different words. Values
/// that are protected in the file aren't kept in it: their entries are taken apart at each question. The
/// recycle bin is left out.
package struct SearchIndex: Sendable {
  /// The most bytes of one value whose words count.
  private static let longestValue = 1 << 20

  /// Where a word stands in an entry.
  enum Field: UInt8, CaseIterable {
    case title, userName, url, tags, notes

    /// How much a word there tells.
    var weight: Int {
      switch self {
      case .title: 10
      case .userName, .url: 6
      case .tags: 5
      case .notes: 2
      }
    }
  }

  /// That a word stands in an entry.
  private struct Place: Equatable, Sendable {
    let word: Int32
    let entry: Int32
    let field: Field
  }

  private var words: [IndexedWords.Word] = []
  /// The places of all words in one list: a list for each word would be thousands of small ones.
  private var places: [Place] = []
  private var entries: [EntryID] = []
  /// Entries that hold protected values, by their number.
  private var partial: [Int32] = []

  /// Takes all entries of a vault apart.
  package init(_ vault: Vault) {
    var words = IndexedWords()
    var text = WipedBuffer()
    var folded = WipedBuffer()
    for id in vault.entriesOutsideBin {
      let number = Int32(clamping: entries.count)
      entries.append(id)
      let entry = vault.document.entry(id)
      var hasProtected = false
      for (field, value) in Self.texts(of: entry) {
        if case .protected = value {
          hasProtected = hasProtected || vault.document.values.count(of: value) > 0
          continue
        }
        Self.open(value, in: vault, into: &text)
        add(text.bytes, &folded, number, field, &words)
      }
      add(entry.tags.span, &folded, number, .tags, &words)
      if hasProtected { partial.append(number) }
    }
    self.words = words.all
  }

  /// The values of an entry that words are looked for in, but for the tags.
  ///
  /// Of fields with one key the last one counts.
  private static func texts(of entry: Entry) -> [(field: Field, value: StoredText)] {
    var texts: [(field: Field, value: StoredText)] = []
    for string in entry.strings.reversed() {
      guard let field = field(of: string.key), !texts.contains(where: { $0.field == field }) else {
        continue
      }
      texts.append((field, string.value))
    }
    return texts
  }

  private static func field(of key: [UInt8]) -> Field? {
    switch key {
    case FieldKey.title: .title
    case FieldKey.userName: .userName
    case FieldKey.url: .url
    case FieldKey.notes: .notes
    default: nil
    }
  }

  /// Leaves in `text` the bytes of a value whose words count.
  private static func open(_ value: StoredText, in vault: Vault, into text: inout WipedBuffer) {
    text.truncate(to: 0)
    vault.document.values.open(value, into: &text)
    if text.count > longestValue { text.truncate(to: longestValue) }
  }

  private mutating func add(
    _ text: Span<UInt8>, _ folded: inout WipedBuffer, _ entry: Int32, _ field: Field,
    _ words: inout IndexedWords
  ) {
    SearchWords.forEach(of: text, folding: &folded) { word in
      if field == .url, Self.isEverywhere(word) { return }
      // A word twice in one place counts as one; those that stand apart don't matter.
      let place = Place(word: words.number(of: word), entry: entry, field: field)
      if place != places.last { places.append(place) }
    }
  }

  /// Whether a word of a URL tells nothing.
  private static func isEverywhere(_ word: Span<UInt8>) -> Bool {
    common.contains { $0.span.hasSameBytes(as: word) }
  }
  private static let common: [[UInt8]] = ["http", "https", "www"].map { Array($0.utf8) }

  // MARK: - Asking

  /// The entries in which each word of `text` stands, or nearly so, the best first.
  ///
  /// A word fits one that it is, one that begins with it, one that holds it, and one that is a slip or
  /// two away (``Slips``); the beginning of a word, too. `vault` is the one that the index was made of.
  package func hits(for text: [UInt8], in vault: Vault) -> [SearchHit] {
    let asked = SearchWords.words(of: text.span).map { Question($0) }
    guard !asked.isEmpty else { return [] }
    var total = [Int](repeating: 0, count: entries.count)
    var met = [Int](repeating: 0, count: entries.count)
    for (count, question) in asked.enumerated() {
      var best = [Int](repeating: 0, count: entries.count)
      let qualities = words.map { question.quality(of: $0.bytes, $0.signature) }
      for place in places where qualities[Int(place.word)] > 0 {
        let score = qualities[Int(place.word)] * place.field.weight
        best[Int(place.entry)] = max(best[Int(place.entry)], score)
      }
      for number in partial {
        best[Int(number)] = max(
          best[Int(number)], Self.protectedScore(entries[Int(number)], question, vault))
      }
      for number in entries.indices where met[number] == count && best[number] > 0 {
        met[number] += 1
        total[number] += best[number]
      }
    }
    let found = entries.indices.filter { met[$0] == asked.count }
    // A stable order: of equals the first in the document.
    return found.sorted { (-total[$0], $0) < (-total[$1], $1) }
      .map { SearchHit(entry: entries[$0], score: total[$0]) }
  }

  private static func protectedScore(
    _ id: EntryID, _ question: Question, _ vault: Vault
  ) -> Int {
    let entry = vault.document.entry(id)
    var best = 0
    var text = WipedBuffer()
    for (field, value) in texts(of: entry) {
      guard case .protected = value else { continue }
      open(value, in: vault, into: &text)
      for word in SearchWords.words(of: text.bytes)
      where field != .url || !isEverywhere(word.span) {
        best = max(best, question.quality(of: word, SearchWords.signature(of: word)) * field.weight)
      }
    }
    return best
  }
}

/// One word that is looked for.
private struct Question {
  private let bytes: [UInt8]
  private let letters: [UInt32]
  private let signature: UInt64
  private let allowed: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    letters = SearchWords.letters(of: bytes)
    signature = Slips.signature(of: letters)
    allowed = Slips.allowed(inLetters: letters.count)
  }

  /// How well another word fits: 0 for not at all.
  func quality(of word: [UInt8], _ wordSignature: UInt64) -> Int {
    // What holds it has all of its letters.
    if signature & ~wordSignature == 0 {
      if word == bytes { return 100 }
      if word.starts(with: bytes) { return 80 }
      if word.span.contains(bytes.span) { return 50 }
    }
    guard allowed > 0, (signature & ~wordSignature).nonzeroBitCount <= 2 else { return 0 }
    let other = SearchWords.letters(of: word)
    // Where letters are missing, the other word tells how long it was to be.
    let limit = max(allowed, Slips.allowed(inLetters: other.count))
    if let slips = Slips.count(letters, other, limit: limit) { return 50 - 10 * slips }
    guard let slips = Slips.count(letters, other, limit: allowed, asPrefix: true) else { return 0 }
    return 40 - 10 * slips
  }
}
