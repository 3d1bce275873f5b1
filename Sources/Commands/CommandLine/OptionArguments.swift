import DesktopBus
import Generation
import Platform
import Session

// Arguments that aren't just text

extension OptionSpec.Effect {
  /// A time, which a setting takes in nanoseconds.
  static func time(
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

func setIdleAction(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  switch Path(value).description {
  case "lock": settings.idleAction = .lock
  case "unmount", "umount": settings.idleAction = .unmount
  case let text: throw .usage("'\(text)' is nothing to do when idle", hint: "'lock' or 'unmount'")
  }
}

func setDerivation(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let function = Calibration.Function(rawValue: text) else {
    throw .usage("'\(text)' is no key derivation", hint: "'argon2id', 'argon2d' or 'aes'")
  }
  settings.newKeys.derivation = function
}

func setClasses(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
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

func setMemoryLimit(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let bytes = byteCount(text) else {
    throw .usage("'\(text)' is no size", hint: "write 512M or 4G")
  }
  settings.memoryLimit = bytes
}

func setNotifiedProcess(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let process = Int32(decimal: text.utf8), process > 1 else {
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
    let count = Int(decimal: digits.utf8), count > 0, count <= (1 << 40) / unit
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
    let count = Int64(decimal: digits.utf8), count <= 366 * 86_400 / unit
  else { return nil }
  return count * unit * 1_000_000_000
}

func setLeastAge(_ settings: inout Settings, _ value: [UInt8]) throws(Complaint) {
  let text = Path(value).description
  guard let seconds = age(text) else {
    throw .usage(
      "'\(text)' is no age in hours, days or weeks", hint: "--older 30d is about a month")
  }
  settings.leastAge = seconds
}

/// Reads `12h`, `30d` or `4w` as seconds; `nil` for anything else, also for over a century.
///
/// `1m` would be a minute, which a person takes for a month: what is that old is removed for good.
func age(_ text: String) -> Int64? {
  let units: [Character: Int64] = ["h": 3600, "d": 86_400, "w": 604_800]
  guard let last = text.last, let unit = units[last],
    let count = Int64(decimal: text.dropLast().utf8),
    text.dropLast().allSatisfy({ $0.isASCII && $0.isNumber }), count <= 36_600 * 86_400 / unit
  else { return nil }
  return count * unit
}
