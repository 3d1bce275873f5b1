import ByteCoding
import CWordList
import Ciphers
import Secrets

/// Words to make passwords of, each once.
package struct WordList: Hashable, Sendable {
  /// The fewest and most words that a list may have: fewer make weak passwords, more can't be picked.
  package static let sizes = 1000...65536

  private let words: [[UInt8]]

  /// EFF's long list, 7776 English words.
  package static let own: WordList = {
    var size = 0
    let list = unsafe word_list(&size)
    var text = WipedBuffer()
    var inflater = Inflater(limit: 1 << 20)
    // SAFETY: so many constant bytes are there as long as the process.
    let packed = unsafe UnsafeBufferPointer(start: list, count: size)
    guard unsafe (try? inflater.update(packed.span, into: &text)) != nil,
      let own = WordList(text: text.bytes.copied())
    else { preconditionFailure("the word list is none") }
    return own
  }()

  /// Reads a list: a word a line, the last of its line where something stands before it, such as the
  /// digits of dice; empty lines and those that begin with `#` don't count, and a word counts once.
  ///
  /// `nil` where there are fewer or more words than ``sizes`` has.
  package init?(text: [UInt8]) {
    var seen: Set<[UInt8]> = []
    var words: [[UInt8]] = []
    for line in text.split(separator: UInt8(ascii: "\n")) where line.first != UInt8(ascii: "#") {
      let parts = line.split { $0 == UInt8(ascii: " ") || $0 == 0x09 || $0 == 0x0D }
      guard let word = parts.last.map(Array.init), seen.insert(word).inserted else { continue }
      words.append(word)
    }
    guard Self.sizes.contains(words.count) else { return nil }
    self.words = words
  }

  package var count: Int { words.count }

  package subscript(place: Int) -> [UInt8] { words[place] }
}
