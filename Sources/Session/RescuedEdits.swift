import KDBX
package import Platform
import Secrets
import Vault

/// Edits of earlier mounts that lay in the state folder, taken up again by a vault that was just
/// opened.
package struct RescuedEdits: Sendable {
  /// What held them: to be removed when a save holds them.
  private(set) var files: [RescueFile] = []
  /// The vault with the edits.
  private(set) var document: Document
  /// What was merged, where the vault had changed since.
  private(set) var reports: [MergeReport] = []

  /// Takes up all edits of the vault that can be; `nil` where there are none.
  ///
  /// Those that were made on what the vault holds now are taken as they are. Where it has changed since,
  /// they are merged with it as if the mount had gone on and met the change (`docs/merging.md`): against
  /// what was edited, if that is known. Says what it found; what can't be taken up is said, and stays
  /// where it is.
  static func find(
    for vault: OpenedVault, in folder: Path?, at now: VaultTime, _ log: SessionLog
  ) -> RescuedEdits? {
    var edits = RescuedEdits(document: vault.document)
    for (file, digest) in RescueFile.all(of: vault.file.path, in: folder) {
      do throws(SessionError) {
        try edits.take(
          file, of: vault, hasChanged: digest != vault.file.rememberedDigest, at: now, log)
      } catch {
        log.warning("edits of an earlier mount are in '\(file.path)', and \(error.message)")
        for hint in error.hints { log.hint(hint) }
      }
    }
    return edits.files.isEmpty ? nil : edits
  }

  /// Says which edits of a vault wait, where it is only read.
  package static func name(of vault: OpenedVault, in folder: Path?, _ log: SessionLog) {
    for (file, _) in RescueFile.all(of: vault.file.path, in: folder) {
      log.warning(
        "edits of an earlier mount are in '\(file.path)': a mount for writing takes them up")
    }
  }

  private init(document: Document) { self.document = document }

  private mutating func take(
    _ file: RescueFile, of vault: OpenedVault, hasChanged: Bool, at now: VaultTime,
    _ log: SessionLog
  ) throws(SessionError) {
    let edited = try Self.open(file, of: vault)
    guard hasChanged || !files.isEmpty else {
      log.warning("edits of an earlier mount, kept in '\(file.path)', are taken up again")
      document = edited
      files.append(file)
      return
    }
    let base = hasChanged ? Self.openBase(file, of: vault) : vault.document
    var merged = Vault(edited)
    do throws(MergeError) {
      reports.append(try merged.merge(document, base: base, at: now))
    } catch {
      throw SessionError(
        .conflict, "are of another vault",
        hints: ["the file is a whole vault, and can be mounted as it is"])
    }
    log.warning(
      "edits of an earlier mount, kept in '\(file.path)', are taken up again, and merged with what"
        + " \(vault.file.name) has had since")
    if base == nil {
      log.hint("what was edited is not known any more: where both differ, the later time counts")
    }
    document = merged.document
    files.append(file)
  }

  // MARK: - Opening

  private static func open(
    _ file: RescueFile, of vault: OpenedVault
  ) throws(SessionError) -> Document {
    let contents: WipedBuffer
    do throws(Errno) {
      contents = try Files.readRegular(file.path)
    } catch {
      throw SessionError(.unreadable, "can't be read: \(error)")
    }
    let opened: OpenedFile
    do throws(KDBXError) {
      opened = try KDBXFile.open(contents.bytes, with: vault.key)
    } catch {
      guard error.kind != .wrongKey else {
        throw SessionError(
          .wrongKey, "the key of \(vault.file.name) doesn't open them",
          hints: wayOut(file) + ["it asks for the password that the vault had"])
      }
      let cause = SessionError(error, opening: file.path)
      throw SessionError(.unreadable, "can't be taken up: \(cause.message)")
    }
    guard opened.header.version.major == vault.header.version.major else {
      throw SessionError(
        .conflict, "are of format version \(opened.header.version)", hints: wayOut(file))
    }
    return opened.document
  }

  /// The vault that was edited; `nil` where it can't be read, or is of another format.
  private static func openBase(_ file: RescueFile, of vault: OpenedVault) -> Document? {
    guard let contents = try? Files.readRegular(file.base),
      let opened = try? KDBXFile.open(contents.bytes, with: vault.key),
      opened.header.version.major == vault.header.version.major
    else { return nil }
    return opened.document
  }

  /// How a person takes them up by hand.
  private static func wayOut(_ file: RescueFile) -> [String] {
    [
      "unmount the vault; 'kdbxfs merge --base \(file.base) VAULT \(file.path)' takes them in",
      "this is said until that file and those of its name are removed",
    ]
  }
}
