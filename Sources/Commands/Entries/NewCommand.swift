import Platform
import Secrets
import Session
import Vault
import VaultTree

/// `kdbxfs new`: makes an entry.
enum NewCommand {
  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let address = try VaultFinder.address(word, settings)
    let fields: [(name: String, value: [UInt8])] = [
      ("username", settings.newUserName ?? []), ("url", settings.newURL ?? []),
    ]
    for (name, value) in fields where TextCheck.firstProblem(in: value.span) != nil {
      throw Complaint(
        "the \(name) holds what a vault can't: it is no UTF-8, or has a control character",
        exitCode: .vaultUnwritable)
    }
    guard let recipe = try recipe(settings.generation) else {
      let access = try address.vault.open(for: .writing, settings)
      try make(address.path, fields, access)
      return try access.finish()
    }
    let password = recipe.generate()
    let access = try address.vault.open(for: .writing, settings)
    try make(address.path, fields, access) { (path) throws(Complaint) in
      try password.withBytes { (bytes) throws(Complaint) in
        try access.write(bytes, to: path.appending("password"))
      }
    }
    try access.finish()
    if settings.generation.isShown {
      return try GenerateCommand.write(password, madeBy: recipe, settings)
    }
    if !settings.isQuiet { StandardStream.error.say(recipe.strength) }
  }

  /// How the password is to be made; `nil` where none is asked for.
  private static func recipe(_ given: GenerationSettings) throws(Complaint) -> PasswordRecipe? {
    guard given.isWanted else {
      guard given == GenerationSettings() else {
        throw .usage("what a password is made of is said without '--generate'")
      }
      return nil
    }
    guard given.length == nil || given.wordCount == nil else {
      throw .usage("'--length' is for characters, '--words' for words")
    }
    if given.wordCount != nil { return try .ofWords(given.wordCount, given) }
    return try .ofCharacters(given.length, given)
  }

  /// Makes an entry with these files, whose values must have been checked, and what `more` puts into it;
  /// all of it or nothing.
  static func make(
    _ path: Path, _ fields: [(name: String, value: [UInt8])], _ access: any EntryAccess,
    more: (Path) throws(Complaint) -> Void = { _ in }
  ) throws(Complaint) {
    guard !path.isEmpty else { throw Complaint(.exists, path) }
    let folder = path.bytes.contains(UInt8(ascii: "/")) ? path.parent : ""
    guard try access.kind(of: folder) == .directory else {
      throw Complaint(
        "'\(folder)': there is no such group", hints: ["'mkdir' in a mount makes it"],
        exitCode: .nothingFound)
    }
    guard try !access.isEntry(folder) else { throw Complaint(.notPermitted, path) }
    guard try access.kind(of: path) == nil else { throw Complaint(.exists, path) }
    try access.makeDirectory(path)
    do throws(Complaint) {
      for (name, value) in fields { try access.write(value.span, to: path.appending(name)) }
      try more(path)
    } catch {
      // Nothing half done.
      _ = try? access.ask(.remove(paths: [path.text]))
      throw error
    }
  }
}

extension Path {
  /// The path as a request has it: names that are no UTF-8 lead nowhere in it.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
