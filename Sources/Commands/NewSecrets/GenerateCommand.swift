package import Generation
package import Platform
import Secrets

/// What `generate` is told of the password.
package struct GenerationSettings: Hashable, Sendable {
  /// `--classes`: the kinds of characters; `nil`: all.
  package var classes: Set<CharacterRecipe.Class>?
  /// `--no-lookalikes`: what is easily taken for something else is left out.
  package var avoidsLookAlikes = false
  /// `--separator`: what stands between words.
  package var separator: [UInt8]?
  /// `--wordlist`: where the words come from.
  package var wordList: Path?

  package init() {}
}

/// `kdbxfs generate [LENGTH | words [COUNT]]`: prints a new password, and says how strong it is.
struct GenerateCommand {
  /// The most bytes of a word list that are read.
  private static let longestList = 16 << 20

  /// What follows the command: nothing, a length, or `words` and perhaps their count.
  let words: [[UInt8]]
  let settings: Settings

  func run() throws(Complaint) {
    let isOfWords = words.first?.elementsEqual("words".utf8) ?? false
    try isOfWords ? printWords() : printCharacters()
  }

  private func printCharacters() throws(Complaint) {
    let given = settings.generation
    guard given.separator == nil, given.wordList == nil else {
      throw .usage("'--separator' and '--wordlist' are for words", hint: "kdbxfs generate words")
    }
    guard words.count <= 1 else {
      throw .usage("'generate' wants a length, or 'words' and their number")
    }
    var recipe = CharacterRecipe()
    if let word = words.first {
      recipe.length = try number(word, atMost: CharacterRecipe.mostCharacters)
    }
    if let classes = given.classes { recipe.classes = classes }
    recipe.avoidsLookAlikes = given.avoidsLookAlikes
    try write(recipe.generate(), bits: recipe.bits)
  }

  private func printWords() throws(Complaint) {
    let given = settings.generation
    guard given.classes == nil, !given.avoidsLookAlikes else {
      throw .usage("'--classes' and '--no-lookalikes' are for characters")
    }
    var recipe = WordRecipe()
    if words.count > 1 { recipe.count = try number(words[1], atMost: WordRecipe.mostWords) }
    if let separator = given.separator { recipe.separator = separator }
    if let path = given.wordList { recipe.list = try list(at: path) }
    try write(recipe.generate(), bits: recipe.bits)
  }

  private func list(at path: Path) throws(Complaint) -> WordList {
    let text: [UInt8]
    do throws(Errno) {
      let file = try Files.readWhole(path, limit: Self.longestList)
      text = file.bytes.indices.map { file.bytes[$0] }
    } catch {
      throw Complaint("the word list '\(path)' can't be read: \(error)", exitCode: .usage)
    }
    guard let list = WordList(text: text) else {
      throw Complaint(
        "the word list '\(path)' has not the words of a list",
        hints: ["a word a line, from \(WordList.sizes.lowerBound) to \(WordList.sizes.upperBound)"],
        exitCode: .usage)
    }
    return list
  }

  private func number(_ word: [UInt8], atMost most: Int) throws(Complaint) -> Int {
    let text = Path(word).description
    guard word.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text),
      (1...most).contains(number)
    else { throw .usage("'\(text)' is no number from 1 to \(most)") }
    return number
  }

  private func write(_ password: borrowing SecretBytes, bits: Double) throws(Complaint) {
    if !settings.isQuiet { StandardStream.error.say("kdbxfs: \(Int(bits)) bits") }
    var line = WipedBuffer(capacity: password.count + 1)
    password.withBytes { line.append($0) }
    line.append(UInt8(ascii: "\n"))
    try VaultCommands.write(line.bytes)
  }
}
