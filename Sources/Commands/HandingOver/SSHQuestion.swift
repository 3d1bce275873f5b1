import ByteCoding
import Platform
import Secrets
import Session
import Vault

/// A question of ssh's or ssh-add's that says which password it wants.
enum SSHQuestion: Hashable {
  /// As sshconnect2.c writes it: `USER@HOST's password: `, or `(USER@HOST) ` before what the host asks.
  case login(user: [UInt8], host: HostName)
  /// `Enter passphrase for key 'FILE': ` (ssh), or `Enter passphrase for FILE: ` (ssh-add).
  case key(file: Path)

  /// Reads it; nil where it is another question.
  init?(_ question: [UInt8]) {
    let text = question[...]
    // Who stands in front was written by ssh; anything behind it may come from the host.
    if text.first == UInt8(ascii: "("), let close = text.firstPlace(of: ") ") {
      let name = text[text.index(after: text.startIndex)..<close]
      var rest = text[close...].dropFirst(2)
      // What a user or a host is called asks for nothing.
      if rest.starts(with: name) { rest = rest.dropFirst(name.count) }
      guard PasswordQuestion.asksForKnown(rest) else { return nil }
      self.init(login: name)
      return
    }
    let end = Array("'s password: ".utf8)
    if let place = text.firstPlace(of: "'s password: "), place + end.count == text.endIndex {
      self.init(login: text[..<place])
      return
    }
    let start = Array("Enter passphrase for ".utf8)
    guard text.starts(with: start), let end = text.lastIndex(of: UInt8(ascii: ":")) else {
      return nil
    }
    var name = text[start.count..<end]
    // ssh-add -c tells more behind it.
    let more = Array(" (will confirm each use)".utf8)
    if name.suffix(more.count).elementsEqual(more) { name = name.dropLast(more.count) }
    // ssh-keygen's, of a new one.
    guard name.firstPlace(of: "(empty for no passphrase)") == nil else { return nil }
    let key = Array("key '".utf8)
    if name.starts(with: key), name.last == UInt8(ascii: "'") {
      name = name.dropFirst(key.count).dropLast()
    }
    guard !name.isEmpty else { return nil }
    self = .key(file: Path(name))
  }

  private init?(login text: ArraySlice<UInt8>) {
    guard let at = text.lastIndex(of: UInt8(ascii: "@")), at > text.startIndex,
      at + 1 < text.endIndex
    else { return nil }
    self = .login(user: Array(text[..<at]), host: HostName(Array(text[(at + 1)...])))
  }

  /// The entry that answers; there must be just one.
  func entry(
    in access: any EntryAccess, askedAs question: [UInt8]
  ) throws(Complaint) -> Path {
    var found: [Path] = []
    for entry in try candidates(in: access) where try fits(entry, access) { found.append(entry) }
    guard let entry = found.first else {
      throw Complaint(
        "the vault has no entry for '\(Path(question))'", hints: [hint], exitCode: .nothingFound)
    }
    guard found.count == 1 else {
      throw Complaint(
        "the vault has \(found.count) entries for '\(Path(question))'",
        hints: found.map { "'\($0)'" }, exitCode: .nothingFound)
    }
    return entry
  }

  private var hint: String {
    switch self {
    case .login(let user, let host):
      "one has the user name '\(Path(user))' and the URL ssh://\(Path(host.bytes))"
    case .key(let file): "one has the URL '\(file)'"
    }
  }

  private func candidates(in access: any EntryAccess) throws(Complaint) -> [Path] {
    switch self {
    case .login(_, let host): return try access.entries(on: host)
    case .key(let file):
      let name = String(decoding: file.lastComponent, as: UTF8.self)
      return try access.ask(.find(words: name)).strings("paths").map { Path($0) }
    }
  }

  private func fits(_ entry: Path, _ access: any EntryAccess) throws(Complaint) -> Bool {
    let url = try access.text("url", of: entry)
    switch self {
    case .login(let user, _):
      // What is for a web page of the host is for no login.
      guard let scheme = SiteAddress(url)?.scheme,
        ["", "ssh", "sftp", "scp"].contains(where: { scheme.elementsEqual($0.utf8) })
      else { return false }
      return try access.text("username", of: entry) == user
    case .key(let file): return Self.spellings(of: file).contains(url)
    }
  }

  /// How the URL of an entry may name a key.
  private static func spellings(of file: Path) -> [[UInt8]] {
    let whole = [file.bytes, Array("file://".utf8) + file.bytes]
    guard let home = Process.environment("HOME"), home.count > 1, file.isAtOrBelow(Path(home))
    else {
      return whole
    }
    return whole + [[UInt8(ascii: "~")] + file.bytes.dropFirst(home.count)]
  }
}
