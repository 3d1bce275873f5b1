import DesktopBus
import Generation
import Platform
import Session

/// The commands that an option means something to.
struct CommandSet: OptionSet, Sendable {
  let rawValue: UInt64

  static let mount = CommandSet(rawValue: 1)
  static let unmount = CommandSet(rawValue: 2)
  static let save = CommandSet(rawValue: 4)
  static let status = CommandSet(rawValue: 8)
  static let list = CommandSet(rawValue: 16)
  static let concatenate = CommandSet(rawValue: 32)
  static let information = CommandSet(rawValue: 64)
  static let lock = CommandSet(rawValue: 128)
  static let unlock = CommandSet(rawValue: 256)
  static let check = CommandSet(rawValue: 512)
  static let merge = CommandSet(rawValue: 1024)

  static let create = CommandSet(rawValue: 1 << 40)
  static let changeKey = CommandSet(rawValue: 1 << 41)
  static let generate = CommandSet(rawValue: 1 << 42)

  /// Those that open a vault.
  static let opening: CommandSet = [
    .mount, .list, .concatenate, .check, .unlock, .merge, .changeKey,
  ]
  /// Those that are given a key.
  static let keyed: CommandSet = [opening, .create]
  static let every = CommandSet(rawValue: .max)
}

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

  init(_ name: String, _ letter: Character? = nil, for commands: CommandSet, _ effect: Effect) {
    self.name = name
    self.letter = letter?.asciiValue
    self.commands = commands
    self.effect = effect
  }

  static let all: [OptionSpec] = [
    OptionSpec("passfile", for: .keyed, .value("FILE") { $0.keys.passwordFile = Path($1) }),
    OptionSpec("extpass", for: .keyed, .value("CMD") { $0.keys.passwordProgram.append($1) }),
    OptionSpec("keyfile", for: .keyed, .value("FILE") { $0.keys.keyFile = Path($1) }),
    OptionSpec("no-password", for: .keyed, .flag { $0.keys.hasNoPassword = true }),
    OptionSpec(
      // A mount knows its program when it is unlocked.
      "challenge-response", for: .keyed.subtracting(.unlock),
      .value("CMD") { $0.keys.challengeProgram.append($1) }),
    // A mount knows its limits too.
    OptionSpec("max-memory", for: .opening.subtracting(.unlock), .value("SIZE", setMemoryLimit)),
    OptionSpec("ro", for: .mount, .flag { $0.isReadOnly = true }),
    OptionSpec("autosave", for: .mount, .time(\.autosaveAfter)),
    OptionSpec("idle", for: .mount, .time(\.idleAfter)),
    OptionSpec("on-idle", for: .mount, .value("ACTION", setIdleAction)),
    OptionSpec("lock-after", for: .mount, .time(\.lockAfter)),
    OptionSpec("remember", for: .mount, .time(\.rememberFor)),
    OptionSpec("unlock-with", for: .mount, .value("CMD") { $0.unlockProgram.append($1) }),
    OptionSpec("unlock-within", for: .mount, .time(\.unlockWithin)),
    OptionSpec("keep-on-suspend", for: .mount, .flag { $0.lockingEvents.remove(.sleep) }),
    OptionSpec("keep-on-screenlock", for: .mount, .flag { $0.lockingEvents.remove(.screenLock) }),
    OptionSpec("keep-on-logout", for: .mount, .flag { $0.lockingEvents.remove(.logout) }),
    OptionSpec("exact", for: .mount, .flag { $0.isExact = true }),
    OptionSpec("show-hidden", for: [.mount, .list], .flag { $0.showsHidden = true }),
    OptionSpec("purge", for: .mount, .flag { $0.allowsPurge = true }),
    OptionSpec("allow-other", for: .mount, .flag { $0.allowsOthers = true }),
    OptionSpec("fsname", for: .mount, .value("NAME") { $0.sourceName = $1 }),
    OptionSpec("nonempty", for: .mount, .flag { $0.takesNonEmpty = true }),
    OptionSpec("notifypid", for: .mount, .value("PID", setNotifiedProcess)),
    OptionSpec("foreground", "f", for: .mount, .flag { $0.staysInFront = true }),
    OptionSpec("lazy", for: .unmount, .flag { $0.detachesLazily = true }),
    OptionSpec("repair", for: .check, .flag { $0.repairs = true }),
    OptionSpec("json", for: [.status, .check, .merge], .flag { $0.printsJSON = true }),
    OptionSpec("base", for: .merge, .value("FILE") { $0.mergeBase = Path($1) }),
    OptionSpec("dry-run", "n", for: .merge, .flag { $0.isDryRun = true }),
    OptionSpec("other-passfile", for: .merge, .value("FILE") { $0.otherPasswordFile = Path($1) }),
    OptionSpec("force", for: .merge, .flag { $0.isForced = true }),
    OptionSpec(
      "make-keyfile", for: [.create, .changeKey], .flag { $0.newKeys.makesKeyFile = true }),
    OptionSpec("kdf", for: [.create, .changeKey], .value("KIND", setDerivation)),
    OptionSpec(
      "new-passfile", for: .changeKey, .value("FILE") { $0.newKeys.passwordFile = Path($1) }),
    OptionSpec("keep-password", for: .changeKey, .flag { $0.newKeys.keepsPassword = true }),
    OptionSpec("drop-password", for: .changeKey, .flag { $0.newKeys.dropsPassword = true }),
    OptionSpec("new-keyfile", for: .changeKey, .value("FILE") { $0.newKeys.keyFile = Path($1) }),
    OptionSpec("drop-keyfile", for: .changeKey, .flag { $0.newKeys.dropsKeyFile = true }),
    OptionSpec("classes", for: .generate, .value("LIST", setClasses)),
    OptionSpec("no-lookalikes", for: .generate, .flag { $0.generation.avoidsLookAlikes = true }),
    OptionSpec("separator", for: .generate, .value("TEXT") { $0.generation.separator = $1 }),
    OptionSpec("wordlist", for: .generate, .value("FILE") { $0.generation.wordList = Path($1) }),
    OptionSpec("quiet", "q", for: .every, .flag { $0.isQuiet = true }),
    OptionSpec("debug", "d", for: .every, .flag { $0.isVerbose = true }),
  ]

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

// MARK: - Arguments that aren't just text

extension OptionSpec.Effect {
  /// A time, which a setting takes in nanoseconds.
  fileprivate static func time(
    _ setting: any WritableKeyPath<Settings, Int64> & Sendable
  ) -> OptionSpec.Effect {
    .value("TIME") { (settings, value) throws(Complaint) in
      let text = Path(value).description
      guard let nanoseconds = duration(text) else {
        throw .usage("'\(text)' is no time", hint: "write 5s, 2m or 1h; 0 turns it off")
      }
      settings[keyPath: setting] = nanoseconds
    }
  }
}

private func setIdleAction(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  switch Path(value).description {
  case "lock": settings.idleAction = .lock
  case "unmount", "umount": settings.idleAction = .unmount
  case let text: throw .usage("'\(text)' is nothing to do when idle", hint: "'lock' or 'unmount'")
  }
}

private func setDerivation(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let function = Calibration.Function(rawValue: text) else {
    throw .usage("'\(text)' is no key derivation", hint: "'argon2id', 'argon2d' or 'aes'")
  }
  settings.newKeys.derivation = function
}

private func setClasses(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  var classes: Set<CharacterRecipe.Class> = []
  for word in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
    let text = Path(word).description
    guard let kind = CharacterRecipe.Class(rawValue: text) else {
      throw .usage(
        "'\(text)' is no class of characters", hint: "lower, upper, digits, symbols: with commas")
    }
    classes.insert(kind)
  }
  settings.generation.classes = classes
}

private func setMemoryLimit(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let bytes = byteCount(text) else {
    throw .usage("'\(text)' is no size", hint: "write 512M or 4G")
  }
  settings.memoryLimit = bytes
}

private func setNotifiedProcess(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let process = Int32(text), process > 1 else {
    throw .usage("'\(text)' is no process number")
  }
  settings.notifiedProcess = process
}

/// Reads `4096`, `64K`, `512M` or `2G` as bytes; `nil` for anything else, for nothing, and for over a
/// tebibyte.
func byteCount(_ text: String) -> Int? {
  let units: [Character: Int] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
  var digits = Substring(text)
  var unit = 1
  if let last = digits.last, let named = units[last] {
    unit = named
    digits.removeLast()
  }
  guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
    let count = Int(digits), count > 0, count <= (1 << 40) / unit
  else { return nil }
  return count * unit
}

/// Reads `90`, `90s`, `15m` or `2h` as nanoseconds; `nil` for anything else, also for over a year.
func duration(_ text: String) -> Int64? {
  let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3600]
  var digits = Substring(text)
  var unit: Int64 = 1
  if let last = digits.last, let named = units[last] {
    unit = named
    digits.removeLast()
  }
  guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
    let count = Int64(digits), count <= 366 * 86_400 / unit
  else { return nil }
  return count * unit * 1_000_000_000
}
