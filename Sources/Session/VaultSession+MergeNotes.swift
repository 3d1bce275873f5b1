import KDBX
import Vault

extension VaultSession {
  /// Says what a person may want to know of a merge.
  ///
  /// Entries are named by their UUID (`user.kdbx.uuid`), fields only where every entry has them: a
  /// log holds no name of the vault.
  func tell(_ report: MergeReport) {
    log.debug(
      "took in changes of another program: \(report.added.count) added,"
        + " \(report.changed.count) changed, \(report.moved.count) moved,"
        + " \(report.removed.count) removed")
    for note in report.notes {
      switch note {
      case .conflict(let uuid, let parts, let theirsWon):
        log.warning(
          "entry \(Self.text(uuid)): \(Self.words(for: parts)) changed here and in another"
            + " program; \(theirsWon ? "theirs" : "ours") stands, the other is in its .history")
      case .groupConflict(let uuid, let parts, let theirsWon):
        log.warning(
          "group \(Self.text(uuid)): \(Self.words(for: parts)) changed here and in another"
            + " program; \(theirsWon ? "theirs" : "ours") stands")
      case .keptThoughRemoved(let uuid):
        log.warning("\(Self.text(uuid)) was removed on one side and changed on the other: kept")
      case .changedInFuture(let uuid):
        log.warning("entry \(Self.text(uuid)) was changed in another program, in the future")
      case .notMoved(let uuid):
        log.warning("group \(Self.text(uuid)) could not go where another program moved it")
      }
    }
  }

  private static func text(_ uuid: VaultUUID) -> String {
    String(decoding: uuid.hex(uppercase: false), as: UTF8.self)
  }

  /// Names what conflicted, as the start of a sentence: `Password and 2 more were`.
  private static func words(for parts: [ElementPart]) -> String {
    let named = parts.compactMap { part -> String? in
      switch part {
      case .string(let key):
        FieldKey.standard.contains(key) ? String(decoding: key, as: UTF8.self) : nil
      case .icon: "the icon"
      case .expiry: "the expiry"
      case .attachment, .element, .item: nil
      }
    }
    guard let first = named.first else {
      return parts.count == 1 ? "a field was" : "\(parts.count) fields were"
    }
    if parts.count == 1 { return "\(first) was" }
    return "\(first) and \(parts.count - 1) more were"
  }
}
