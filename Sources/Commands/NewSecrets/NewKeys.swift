import KDBX
import Platform
import Secrets
import Session

/// Where the key of a new vault, or the new key of an old one, comes from.
enum NewKeys {
  /// Asks for a password twice on the terminal, and says how strong it is.
  ///
  /// `hint` says who has no terminal what else can give it.
  static func passwordTwice(
    for vault: Path, _ settings: Settings, otherwise hint: String = KeyReader.sourcesHint
  ) throws(Complaint) -> SecretBytes {
    let name = Path(vault.lastComponent)
    let first = try KeyReader.passwordFromTerminal(
      prompt: "New password for \(name): ", otherwise: hint)
    try checkNotEmpty(first)
    if !settings.isQuiet { StandardStream.error.say(PasswordStrength.line(for: first)) }
    let second = try KeyReader.passwordFromTerminal(prompt: "The same once more: ")
    guard first.matches(second) else {
      throw Complaint(
        "the two passwords differ", hints: ["nothing was changed"], exitCode: .noKeyMaterial)
    }
    return first
  }

  /// A second secret with the same bytes, if there is one.
  static func copy(of secret: borrowing SecretBytes?) -> SecretBytes? {
    switch secret {
    case .some(let secret): secret.copy()
    case .none: nil
    }
  }

  /// A new password that a pipe, a file or a program gave, which must be one line: another could never
  /// be typed.
  ///
  /// With `mayBeTwice` two lines that are the same are the password said twice.
  static func line(
    of given: consuming SecretBytes, mayBeTwice: Bool
  ) throws(Complaint) -> SecretBytes {
    let lineFeed = given.withBytes { bytes in
      bytes.indices.first { bytes[$0] == UInt8(ascii: "\n") }
    }
    guard let lineFeed else {
      try checkNotEmpty(given)
      return given
    }
    let first = given.withBytes { KeyReader.withoutLineEnd($0.extracting(first: lineFeed + 1)) }
    let rest = given.withBytes { SecretBytes(copying: $0.extracting(droppingFirst: lineFeed + 1)) }
    guard mayBeTwice, first.matches(rest) else {
      throw Complaint(
        "the new password is more than one line",
        hints: [
          "it could never be typed: give one line\(mayBeTwice ? ", or the same line twice" : "")"
        ], exitCode: .noKeyMaterial)
    }
    try checkNotEmpty(first)
    return first
  }

  static func checkNotEmpty(_ password: borrowing SecretBytes) throws(Complaint) {
    guard password.count == 0 else { return }
    throw Complaint(
      "the new password is empty", hints: ["a key file alone can open a vault: --help"],
      exitCode: .noKeyMaterial)
  }

  /// Sets the key derivation, and says to what.
  static func calibrate(
    _ function: Calibration.Function, _ settings: Settings
  ) throws(Complaint) -> KDFParameters {
    let calibration: Calibration
    do throws(SessionError) { calibration = try .measure(function) } catch {
      throw Complaint(error)
    }
    guard !settings.isQuiet else { return calibration.parameters }
    let cost =
      switch calibration.parameters.algorithm {
      case .argon2(let argon2): "\(argon2.memoryKiB >> 10) MiB, \(argon2.iterations) passes"
      case .aes(let rounds): "\(rounds) rounds"
      }
    let tenths = (calibration.milliseconds + 50) / 100
    StandardStream.error.say(
      "kdbxfs: \(function.title), \(cost): opening takes about \(tenths / 10).\(tenths % 10) s here"
    )
    return calibration.parameters
  }
}

/// A key file that is being made: there, but taken away again unless it is kept.
struct MadeKeyFile: ~Copyable {
  private let path: Path
  private var isKept = false
  /// The key that the file stands for.
  let key: SecretBytes

  /// Makes the file, which mustn't be there yet.
  init(_ path: Path) throws(Complaint) {
    let file = KeyFile.new()
    let key = try KeyReader.key(in: file.bytes, of: path)
    do throws(ReplacementError) {
      try AtomicReplacement.create(path, with: file.bytes, permissions: 0o600) { _ in true }
    } catch {
      throw Complaint(
        "the key file '\(path)' can't be made: \(error.errno)",
        hints: error.errno == .exists ? ["kdbxfs overwrites no file"] : [],
        exitCode: .noKeyMaterial)
    }
    self.key = key
    self.path = path
  }

  deinit { if !isKept { try? Files.remove(path) } }

  /// The vault that needs the file is there: it stays.
  mutating func keep() { isKept = true }
}
