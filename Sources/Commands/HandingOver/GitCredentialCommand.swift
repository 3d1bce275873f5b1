import Platform
import Secrets
import Vault

/// `kdbxfs git-credential`: git's passwords in a vault (gitcredentials(7)).
///
/// `get` answers with the entry that fits best; `store` keeps what worked in an entry of its own, which
/// has the tag `git-credential`; `erase` removes what was refused, but only an entry with that tag, and
/// only while it holds the refused password. No other entry is ever changed.
enum GitCredentialCommand {
  /// The most bytes that git sends.
  private static let limit = 1 << 20

  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let text: WipedBuffer
    do throws(Errno) {
      text = try Files.readWhole(StandardStream.input.duplicate(), limit: limit)
    } catch {
      throw Complaint("standard input can't be read: \(error)", exitCode: .usage)
    }
    var request = CredentialRequest(text.bytes)
    let password = request.takePassword()
    // The protocol may grow: a helper ignores what it doesn't know.
    let operation = String(decoding: word, as: UTF8.self)
    guard ["get", "store", "erase"].contains(operation), let site = request.site else { return }
    let access = try VaultFinder.vault(settings).open(
      for: operation == "get" ? .reading : .writing, settings, leavingInput: true)
    let store = CredentialStore(access)
    switch operation {
    case "get": try get(site, request.user, from: store, settings)
    case "store":
      guard let user = request.user, !user.isEmpty, let password, password.count > 0 else { return }
      if try store.keep(password, of: user, for: site) { try access.finish() }
    default: try erase(site, request.user, password, from: store, settings)
    }
  }

  // MARK: - get

  /// Prints nothing where the vault has nothing to say: then git asks on.
  private static func get(
    _ site: SiteAddress, _ user: [UInt8]?, from store: CredentialStore, _ settings: Settings
  ) throws(Complaint) {
    let all = try store.find(site, of: user)
    guard let entry = all.first else { return }
    let users = Set(all.filter { $0.rank == entry.rank }.map(\.user))
    guard users.count == 1 else {
      if settings.isQuiet { return }
      let host = Path(site.hostAndPort)
      let place = String(decoding: site.scheme, as: UTF8.self) + "://\(host)"
      StandardStream.error.say(
        "kdbxfs: warning: the vault has \(users.count) users for '\(host)', and git names none"
      )
      StandardStream.error.say(
        "kdbxfs: hint: 'git config --global credential.\(place).username NAME' does")
      return
    }
    let password = try store.password(of: entry.path)
    guard password.count > 0, isLine(password.bytes), isLine(entry.user.span) else { return }
    var answer = WipedBuffer(capacity: password.count + entry.user.count + 32)
    if !entry.user.isEmpty {
      answer.append("username=")
      answer.append(entry.user.span)
      answer.append("\n")
    }
    answer.append("password=")
    answer.append(password.bytes)
    answer.append("\n")
    try VaultCommands.write(answer.bytes)
  }

  /// Whether it stays in its line: what came after a line feed would be another key to git.
  private static func isLine(_ text: Span<UInt8>) -> Bool {
    !text.indices.contains { text[$0] == UInt8(ascii: "\n") || text[$0] == 0 }
  }

  // MARK: - erase

  private static func erase(
    _ site: SiteAddress, _ user: [UInt8]?, _ password: borrowing SecretBytes?,
    from store: CredentialStore, _ settings: Settings
  ) throws(Complaint) {
    let (gone, kept) = try store.remove(site, of: user, password)
    if gone > 0 { try store.access.finish() }
    if settings.isQuiet { return }
    for entry in kept {
      StandardStream.error.say(
        "kdbxfs: warning: the password of '\(entry)' was refused; it is kept, because git didn't store it"
      )
    }
  }
}
