import Ciphers
import Secrets

/// What stands for a name while the vault is locked: tells whether another is the same, and not what
/// it is.
struct KeyedHash: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  fileprivate init(_ code: [UInt8]) {
    high = code[..<8].reduce(0) { $0 << 8 | UInt64($1) }
    low = code[8..<16].reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// Makes the hashes of one lock, under a random key that goes with it.
///
/// HMAC-SHA-256, cut to 16 bytes.
final class NameHasher: Sendable {
  private let key = SecretBytes.random(32)

  /// The hash of `bytes`; the same bytes in another role have another one.
  func hash(_ bytes: [UInt8], as role: Role) -> KeyedHash {
    let message = [role.rawValue] + bytes
    return KeyedHash(key.withBytes { HMAC.code(of: message.span, .sha256, key: $0) })
  }

  enum Role: UInt8, Sendable {
    case name, group, entry, item
  }

  func hash(_ key: ItemKey) -> KeyedHash { hash(key.spelling, as: .item) }
}

extension ItemKey {
  /// Bytes that no other key has.
  fileprivate var spelling: [UInt8] {
    switch self {
    case .field(let key): [1] + key
    case .attachment(let name): [2] + name
    case .tags: [3]
    case .expires: [4]
    case .totp: [5]
    case .hotp: [6]
    case .attachments: [7]
    case .history: [8]
    case .version(let name): [9] + name
    // The name of a version is a time and perhaps a number: it holds no NUL.
    case .inVersion(let name, let key): [10] + name + [0] + key.spelling
    case .json: [11]
    case .env: [12]
    }
  }
}
