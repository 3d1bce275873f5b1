import Platform
import Secrets
import Session
import Vault
import VaultTree

/// A vault as git's credential helper sees it: entries by site and user.
struct CredentialStore {
  /// Tells the entries that were made here.
  private static let tag = Array("git-credential".utf8)
  /// Where they are made.
  private static let group: Path = "Git"

  let access: any EntryAccess

  init(_ access: any EntryAccess) { self.access = access }

  /// An entry for a site.
  struct Found {
    let path: Path
    let user: [UInt8]
    /// What its URL has of a path.
    let sitePath: [UInt8]
    /// Whether it was made here.
    let isOwn: Bool
    /// What makes it come first: the longer path, the user that is asked for, the tag.
    let rank: Rank
  }

  struct Rank: Hashable, Comparable {
    var closeness: Int
    var hasUser: Bool
    var isOwn: Bool

    static func < (left: Rank, right: Rank) -> Bool {
      func number(_ flag: Bool) -> Int { flag ? 1 : 0 }
      return (left.closeness, number(left.hasUser), number(left.isOwn))
        < (right.closeness, number(right.hasUser), number(right.isOwn))
    }
  }

  /// The entries for a site, the best first; those of one user, if one is named, and those that name none.
  func find(_ site: SiteAddress, of user: [UInt8]?) throws(Complaint) -> [Found] {
    var found: [Found] = []
    for path in try access.entries(on: site.host) {
      guard let own = SiteAddress(try access.text("url", of: path)),
        let closeness = own.closeness(to: site)
      else { continue }
      let ownUser = try access.text("username", of: path)
      guard user == nil || ownUser == user || ownUser.isEmpty else { continue }
      let isOwn = try isTagged(path)
      let rank = Rank(closeness: closeness, hasUser: ownUser == user, isOwn: isOwn)
      found.append(
        Found(path: path, user: ownUser, sitePath: own.path, isOwn: isOwn, rank: rank))
    }
    return found.sorted { left, right in
      left.rank == right.rank
        ? left.path.bytes.lexicographicallyPrecedes(right.path.bytes) : left.rank > right.rank
    }
  }

  private func isTagged(_ entry: Path) throws(Complaint) -> Bool {
    try access.text("tags", of: entry).split(separator: UInt8(ascii: "\n"))
      .contains { $0.elementsEqual(Self.tag) }
  }

  func password(of entry: Path) throws(Complaint) -> WipedBuffer {
    try access.read(entry.appending("password"))
  }

  private func holds(
    _ entry: Path, _ password: borrowing SecretBytes
  ) throws(Complaint) -> Bool {
    let now = try self.password(of: entry)
    return password.withBytes { constantTimeEqual($0, now.bytes) }
  }

  // MARK: - Keeping

  /// Keeps what worked; says whether anything had to be changed.
  func keep(
    _ password: borrowing SecretBytes, of user: [UInt8], for site: SiteAddress
  ) throws(Complaint) -> Bool {
    let found = try find(site, of: user).filter { $0.user == user }
    for entry in found where try holds(entry.path, password) { return false }
    if let entry = found.first(where: { $0.isOwn && $0.sitePath == site.path }) {
      try write(password, to: entry.path)
    } else {
      try make(password, of: user, for: site)
    }
    return true
  }

  private func write(
    _ password: borrowing SecretBytes, to entry: Path
  ) throws(Complaint) {
    try password.withBytes { (bytes) throws(Complaint) in
      try access.write(bytes, to: entry.appending("password"))
    }
  }

  /// Makes an entry: all of it, or nothing.
  private func make(
    _ password: borrowing SecretBytes, of user: [UInt8], for site: SiteAddress
  ) throws(Complaint) {
    let isText = password.withBytes { TextCheck.firstProblem(in: $0) == nil }
    let place = site.hostAndPort
    let url = site.scheme + Array("://".utf8) + place + [UInt8(ascii: "/")] + site.path
    guard isText, [user, url].allSatisfy({ TextCheck.firstProblem(in: $0.span) == nil }) else {
      throw Complaint(
        "git sent what a vault can't hold: it is no UTF-8, or has a control character",
        exitCode: .vaultUnwritable)
    }
    if try access.kind(of: Self.group) == nil { try access.makeDirectory(Self.group) }
    let entry = try freePath(for: place, user)
    try NewCommand.make(
      entry, [("username", user), ("url", url), ("tags", Self.tag)], access
    ) { (entry) throws(Complaint) in try write(password, to: entry) }
  }

  /// A title that is free in the group: the host, with the user where that isn't enough.
  private func freePath(for place: [UInt8], _ user: [UInt8]) throws(Complaint) -> Path {
    func path(_ title: [UInt8]) -> Path {
      Self.group.appending(NameCoding.encoded(title, in: .group))
    }
    let named = place + Array(" (".utf8) + user + [UInt8(ascii: ")")]
    for title in [place, named] where try access.kind(of: path(title)) == nil {
      return path(title)
    }
    var number = 2
    while try access.kind(of: path(named + Array(" \(number)".utf8))) != nil { number += 1 }
    return path(named + Array(" \(number)".utf8))
  }

  // MARK: - Removing

  /// Removes what holds a refused password and was made here; says how many, and which are kept because
  /// they weren't.
  ///
  /// Without a password all that was made here goes.
  func remove(
    _ site: SiteAddress, of user: [UInt8]?, _ password: borrowing SecretBytes?
  ) throws(Complaint) -> (gone: Int, kept: [Path]) {
    var gone: [Path] = []
    var kept: [Path] = []
    for entry in try find(site, of: user) {
      switch password {
      case .some(let password):
        guard try holds(entry.path, password) else { continue }
      case .none:
        guard entry.isOwn else { continue }
      }
      if entry.isOwn { gone.append(entry.path) } else { kept.append(entry.path) }
    }
    if !gone.isEmpty { _ = try access.ask(.remove(paths: gone.map(\.text))) }
    return (gone.count, kept)
  }
}
