package import KDBX
import Platform
import Secrets
package import Vault

/// Two vault files that are merged, without a mount.
package struct FileMerge: Sendable {
  private let target: OpenedVault
  /// The vault that is changed, as it was.
  package let before: Document
  /// The vault after the merge.
  package private(set) var merged: Vault
  package private(set) var report = MergeReport()

  /// Merges `other`, and the `base` that both come from where it is known, into `target`; nothing is
  /// written yet.
  package init(
    _ target: OpenedVault, with other: OpenedVault, base: OpenedVault?, evenIfOther: Bool
  ) throws(SessionError) {
    self.target = target
    before = target.document
    merged = Vault(target.document)
    guard other.header.version.major <= target.header.version.major else {
      throw SessionError(
        .refused,
        "\(target.file.name) has format version \(target.header.version), which can't hold what"
          + " one of \(other.header.version) has",
        hints: ["merge the other way round, into \(other.file.name)"])
    }
    do throws(MergeError) {
      report = try merged.merge(
        other.document, base: base?.document, at: VaultTime(unixSeconds: Clock.wall().seconds),
        evenIfOther: evenIfOther)
    } catch {
      throw SessionError(
        .refused, "\(other.file.name) is another vault: its root group is another one",
        hints: ["--force merges them all the same"])
    }
  }

  /// Whether the merged vault is other than it was.
  package var hasChanges: Bool { report.hasChanges }

  /// Puts the merged vault in the target's place, under the target's key.
  ///
  /// On failure, and if the file was changed meanwhile, it stays as it is.
  package func write() throws(SessionError) {
    var output = WipedBuffer()
    let key: DerivedKey
    do throws(KDBXError) {
      key = try KDBXFile.write(
        merged.document, as: target.header, key: target.contents.key,
        renewingSaltWith: target.key, askingForNewSeed: target.key.responder, into: &output
      ).key
    } catch {
      throw SessionError(writing: error)
    }
    let isReplaced = try target.file.replace(with: output.bytes) { bytes in
      (try? KDBXFile.verify(bytes, key: key, against: merged.document)) != nil
    }
    guard isReplaced else {
      throw SessionError(
        .conflict, "\(target.file.name) was changed by another program meanwhile",
        hints: ["it was left alone; merge again"])
    }
  }
}

extension VaultCandidate {
  /// Opens the vault with the key of another one that is open.
  package consuming func open(withKeyOf other: OpenedVault) throws(SessionError) -> OpenedVault {
    do throws(KDBXError) {
      let opened = try KDBXFile.open(contents.bytes.bytes, with: other.key)
      return OpenedVault(file: contents.file, contents: opened, key: other.key)
    } catch {
      throw SessionError(error, opening: contents.file.path)
    }
  }
}
