import ByteCoding
import Ciphers
import Vault

/// Names the fields and attachments of an entry, which have no UUID (`docs/tree.md`, rule 5).
enum FieldNames {
  /// The keys under which several of one key are told apart, in their order.
  ///
  /// The last keeps its key, as KeePass shows it; the others get ` (2)`, ` (3)` …, which is what the
  /// next save of the entry writes.
  static func distinctKeys(_ keys: [[UInt8]]) -> [[UInt8]] {
    var last: [[UInt8]: Int] = [:]
    for i in keys.indices { last[keys[i]] = i }
    guard last.count < keys.count else { return keys }
    var result = keys
    var taken = Set(last.keys)
    for i in keys.indices where last[keys[i]] != i {
      var number = 2
      var candidate = numbered(keys[i], number)
      while !taken.insert(candidate).inserted {
        number += 1
        candidate = numbered(keys[i], number)
      }
      result[i] = candidate
    }
    return result
  }

  /// `name (2)`.
  static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
    name + Array(" (\(number))".utf8)
  }

  /// The file name of a key that isn't a standard one, or of an attachment.
  static func fileName(
    of key: [UInt8], in place: NamePlace, isTaken: ([UInt8]) -> Bool = { _ in false }
  ) -> [UInt8] {
    guard !key.isEmpty else { return nameless }
    let name = NameCoding.encoded(key, in: place)
    guard name.count > NameCoding.limit else { return name }
    let digits = Hex.encode(SHA256.hash(key.span).span, uppercase: false)
    for count in 8...digits.count {
      let suffix = Array(" ~".utf8) + digits.prefix(count)
      let candidate = NameCoding.cut(name, to: NameCoding.limit - suffix.count) + suffix
      if !isTaken(candidate) { return candidate }
    }
    return NameCoding.cut(name, to: NameCoding.limit)
  }

  /// How a key of no bytes is shown; a NUL, which it spells, is in no key.
  static let nameless = Array("%00".utf8)

  /// The file name of a standard field; nil for any other key.
  ///
  /// The title has none: it is the directory's name.
  static func standardFileName(of key: [UInt8]) -> [UInt8]? {
    switch key {
    case FieldKey.userName: ReservedName.username
    case FieldKey.password: ReservedName.password
    case FieldKey.url: ReservedName.url
    case FieldKey.notes: ReservedName.notes
    default: nil
    }
  }

  /// The standard field that a file name stands for.
  static func standardKey(of name: [UInt8]) -> [UInt8]? {
    switch name {
    case ReservedName.username: FieldKey.userName
    case ReservedName.password: FieldKey.password
    case ReservedName.url: FieldKey.url
    case ReservedName.notes: FieldKey.notes
    default: nil
    }
  }

  /// The standard fields that have a file, in the order in which they are listed.
  static let shownStandardKeys = [
    FieldKey.userName, FieldKey.password, FieldKey.url, FieldKey.notes,
  ]
}
