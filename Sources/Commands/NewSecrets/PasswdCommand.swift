import KDBX
import Platform
import Secrets
import Session

/// `kdbxfs passwd`: gives a vault another password, key file or key derivation; the old file is there
/// until the new one has been opened.
struct PasswdCommand {
  let vault: Path
  let settings: Settings

  private var new: NewKeySources { settings.newKeys }

  func run() throws(Complaint) {
    try checkOptions()
    let candidate = try VaultCommands.candidate(vault, settings)
    // Held until this returns.
    let access = try lock(candidate)
    if new.derivation != nil, candidate.header.version.major < 4 {
      throw .usage(
        "'--kdf' is for KDBX 4, and '\(vault)' is KDBX \(candidate.header.version)",
        hint: "KeePassXC's database settings bring a vault to KDBX 4")
    }
    let keys = try KeyReader.read(settings.keys, for: vault, candidate.header)
    let oldPassword = NewKeys.copy(of: keys.password)
    let oldKeyFileKey = NewKeys.copy(of: keys.keyFileKey)
    let responder = keys.responder
    let opened = try VaultCommands.open(candidate, with: keys)
    let password = try newPassword(oldPassword)
    var keyFileKey: SecretBytes?
    if !new.dropsKeyFile { keyFileKey = consume oldKeyFileKey }
    if let file = new.keyFile, !new.makesKeyFile {
      keyFileKey = try KeyReader.keyFileKey(in: file)
    }
    var parameters: KDFParameters?
    if let derivation = new.derivation {
      parameters = try NewKeys.calibrate(derivation, settings)
    }
    var made: MadeKeyFile?
    if let file = new.keyFile, new.makesKeyFile {
      let file = try MadeKeyFile(file)
      keyFileKey = file.key.copy()
      made = consume file
    }
    try write(
      opened, Credentials(password: password, keyFileKey: keyFileKey, responder: responder),
      parameters)
    made?.keep()
    _ = consume access
  }

  // MARK: - Before anybody is asked

  private func checkOptions() throws(Complaint) {
    guard !new.makesKeyFile || new.keyFile != nil else {
      throw .usage("'--make-keyfile' wants '--new-keyfile FILE', the file to make")
    }
    guard new.keyFile == nil || !new.dropsKeyFile else {
      throw .usage("only one of --new-keyfile and --drop-keyfile can be meant")
    }
    let given = [new.passwordFile != nil, new.keepsPassword, new.dropsPassword]
    guard given.count(where: { $0 }) <= 1 else {
      throw .usage("only one of --new-passfile, --keep-password and --drop-password can be meant")
    }
    let hasKeyFile = new.keyFile != nil || (settings.keys.keyFile != nil && !new.dropsKeyFile)
    let hasPassword = !new.dropsPassword && !(new.keepsPassword && settings.keys.hasNoPassword)
    guard hasKeyFile || hasPassword else {
      throw .usage("a vault without a password needs a key file", hint: "--new-keyfile FILE")
    }
    guard
      !new.keepsPassword || new.keyFile != nil || new.dropsKeyFile || new.derivation != nil
    else {
      throw .usage(
        "with '--keep-password' alone nothing would change",
        hint: "--new-keyfile, --drop-keyfile or --kdf change something else")
    }
  }

  /// Becomes the vault's one writer, or says why that can't be.
  private func lock(_ candidate: borrowing VaultCandidate) throws(Complaint) -> VaultAccess {
    let name = "'\(Path(vault.lastComponent))'"
    if let reason = candidate.header.reasonNotToWrite {
      throw Complaint("\(name) \(reason): it is not written", exitCode: .vaultUnwritable)
    }
    let log = SessionLog(isQuiet: settings.isQuiet, isVerbose: settings.isVerbose)
    let access: VaultAccess
    do throws(SessionError) {
      access = try VaultAccess(to: candidate, mountPoint: nil, readOnly: false, log: log)
    } catch {
      let isMounted = error.kind == .mountedElsewhere
      throw Complaint(
        error.message, hints: isMounted ? ["'kdbxfs umount' ends that mount"] : error.hints,
        exitCode: Complaint(error).exitCode)
    }
    guard !access.isReadOnly else {
      throw Complaint("\(name) can't be written here", exitCode: .vaultUnwritable)
    }
    return access
  }

  // MARK: - The new key

  private func newPassword(_ old: consuming SecretBytes?) throws(Complaint) -> SecretBytes? {
    if new.dropsPassword { return nil }
    if new.keepsPassword {
      guard let old = old.take() else { return nil }
      // Beside a key file or a hardware key an empty password is none, as it was opened.
      let isAlone = settings.keys.keyFile == nil && settings.keys.challengeProgram.isEmpty
      guard old.count > 0 || isAlone else { return nil }
      return old
    }
    guard let file = new.passwordFile else {
      return try NewKeys.passwordTwice(
        for: vault, settings, otherwise: "--new-passfile FILE can give the new one")
    }
    return try NewKeys.line(of: try KeyReader.password(inFile: file), mayBeTwice: true)
  }

  private func write(
    _ opened: OpenedVault, _ credentials: consuming Credentials, _ parameters: KDFParameters?
  ) throws(Complaint) {
    let key = CompositeKey(credentials)
    do throws(SessionError) {
      try VaultCreation.rekey(opened, to: key, parameters)
    } catch {
      // What the saves of a mount say of their changes is not true here.
      throw Complaint(
        error.message,
        hints: error.kind == .unwritable
          ? ["the vault is as it was, with its old key"] : error.hints,
        exitCode: Complaint(error).exitCode)
    }
  }
}
