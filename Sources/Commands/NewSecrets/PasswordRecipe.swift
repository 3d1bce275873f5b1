import ByteCoding
import Generation
import Platform
import Secrets

/// How a new password is made up: what `generate` and `new --generate` are told.
enum PasswordRecipe {
  case characters(CharacterRecipe)
  case words(WordRecipe)

  /// The most bytes of a word list that are read.
  private static let longestList = 16 << 20

  /// So many characters, or as many as there are without a number.
  static func ofCharacters(
    _ length: Int?, _ given: GenerationSettings
  ) throws(Complaint) -> PasswordRecipe {
    guard given.separator == nil, given.wordList == nil else {
      throw .usage("'--separator' and '--wordlist' are for words", hint: "kdbxfs generate words")
    }
    var recipe = CharacterRecipe()
    if let length { recipe.length = length }
    if let classes = given.classes { recipe.classes = classes }
    recipe.avoidsLookAlikes = given.avoidsLookAlikes
    return .characters(recipe)
  }

  /// The same for words.
  static func ofWords(_ count: Int?, _ given: GenerationSettings) throws(Complaint)
    -> PasswordRecipe
  {
    guard given.classes == nil, !given.avoidsLookAlikes else {
      throw .usage("'--classes' and '--no-lookalikes' are for characters")
    }
    var recipe = WordRecipe()
    if let count { recipe.count = count }
    if let separator = given.separator { recipe.separator = separator }
    if let path = given.wordList { recipe.list = try list(at: path) }
    return .words(recipe)
  }

  /// A number of characters or words that somebody has typed.
  static func number(_ word: [UInt8], atMost most: Int) throws(Complaint) -> Int {
    let text = Path(word).description
    guard word.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(decimal: word),
      (1...most).contains(number)
    else { throw .usage("'\(text)' is no number from 1 to \(most)") }
    return number
  }

  /// A new password.
  func generate() -> SecretBytes {
    switch self {
    case .characters(let recipe): recipe.generate()
    case .words(let recipe): recipe.generate()
    }
  }

  /// How strong it is, as a line for a person.
  var strength: String {
    let bits =
      switch self {
      case .characters(let recipe): recipe.bits
      case .words(let recipe): recipe.bits
      }
    return "kdbxfs: \(Int(bits)) bits"
  }

  private static func list(at path: Path) throws(Complaint) -> WordList {
    let text: [UInt8]
    do throws(Errno) {
      let file = try Files.readWhole(path, limit: longestList)
      text = file.bytes.copied()
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
}
