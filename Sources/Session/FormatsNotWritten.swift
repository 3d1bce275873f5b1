package import KDBX

extension OuterHeader {
  /// Why a file of this format is only read, as a part of a sentence; `nil` where we write it.
  ///
  /// What is not written: KeePass 1's files; those of KeePass 2 before its first release, which nothing
  /// but KeePass 2 reads, and of which nobody knows all; a later minor version than we know, for a save
  /// could lose what it has.
  package var reasonNotToWrite: String? {
    if isKeePass1 { return "is a KeePass 1 database (.kdb)" }
    if isPreRelease || version.major < 2 {
      return "has format version \(version), of KeePass 2 before its release"
    }
    let newest: FormatVersion = version.major < 4 ? .kdbx31 : .newest
    guard version > newest, version.major != 2 else { return nil }
    return "has format version \(version), newer than kdbxfs knows"
  }

  /// Says why the vault is mounted read-only, and what helps; nothing where its format is written.
  func sayWhyNotToWrite(_ file: VaultFile, _ log: SessionLog) {
    guard let reason = reasonNotToWrite else { return }
    log.warning("\(file.name) \(reason): mounted read-only")
    if isKeePass1 || isPreRelease || version.major < 2 {
      log.hint("KeePass 2 can turn it into a new .kdbx file (KeePassXC too, of a .kdb)")
    }
  }
}
