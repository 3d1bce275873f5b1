import Vault

// The log of reads and writes: what its lines are about.

extension TreeState {
  /// Takes a line down; nothing where nobody is known to have done it, or to nothing of the vault.
  mutating func note(_ action: AccessAction, _ subject: AccessSubject?, by accessor: Accessor?) {
    guard let subject, let accessor else { return }
    log.note(action, subject, by: accessor, at: now())
  }

  /// What a line about a node is about; nil for what is no part of the vault.
  func subject(of meaning: NodeMeaning) -> AccessSubject? {
    switch meaning {
    case .item(let owner, let key): AccessSubject(owner: owner, part: .item(key))
    case .groupNotes(let owner): AccessSubject(owner: owner, part: .notes)
    case .entry(let owner), .folder(let owner): AccessSubject(owner: owner, part: .whole)
    case .scratch, .view, .link, .generated, .dead: nil
    }
  }

  /// The same for what a name in a directory leads to.
  mutating func subject(
    of name: [UInt8], in directory: NodeMeaning
  ) throws(TreeError) -> AccessSubject? {
    try find(name, in: directory).flatMap { subject(of: $0.meaning) }
  }

  /// The path that leads there now; nil where none does.
  mutating func path(of subject: AccessSubject) -> [UInt8]? {
    guard let path = try? path(of: subject.owner) else { return nil }
    let folder = path.isEmpty ? path : path + "/".utf8
    switch subject.part {
    case .whole: return path.isEmpty ? Array("/".utf8) : path
    case .notes: return folder + ReservedName.groupNotes
    case .concealed: return folder + "?".utf8
    case .item(let key):
      guard let rest = try? self.path(of: key, subject.owner) else { return nil }
      return folder + rest
    }
  }

  /// The path of an item from its entry.
  private mutating func path(
    of key: ItemKey, _ owner: UInt64
  ) throws(TreeError) -> [UInt8] {
    func below(_ folder: [UInt8], _ name: [UInt8]) -> [UInt8] { folder + "/".utf8 + name }
    switch key {
    case .attachment: return below(ReservedName.attachments, try fileName(of: key, owner))
    case .version(let version): return below(ReservedName.history, version)
    case .inVersion(let version, let inner):
      return below(below(ReservedName.history, version), try path(of: inner, owner))
    case .field, .tags, .expires, .totp, .hotp, .attachments, .history, .json, .env:
      return try fileName(of: key, owner)
    }
  }

  // MARK: - Locking

  /// Wipes the names of custom fields and the like: hashes stay, as for all names (``KeptNodes``).
  mutating func concealLog(_ hasher: NameHasher) {
    log.replaceSubjects { subject in
      guard case .item(let key) = subject.part, Slot.fixedSlot(of: key) == nil else { return nil }
      return AccessSubject(owner: subject.owner, part: .concealed(hasher.hash(key)))
    }
  }

  /// Finds the names again that a lock has wiped, as far as the vault still has them.
  mutating func revealLog(_ hasher: NameHasher) {
    var keys: [UInt64: [KeyedHash: ItemKey]] = [:]
    for record in log.records {
      guard case .concealed = record.subject.part else { continue }
      let owner = record.subject.owner
      guard keys[owner] == nil else { continue }
      let found = knownKeys(of: owner).map { (hasher.hash($0), $0) }
      keys[owner] = Dictionary(found) { first, _ in first }
    }
    guard !keys.isEmpty else { return }
    log.replaceSubjects { subject in
      guard case .concealed(let hash) = subject.part, let key = keys[subject.owner]?[hash] else {
        return nil
      }
      return AccessSubject(owner: subject.owner, part: .item(key))
    }
  }
}
