import KDBX
import Platform
import Secrets
import Session
import Vault

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
    try check(first)
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
      try check(given)
      return given
    }
    let first = given.withBytes { KeyReader.withoutLineEnd($0.extracting(first: lineFeed + 1)) }
    let rest = given.withBytes { SecretBytes(copying: $0.extracting(droppingFirst: lineFeed + 1)) }
    guard mayBeTwice, first.matches(rest) else {
      throw Complaint(
        "the new password is more than one line" + (mayBeTwice ? ", and they differ" : ""),
        hints: [
          "it could never be typed: give one line\(mayBeTwice ? ", or the same line twice" : "")"
        ], exitCode: .noKeyMaterial)
    }
    try check(first)
    return first
  }

  /// Refuses a new password that opens nothing, or that could never be typed: other programs take text
  /// only, and end it at a NUL.
  private static func check(_ password: borrowing SecretBytes) throws(Complaint) {
    guard password.count > 0 else {
      throw Complaint(
        "the new password is empty", hints: ["a key file alone can open a vault: --help"],
        exitCode: .noKeyMaterial)
    }
    guard let fault = password.withBytes({ fault(of: $0) }) else { return }
    throw Complaint(
      "the new password \(fault)",
      hints: ["it could never be typed, and other programs can't take it: give a line of text"],
      exitCode: .noKeyMaterial)
  }

  /// What keeps bytes from being a line of text that a person can type, as the end of a sentence.
  private static func fault(of password: Span<UInt8>) -> String? {
    if case .notUTF8 = TextCheck.firstProblem(in: password) { return "is no UTF-8" }
    let hasControl = password.indices.contains { i in
      switch password[i] {
      case ..<0x20, 0x7F: true
      // U+0080 to U+009F.
      case 0x80...0x9F: i > 0 && password[i - 1] == 0xC2
      default: false
      }
    }
    return hasControl ? "holds a control character" : nil
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
