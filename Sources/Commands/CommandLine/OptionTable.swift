import Platform

/// One option: its names, whom it concerns, and what it does.
///
/// The table is what the parser reads and what a test holds the usage text against.
struct OptionSpec: Sendable {
  /// What takes the option's argument, if it has one.
  enum Effect: Sendable {
    case flag(@Sendable (inout Settings) -> Void)
    /// With the name of its argument in the usage text.
    case value(String, @Sendable (inout Settings, [UInt8]) throws(Complaint) -> Void)
  }

  /// The long name, also the word after `-o`; `_` and `-` are the same in it.
  let name: String
  let letter: UInt8?
  let commands: CommandSet
  let effect: Effect
  /// What it does, for the usage texts.
  let help: String

  init(
    _ name: String, _ letter: Character? = nil, for commands: CommandSet, _ help: String,
    _ effect: Effect
  ) {
    self.name = name
    self.letter = letter?.asciiValue
    self.commands = commands
    self.help = help
    self.effect = effect
  }

  static let all: [OptionSpec] = OptionGroup.all.flatMap(\.options)

  /// Words of mount(8) that any file system is given.
  ///
  /// They concern the kernel, fstab or nobody here: `nodev`, `nosuid` and `noexec` are always on, and
  /// `rw` is what a mount is without `ro`.
  static let genericWords: Set<String> = [
    "rw", "suid", "nosuid", "dev", "nodev", "exec", "noexec", "auto", "noauto", "user", "nouser",
    "users", "owner", "group", "_netdev", "nofail", "defaults", "sync", "async", "dirsync", "atime",
    "noatime", "diratime", "nodiratime", "relatime", "norelatime", "strictatime", "nostrictatime",
    "lazytime", "nolazytime", "mand", "nomand", "silent", "loud", "iversion", "noiversion",
  ]

  /// Whether `word`, without what follows its `=`, is one of mount(8)'s own.
  static func isGeneric(_ word: String) -> Bool {
    genericWords.contains(word) || word == "comment" || word.hasPrefix("x-")
      || word.hasPrefix("X-")
  }

  static func named(_ name: String) -> OptionSpec? {
    let wanted = name.utf8.map { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
    return all.first { $0.name.utf8.elementsEqual(wanted) }
  }

  static func lettered(_ letter: UInt8) -> OptionSpec? {
    all.first { $0.letter == letter }
  }
}
