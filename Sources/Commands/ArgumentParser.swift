/// Reads a command line.
///
/// The rules:
/// - The first word that is no option names the command; a word that names none is the vault to mount.
/// - Options stand anywhere before `--`; `--name value`, `--name=value`, `-x`, `-xyz`.
/// - `-o a,b=c` holds long options as mount(8) does; `\,` is a comma in a value, `\\` a backslash.
/// - A word that isn't known is an error, also after `-o`, but for mount(8)'s own.
struct ArgumentParser {
  private var rest: ArraySlice<[UInt8]>
  private var settings = Settings()
  private var words: [[UInt8]] = []
  /// The options met, with their names as typed, to be held against the command.
  private var met: [(name: String, spec: OptionSpec)] = []
  private var asked: Invocation?

  /// Reads `arguments`, the program's name left out.
  static func parse(_ arguments: [[UInt8]]) throws(Complaint) -> Invocation {
    var parser = ArgumentParser(rest: arguments[...])
    try parser.readAll()
    if let asked = parser.asked { return asked }
    return try parser.invocation()
  }

  private init(rest: ArraySlice<[UInt8]>) { self.rest = rest }

  // MARK: - Words and options

  private mutating func readAll() throws(Complaint) {
    while let argument = rest.popFirst() {
      if argument == Array("--".utf8) {
        words += rest
        return
      }
      if argument.starts(with: "--".utf8) {
        try readLong(try text(argument.dropFirst(2)))
      } else if argument.count > 1, argument[0] == UInt8(ascii: "-") {
        try readLetters(try text(argument.dropFirst()))
      } else {
        words.append(argument)
      }
    }
  }

  private mutating func readLong(_ argument: String) throws(Complaint) {
    let (name, value) = split(argument)
    switch name {
    case "help": asked = asked ?? .help
    case "version": asked = asked ?? .version
    default:
      guard let spec = OptionSpec.named(name) else {
        throw .usage("unknown option '--\(name)'")
      }
      try apply(spec, as: "--\(name)", value: value, mayTakeNext: true)
    }
  }

  private mutating func readLetters(_ letters: String) throws(Complaint) {
    var left = Substring(letters)
    while let letter = left.popFirst() {
      switch letter {
      case "h": asked = asked ?? .help
      case "V": asked = asked ?? .version
      case "o":
        guard let list = try left.isEmpty ? nextText() : String(left) else {
          throw .usage("'-o' wants a list of options")
        }
        try readList(list)
        return
      default:
        guard let spec = OptionSpec.lettered(letter) else {
          throw .usage("unknown option '-\(letter)'")
        }
        try apply(spec, as: "-\(letter)", value: nil, mayTakeNext: true)
      }
    }
  }

  private mutating func readList(_ list: String) throws(Complaint) {
    for item in Self.items(of: list) where !item.isEmpty {
      let (name, value) = split(item)
      if let spec = OptionSpec.named(name) {
        try apply(spec, as: "-o \(name)", value: value, mayTakeNext: false)
      } else if !OptionSpec.isGeneric(name) {
        throw .usage("unknown mount option '\(name)'")
      }
    }
  }

  /// Splits at commas; `\` takes the next character as it is.
  static func items(of list: String) -> [String] {
    var items = [""]
    var isEscaped = false
    for character in list {
      if isEscaped || (character != "," && character != "\\") {
        items[items.count - 1].append(character)
        isEscaped = false
      } else if character == "\\" {
        isEscaped = true
      } else {
        items.append("")
      }
    }
    return items
  }

  private func split(_ argument: String) -> (name: String, value: String?) {
    guard let equals = argument.firstIndex(of: "=") else { return (argument, nil) }
    return (String(argument[..<equals]), String(argument[argument.index(after: equals)...]))
  }

  private mutating func apply(
    _ spec: OptionSpec, as typed: String, value: String?, mayTakeNext: Bool
  ) throws(Complaint) {
    met.append((typed, spec))
    switch spec.effect {
    case .flag(let set):
      guard value == nil else { throw .usage("'\(typed)' takes no value") }
      set(&settings)
    case .value(let placeholder, let set):
      if let value {
        try set(&settings, value)
      } else if mayTakeNext, let value = try nextText() {
        try set(&settings, value)
      } else {
        throw .usage("'\(typed)' wants a value: \(typed)=\(placeholder)")
      }
    }
  }

  private mutating func nextText() throws(Complaint) -> String? {
    guard let next = rest.popFirst() else { return nil }
    return try text(next[...])
  }

  private func text(_ argument: ArraySlice<UInt8>) throws(Complaint) -> String {
    guard let text = String(validating: argument, as: UTF8.self) else {
      throw .usage("an argument is no UTF-8 text")
    }
    return text
  }

  // MARK: - Commands

  private func invocation() throws(Complaint) -> Invocation {
    let commands: [String: CommandSet] = [
      "umount": .unmount, "save": .save, "status": .status, "ls": .list, "cat": .concatenate,
      "info": .information,
    ]
    guard let first = words.first else { throw .usage("no vault and no command given") }
    let name = String(decoding: first, as: UTF8.self)
    guard let command = commands[name] else {
      try check(.mount, named: "mounting")
      try count(2...2, of: words, "mounting wants a vault and a mount point")
      try checkKeys()
      return .mount(
        vault: try text(words[0][...]), mountPoint: try text(words[1][...]), settings)
    }
    try check(command, named: "'\(name)'")
    try checkKeys()
    return try invocation(command, named: name, words.dropFirst())
  }

  private func invocation(
    _ command: CommandSet, named name: String, _ words: ArraySlice<[UInt8]>
  ) throws(Complaint) -> Invocation {
    switch command {
    case .unmount, .save, .status:
      try count(1...1, of: words, "'\(name)' wants a mount point")
      let mountPoint = try text(words[words.startIndex][...])
      return switch command {
      case .unmount: .unmount(mountPoint: mountPoint, settings)
      case .save: .save(mountPoint: mountPoint, settings)
      default: .status(mountPoint: mountPoint, settings)
      }
    case .list:
      try count(1...2, of: words, "'\(name)' wants a vault, and a path in it if you like")
      let vault = try text(words[words.startIndex][...])
      return .list(vault: vault, path: words.count == 2 ? words[words.startIndex + 1] : [], settings)
    case .concatenate:
      try count(2...Int.max, of: words, "'\(name)' wants a vault and paths in it")
      let vault = try text(words[words.startIndex][...])
      return .concatenate(vault: vault, paths: Array(words.dropFirst()), settings)
    default:
      try count(1...1, of: words, "'\(name)' wants a vault")
      return .information(vault: try text(words[words.startIndex][...]), settings)
    }
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
  }

  private func count(
    _ allowed: ClosedRange<Int>, of words: some Collection<[UInt8]>, _ message: String
  ) throws(Complaint) {
    guard allowed.contains(words.count) else { throw .usage(message) }
  }
}
