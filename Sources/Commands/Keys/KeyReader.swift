import KDBX
import Platform
import Secrets
import Session

/// A password, a key file's key and a hardware key, as far as a person gave them.
struct KeyMaterial: ~Copyable {
  /// `nil`: none, which differs from an empty one.
  var password: SecretBytes?
  var keyFileKey: SecretBytes?
  /// What answers challenges.
  var responder: ChallengeResponder?
}

/// Reads the password and the key file from where the command line says, or asks for the password.
///
/// The sources of a password, in this order: `--passfile`, `--extpass`, the credential `kdbxfs` of a
/// service, standard input where it is a pipe or a file, the terminal, and where there is none,
/// pinentry. One final line end is dropped, nothing else.
enum KeyReader {
  /// The most bytes of a password that are read.
  private static let longestPassword = 1 << 20
  /// The most bytes of a key file that are read: any file can be one.
  private static let longestKeyFile = 1 << 28

  /// Reads all of it; asks last of all.
  ///
  /// What a key file stands for depends on the vault's `header`, if that is KeePass 1's. Standard input
  /// is not looked at when that is the caller's own: `leavingInput`.
  static func read(
    _ sources: KeySources, for vault: Path, _ header: OuterHeader? = nil,
    leavingInput: Bool = false
  ) throws(Complaint) -> KeyMaterial {
    var key: SecretBytes?
    if let file = sources.keyFile {
      key = try keyFileKey(in: file, isKeePass1: header?.isKeePass1 ?? false)
    }
    let responder = try ChallengeProgram.responder(sources.challengeProgram)
    if sources.hasNoPassword {
      return KeyMaterial(password: nil, keyFileKey: key, responder: responder)
    }
    return KeyMaterial(
      password: try password(sources, for: vault, leavingInput: leavingInput), keyFileKey: key,
      responder: responder)
  }

  /// Reads the key of a mounted vault again: `program` prints the password, within so many
  /// `milliseconds`.
  static func readAgain(
    from program: [[UInt8]], milliseconds: Int, keyFile: Path?, _ responder: ChallengeResponder?,
    for vault: Path
  ) throws(Complaint) -> UnlockKeys {
    var key: SecretBytes?
    if let file = keyFile {
      let header = try VaultCommands.candidate(vault).header
      key = try keyFileKey(in: file, isKeePass1: header.isKeePass1)
    }
    return UnlockKeys(
      password: try password(from: program, milliseconds: milliseconds), keyFileKey: key,
      responder: responder)
  }

  /// Whether there is someone to ask.
  static var hasTerminal: Bool { Terminal.isAvailable }

  /// Reads the key of a second vault: never from standard input, which had the first one's.
  static func readOther(
    _ sources: KeySources, for vault: Path, _ header: OuterHeader
  ) throws(Complaint) -> KeyMaterial {
    var key: SecretBytes?
    if let file = sources.keyFile {
      key = try keyFileKey(in: file, isKeePass1: header.isKeePass1)
    }
    let password =
      if let file = sources.passwordFile {
        try password(inFile: file)
      } else {
        try passwordFromTerminal(for: vault)
      }
    return KeyMaterial(password: password, keyFileKey: key)
  }

  // MARK: - The key file

  /// The key that a file stands for.
  static func keyFileKey(
    in path: Path, isKeePass1: Bool = false
  ) throws(Complaint) -> SecretBytes {
    let file: WipedBuffer
    do throws(Errno) {
      file = try Files.readWhole(path, limit: longestKeyFile)
    } catch {
      throw Complaint(
        "the key file '\(path)' can't be read: \(error)", exitCode: .noKeyMaterial)
    }
    guard file.count > 0 else {
      throw Complaint(
        "the key file '\(path)' is empty", hints: ["an empty file protects nothing"],
        exitCode: .wrongKey)
    }
    return isKeePass1 ? KeyFile.keePass1Key(from: file.bytes) : try key(in: file.bytes, of: path)
  }

  /// The key that the bytes of a key file stand for.
  static func key(in file: Span<UInt8>, of path: Path) throws(Complaint) -> SecretBytes {
    do throws(KDBXError) {
      return try KeyFile.key(from: file)
    } catch {
      let reason =
        if case .badKeyFile(let problem) = error.kind { problem.rawValue } else { "damaged" }
      throw Complaint(
        "the key file '\(path)' can't be used: \(reason)",
        hints: ["it may be damaged; a backup of it may be whole"], exitCode: .wrongKey)
    }
  }

  // MARK: - The password

  private static func password(
    _ sources: KeySources, for vault: Path, leavingInput: Bool
  ) throws(Complaint) -> SecretBytes {
    if let password = try passwordWithoutTerminal(sources, leavingInput: leavingInput) {
      return password
    }
    if !hasTerminal, let password = try Pinentry.password(for: vault) { return password }
    return try passwordFromTerminal(
      for: vault, otherwise: leavingInput ? sourcesHintLeavingInput : sourcesHint)
  }

  /// What gives a password where there is no terminal.
  static let sourcesHint =
    "--passfile, --extpass or standard input can give it, or pinentry on a desktop"
  /// The same where standard input is the command's own.
  private static let sourcesHintLeavingInput =
    "--passfile or --extpass can give it, or pinentry on a desktop"

  /// The password from a file, a program or standard input; `nil` where a person is to be asked.
  static func passwordWithoutTerminal(
    _ sources: KeySources, leavingInput: Bool = false
  ) throws(Complaint) -> SecretBytes? {
    if let file = sources.passwordFile { return try password(inFile: file) }
    if !sources.passwordProgram.isEmpty { return try password(from: sources.passwordProgram) }
    if let file = credential { return try password(inFile: file) }
    return leavingInput ? nil : try passwordOnStandardInput()
  }

  /// The password that a file holds.
  static func password(inFile path: Path) throws(Complaint) -> SecretBytes {
    do throws(Errno) {
      let file = try Files.readWhole(path, limit: longestPassword)
      return withoutLineEnd(file.bytes)
    } catch {
      throw Complaint(
        "the password file '\(path)' can't be read: \(error)", exitCode: .noKeyMaterial)
    }
  }

  /// The password that a program prints, within so many `milliseconds` (`nil`: whenever it does).
  private static func password(
    from program: [[UInt8]], milliseconds: Int? = nil
  ) throws(Complaint) -> SecretBytes {
    let name = Path(program[0])
    do throws(Program.Failure) {
      let output = try Program.run(
        program, input: [UInt8]().span, limit: longestPassword, milliseconds: milliseconds)
      return output.withBytes { withoutLineEnd($0) }
    } catch {
      throw Complaint(
        "the password program '\(name)' gave no password: \(error.reason)",
        hints: ["each --extpass is one word: a program, then its arguments; no shell is asked"],
        exitCode: .noKeyMaterial)
    }
  }

  /// The password that systemd has for its service, if this process is one: `LoadCredential=`.
  private static var credential: Path? {
    guard let folder = Process.environment("CREDENTIALS_DIRECTORY").map({ Path($0) }),
      folder.isAbsolute
    else { return nil }
    let file = folder.appending("kdbxfs")
    return (try? Files.status(of: file)) == nil ? nil : file
  }

  /// The password on standard input; `nil` where that is no pipe and no file.
  private static func passwordOnStandardInput() throws(Complaint) -> SecretBytes? {
    guard let input = try? StandardStream.input.duplicate(), let status = try? input.status()
    else { return nil }
    switch status.kind {
    case .fifo, .regular, .socket: break
    case .directory, .symbolicLink, .characterDevice, .blockDevice, .unknown: return nil
    }
    do throws(Errno) {
      let bytes = try Files.readWhole(input, limit: longestPassword)
      return withoutLineEnd(bytes.bytes)
    } catch {
      throw Complaint(
        "standard input can't be read: \(error)", exitCode: .noKeyMaterial)
    }
  }

  private static func passwordFromTerminal(
    for vault: Path, otherwise hint: String = sourcesHint
  ) throws(Complaint) -> SecretBytes {
    try passwordFromTerminal(
      prompt: "Password for \(Path(vault.lastComponent)): ", otherwise: hint)
  }

  /// Asks on the terminal; where there is none, `hint` says what else can give the password.
  static func passwordFromTerminal(
    prompt: String, otherwise hint: String = sourcesHint
  ) throws(Complaint) -> SecretBytes {
    do throws(Terminal.Failure) {
      return try Terminal.readSecret(prompt: prompt)
    } catch {
      switch error {
      case .noTerminal:
        throw Complaint(
          "there is no password, and no terminal to ask on",
          hints: [hint],
          exitCode: .noKeyMaterial)
      case .endOfInput:
        throw Complaint("no password was typed", exitCode: .noKeyMaterial)
      case .tooLong:
        throw Complaint("the password is too long to be typed", exitCode: .noKeyMaterial)
      case .interrupted:
        throw Complaint("interrupted", exitCode: .interrupted)
      case .system(let errno):
        throw Complaint("the terminal can't be used: \(errno)", exitCode: .noKeyMaterial)
      }
    }
  }

  /// A password without the one line end that an editor or `echo` puts behind it.
  static func withoutLineEnd(_ bytes: Span<UInt8>) -> SecretBytes {
    var count = bytes.count
    if count > 0, bytes[count - 1] == 0x0A {
      count -= 1
      if count > 0, bytes[count - 1] == 0x0D { count -= 1 }
    }
    return SecretBytes(copying: bytes.extracting(first: count))
  }
}

extension Program.Failure {
  /// Why a program gave nothing, as a part of a sentence.
  var reason: String {
    switch self {
    case .start(let errno): "it can't be started: \(errno)"
    case .status(let status): "it ended with \(status)"
    case .signal(let signal): "it was ended by signal \(signal.rawValue)"
    case .tooLong: "it wrote too much"
    case .tooLate: "it took too long"
    case .system(let errno): "\(errno)"
    }
  }
}
