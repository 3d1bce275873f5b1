import Ciphers
package import Secrets

/// What was found in a whole vault.
package struct VaultExamination: Sendable {
  /// In the order of the file: header, settings, groups and entries, deletions.
  package let findings: [Finding]
  /// The document as a repair writes it.
  package let mended: Document
}

extension KDBXFile {
  /// Looks for everything about a vault that programs refuse, garble or lose.
  ///
  /// `file` is what `opened` was read from. That it opened has proved every hash and code in it; what
  /// is left are the header's fields and the document. Changes nothing.
  package static func examine(
    _ file: Span<UInt8>, _ opened: OpenedFile
  ) throws(KDBXError) -> VaultExamination {
    // A KeePass 1 file has a hash of its own, which has been compared, and no XML.
    guard !opened.header.isKeePass1 else {
      return VaultExamination(findings: [], mended: opened.document)
    }
    let sealed = try SealedVault(file)
    var findings = opened.header.examine()
    if sealed.trailingCount > 0 {
      findings.append(
        Finding(.trailingBytes, in: .file, count: sealed.trailingCount))
    }
    let document = opened.document.examine(headerHash: SHA256.hash(sealed.headerBytes))
    return VaultExamination(
      findings: findings + document.findings, mended: document.mended)
  }

  /// Appends the mended vault to `output`, under a key that is derived anew: the header's faults go
  /// along.
  ///
  /// Gives the key that the new file has.
  package static func writeMended(
    _ examination: VaultExamination, of opened: OpenedFile, key composite: CompositeKey,
    into output: inout WipedBuffer
  ) throws(KDBXError) -> DerivedKey {
    // In KDBX 3 a hardware key has answered to the master seed, which stays with its answer.
    let key = try DerivedKey(from: composite, with: opened.header.kdf.mended())
      .with(opened.key.answer)
    return try write(
      examination.mended, as: opened.header, key: key, renewingSaltWith: nil, into: &output
    ).key
  }
}
