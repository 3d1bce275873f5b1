import Platform

/// Reads a command line.
///
/// The rules:
/// - The first word that is no option names the command; a word that names none is the vault to mount.
/// - Options stand anywhere before `--`, which must stand before what `run` runs; `--name value`, `--name=value`, `-x`, `-xyz`.
/// - `-o a,b=c` holds long options as mount(8) does; `\,` is a comma in a value, `\\` a backslash.
/// - A word that isn't known is an error, also after `-o`, but for mount(8)'s own.
/// - Words and values are bytes, as file names and titles are.
struct ArgumentParser {
  private var rest: ArraySlice<[UInt8]>
  private var settings = Settings()
  private var words: [[UInt8]] = []
  /// How many words stand before `--`, if that is there.
  private var wordsBeforeDashes: Int?
  /// The options met, with their names as typed, to be held against the command.
  private var met: [(name: String, spec: OptionSpec)] = []
  /// The same as they would stand on a command line.
  private var given: [[UInt8]] = []
  private var asked: Invocation?

  /// Reads `arguments`, the program's name left out.
  static func parse(_ arguments: [[UInt8]]) throws(Complaint) -> Invocation {
    var parser = ArgumentParser(rest: arguments[...])
    try parser.readAll()
    if let asked = parser.asked { return parser.specific(asked) }
    return try parser.invocation()
  }

  /// Help for the command that is named, if one is.
  private func specific(_ asked: Invocation) -> Invocation {
    guard asked == .help(command: nil), let first = words.first,
      let command = CommandSpec.named(Path(first).description)
    else { return asked }
    return .help(command: command.name)
  }

  private init(rest: ArraySlice<[UInt8]>) { self.rest = rest }

  // MARK: - Words and options

  private mutating func readAll() throws(Complaint) {
    while let argument = rest.popFirst() {
      if argument.elementsEqual("--".utf8) {
        wordsBeforeDashes = words.count
        words += rest
        return
      }
      if argument.starts(with: "--".utf8) {
        try readLong(argument.dropFirst(2))
      } else if argument.count > 1, argument[0] == UInt8(ascii: "-") {
        try readLetters(argument.dropFirst())
      } else {
        words.append(argument)
      }
    }
  }

  private mutating func readLong(_ argument: ArraySlice<UInt8>) throws(Complaint) {
    let (name, value) = split(argument)
    switch name {
    case "help": asked = asked ?? .help(command: nil)
    case "version": asked = asked ?? .version
    default:
      guard let spec = OptionSpec.named(name) else {
        throw .usage("unknown option '--\(name)'")
      }
      try apply(spec, as: "--\(name)", value: value, mayTakeNext: true)
    }
  }

  private mutating func readLetters(_ letters: ArraySlice<UInt8>) throws(Complaint) {
    var left = letters
    while let byte = left.popFirst() {
      switch byte {
      case UInt8(ascii: "h"): asked = asked ?? .help(command: nil)
      case UInt8(ascii: "V"): asked = asked ?? .version
      case UInt8(ascii: "o"):
        guard let list = left.isEmpty ? rest.popFirst() : Array(left) else {
          throw .usage("'-o' wants a list of options")
        }
        try readList(list)
        return
      default:
        let typed = "-\(Path([byte]))"
        guard let spec = OptionSpec.lettered(byte) else {
          throw .usage("unknown option '\(typed)'")
        }
        try apply(spec, as: typed, value: nil, mayTakeNext: true)
      }
    }
  }

  private mutating func readList(_ list: [UInt8]) throws(Complaint) {
    for item in Self.items(of: list) where !item.isEmpty {
      let (name, value) = split(item[...])
      if let spec = OptionSpec.named(name) {
        try apply(spec, as: "-o \(name)", value: value, mayTakeNext: false)
      } else if !OptionSpec.isGeneric(name) {
        throw .usage("unknown mount option '\(name)'")
      }
    }
  }

  /// Splits at commas; `\` takes the next byte as it is, and stays itself only with `keepingEscapes`.
  static func items(of list: [UInt8], keepingEscapes: Bool = false) -> [[UInt8]] {
    var items: [[UInt8]] = [[]]
    var isEscaped = false
    for byte in list {
      if isEscaped || (byte != UInt8(ascii: ",") && byte != UInt8(ascii: "\\")) {
        items[items.count - 1].append(byte)
        isEscaped = false
      } else if byte == UInt8(ascii: "\\") {
        if keepingEscapes { items[items.count - 1].append(byte) }
        isEscaped = true
      } else {
        items.append([])
      }
    }
    return items
  }

  private func split(_ argument: ArraySlice<UInt8>) -> (name: String, value: [UInt8]?) {
    guard let sign = argument.firstIndex(of: UInt8(ascii: "=")) else {
      return (Path(argument).description, nil)
    }
    return (Path(argument[..<sign]).description, Array(argument[(sign + 1)...]))
  }

  private mutating func apply(
    _ spec: OptionSpec, as typed: String, value: [UInt8]?, mayTakeNext: Bool
  ) throws(Complaint) {
    met.append((typed, spec))
    switch spec.effect {
    case .flag(let set):
      guard value == nil else { throw .usage("'\(typed)' takes no value") }
      given.append(Array("--\(spec.name)".utf8))
      set(&settings)
    case .value(let placeholder, let set):
      guard let value = value ?? (mayTakeNext ? rest.popFirst() : nil) else {
        throw .usage("'\(typed)' wants a value: \(typed)=\(placeholder)")
      }
      given.append(Array("--\(spec.name)=".utf8) + value)
      try set(&settings, value)
    }
  }

  // MARK: - Commands

  private func invocation() throws(Complaint) -> Invocation {
    guard let first = words.first else { throw .usage("no vault and no command given") }
    try checkKeys()
    let name = Path(first).description
    guard let command = CommandSpec.named(name) else {
      do throws(Complaint) {
        try check(.mount, named: "mounting")
        guard words.count == 2 else { throw .usage("mounting wants a vault and a mount point") }
      } catch {
        throw error.wondering(about: Path(first))
      }
      return .mount(vault: Path(words[0]), mountPoint: Path(words[1]), settings)
    }
    try check(command.set, named: "'\(name)'")
    guard command.words.contains(words.count - 1) else {
      throw .usage("'\(name)' wants \(command.wants)", hint: "'kdbxfs \(name) --help' shows how")
    }
    // Without it, options of the command to run would be taken for ours.
    guard command.set != .run || wordsBeforeDashes == 1 else {
      throw .usage(
        "'run' wants '--' before the command",
        hint: "kdbxfs run --env NAME=ENTRY/FIELD -- COMMAND ARGUMENTS")
    }
    guard settings.vaultFile == nil || settings.mount == nil else {
      throw .usage("only one of --vault and --mount can be meant")
    }
    let words = Array(words.dropFirst())
    guard command.set == .mount else { return .command(name, words, settings) }
    return words.count == 1
      ? .mountNamed(words[0], options: given)
      : .mount(vault: Path(words[0]), mountPoint: Path(words[1]), settings)
  }

  private func check(_ command: CommandSet, named name: String) throws(Complaint) {
    for (typed, spec) in met where spec.commands.isDisjoint(with: command) {
      throw .usage("\(name) has no option '\(typed)'")
    }
  }

  private func checkKeys() throws(Complaint) {
    let keys = settings.keys
    let given = [keys.passwordFile != nil, !keys.passwordProgram.isEmpty, keys.hasNoPassword]
    guard given.count(where: { $0 }) <= 1 else {
      throw .usage("only one of --passfile, --extpass and --no-password can be meant")
    }
    guard settings.unlockProgram.isEmpty || !keys.hasNoPassword else {
      throw .usage("--unlock-with asks for a password, and --no-password says that there is none")
    }
  }
}
