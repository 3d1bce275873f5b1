package import Generation
package import Platform
import Secrets

/// What `generate` and `new --generate` are told of the password.
package struct GenerationSettings: Hashable, Sendable {
  /// `--classes`: the kinds of characters; `nil`: all.
  package var classes: Set<CharacterRecipe.Class>?
  /// `--no-lookalikes`: what is easily taken for something else is left out.
  package var avoidsLookAlikes = false
  /// `--separator`: what stands between words.
  package var separator: [UInt8]?
  /// `--wordlist`: where the words come from.
  package var wordList: Path?
  /// `new --generate`: the new entry gets a password.
  package var isWanted = false
  /// `new --length`: of so many characters.
  package var length: Int?
  /// `new --words`: of so many words.
  package var wordCount: Int?
  /// `new --show`: print it.
  package var isShown = false

  package init() {}
}

/// `kdbxfs generate [LENGTH | words [COUNT]]`: prints a new password, and says how strong it is.
struct GenerateCommand {
  /// What follows the command: nothing, a length, or `words` and perhaps their count.
  let words: [[UInt8]]
  let settings: Settings

  func run() throws(Complaint) {
    let recipe = try recipe()
    try Self.write(recipe.generate(), madeBy: recipe, settings)
  }

  private func recipe() throws(Complaint) -> PasswordRecipe {
    if words.first?.elementsEqual("words".utf8) ?? false {
      let count = words.count > 1 ? words[1] : nil
      return try .ofWords(
        count.map { (word) throws(Complaint) in
          try PasswordRecipe.number(word, atMost: WordRecipe.mostWords)
        }, settings.generation)
    }
    guard words.count <= 1 else {
      throw .usage("'generate' wants a length, or 'words' and their number")
    }
    return try .ofCharacters(
      words.first.map { (word) throws(Complaint) in
        try PasswordRecipe.number(word, atMost: CharacterRecipe.mostCharacters)
      }, settings.generation)
  }

  /// Prints a password, and how strong it is.
  static func write(
    _ password: borrowing SecretBytes, madeBy recipe: PasswordRecipe, _ settings: Settings
  ) throws(Complaint) {
    if !settings.isQuiet { StandardStream.error.say(recipe.strength) }
    var line = WipedBuffer(capacity: password.count + 1)
    password.withBytes { line.append($0) }
    line.append(UInt8(ascii: "\n"))
    try VaultCommands.write(line.bytes)
  }
}
