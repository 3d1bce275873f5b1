import KDBX
import Platform
import Secrets
import Session

/// `kdbxfs create`: makes a new, empty vault; overwrites no file.
struct CreateCommand {
  let vault: Path
  let settings: Settings

  func run() throws(Complaint) {
    try checkPlace()
    let isMade = settings.newKeys.makesKeyFile
    guard !isMade || settings.keys.keyFile != nil else {
      throw .usage("'--make-keyfile' wants '--keyfile FILE', the file to make")
    }
    guard !settings.keys.hasNoPassword || settings.keys.keyFile != nil else {
      throw .usage(
        "a vault without a password needs a key file", hint: "--keyfile FILE --make-keyfile")
    }
    let responder = try ChallengeProgram.responder(settings.keys.challengeProgram)
    var keyFileKey: SecretBytes?
    if let file = settings.keys.keyFile, !isMade { keyFileKey = try KeyReader.keyFileKey(in: file) }
    let password = try password()
    let parameters = try NewKeys.calibrate(settings.newKeys.derivation ?? .argon2id, settings)
    var made: MadeKeyFile?
    if let file = settings.keys.keyFile, isMade {
      let new = try MadeKeyFile(file)
      keyFileKey = new.key.copy()
      made = consume new
    }
    let key = CompositeKey(
      Credentials(password: password, keyFileKey: keyFileKey, responder: responder))
    do throws(SessionError) {
      try VaultCreation.create(vault, name: name, key: key, parameters)
    } catch {
      throw Complaint(error)
    }
    made?.keep()
  }

  /// Checks, before anybody is asked for a password, that a file can be made there.
  private func checkPlace() throws(Complaint) {
    if (try? Files.status(of: vault, followingLinks: false)) != nil {
      throw Complaint(
        "'\(vault)' is there already", hints: ["kdbxfs overwrites no file"],
        exitCode: .vaultUnwritable)
    }
    do throws(Errno) {
      try Files.probeWriting(in: vault.parent)
    } catch {
      throw Complaint("'\(vault)' can't be made: \(error)", exitCode: .vaultUnwritable)
    }
  }

  /// The password: from where the command line says, or typed twice.
  private func password() throws(Complaint) -> SecretBytes? {
    if settings.keys.hasNoPassword { return nil }
    if let password = try KeyReader.passwordWithoutTerminal(settings.keys) {
      // The same file or program is to open the vault: there it would be two lines.
      let isKept =
        settings.keys.passwordFile != nil || !settings.keys.passwordProgram.isEmpty
      return try NewKeys.line(of: password, mayBeTwice: !isKept)
    }
    return try NewKeys.passwordTwice(for: vault, settings)
  }

  /// What the vault says it is called: the last part of the path, without `.kdbx`.
  private var name: [UInt8] {
    let name = vault.lastComponent
    let ending = Array(".kdbx".utf8)
    guard name.count > ending.count, name.suffix(ending.count).elementsEqual(ending) else {
      return name
    }
    return Array(name.dropLast(ending.count))
  }
}
