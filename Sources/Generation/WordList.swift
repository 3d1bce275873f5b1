import ByteCoding
import CWordList
import Ciphers
import Secrets

/// Words to make passwords of, each once.
package struct WordList: Hashable, Sendable {
  /// The fewest and most words that a list may have: fewer make weak passwords, more can't be picked.
  package static let sizes = 1000...65536

  private let text: [UInt8]
  /// Where in ``text`` each word stands.
  private let places: [Range<Int>]

  /// EFF's long list, 7776 English words.
  package static let own: WordList = {
    var size = 0
    let list = unsafe word_list(&size)
    var text = WipedBuffer(capacity: 1 << 16)
    var inflater = Inflater(limit: 1 << 20)
    // SAFETY: so many constant bytes are there as long as the process.
    let packed = unsafe UnsafeBufferPointer(start: list, count: size)
    guard unsafe (try? inflater.update(packed.span, into: &text)) != nil else {
      preconditionFailure("the word list is damaged")
    }
    return WordList(plain: text.bytes.copied())
  }()

  /// Takes a text that holds nothing but words, each once and with a line feed behind it: to read it as
  /// others are read would take as long as all else that it takes to make a password.
  private init(plain text: [UInt8]) {
    var places: [Range<Int>] = []
    places.reserveCapacity(1 << 13)
    var start = 0
    for end in text.indices where text[end] == UInt8(ascii: "\n") {
      places.append(start..<end)
      start = end + 1
    }
    self.text = text
    self.places = places
  }

  /// Reads a list: a word a line, the last of its line where something stands before it, such as the
  /// digits of dice; empty lines and those that begin with `#` don't count, and a word counts once.
  ///
  /// `nil` where there are fewer or more words than ``sizes`` has.
  package init?(text: [UInt8]) {
    var seen: Set<[UInt8]> = []
    var places: [Range<Int>] = []
    for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let parts = line.split { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == 0x0D }
      guard let word = parts.last, seen.insert(Array(word)).inserted else { continue }
      places.append(word.indices)
    }
    guard Self.sizes.contains(places.count) else { return nil }
    self.text = text
    self.places = places
  }

  package var count: Int { places.count }

  package subscript(place: Int) -> [UInt8] { Array(text[places[place]]) }
}
