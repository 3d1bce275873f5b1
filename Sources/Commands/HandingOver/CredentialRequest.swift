import ByteCoding
import Secrets
import Vault

/// What git asks a credential helper, or tells it: lines `key=value` up to an empty one
/// (git-credential(1), INPUT/OUTPUT FORMAT).
struct CredentialRequest: ~Copyable {
  private(set) var scheme: [UInt8] = []
  /// The host, with its port where it was given.
  private(set) var host: [UInt8] = []
  /// What git sends with `credential.useHttpPath` only.
  private(set) var path: [UInt8] = []
  private(set) var user: [UInt8]?
  private var password: SecretBytes?

  /// Reads what git wrote; keys that we don't know are left out, as the protocol wants it.
  init(_ text: Span<UInt8>) {
    var start = 0
    while start < text.count {
      var end = start
      while end < text.count, text[end] != UInt8(ascii: "\n") { end += 1 }
      if end == start { return }
      take(text.extracting(start..<end))
      start = end + 1
    }
  }

  private mutating func take(_ line: Span<UInt8>) {
    guard let equals = line.indices.first(where: { line[$0] == UInt8(ascii: "=") }) else { return }
    let key = String(decoding: (0..<equals).map { line[$0] }, as: UTF8.self)
    let value = line.extracting(droppingFirst: equals + 1)
    if key == "password" {
      password = SecretBytes(copying: value)
      return
    }
    // No other value is a secret; those that are, of newer versions of git, have keys of their own.
    guard ["protocol", "host", "path", "username"].contains(key) else { return }
    let text = value.copied()
    switch key {
    case "protocol": scheme = text
    case "host": host = text
    case "path": path = text
    default: user = text
    }
  }

  /// The password, once.
  mutating func takePassword() -> SecretBytes? { password.take() }

  /// The site that is meant; `nil` where the request names none.
  var site: SiteAddress? { SiteAddress(scheme: scheme, hostAndPort: host, path: path) }
}
