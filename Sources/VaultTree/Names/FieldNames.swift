import ByteCoding
import Ciphers
import KDBX
import Vault

/// Names the fields and attachments of an entry, which have no UUID (`docs/tree.md`, rule 5).
enum FieldNames {
  /// The keys under which several of one key are told apart, in their order, which is what the next
  /// save of the entry writes.
  static func distinctKeys(_ keys: [[UInt8]]) -> [[UInt8]] {
    hasTwins(keys) ? DistinctNames.of(keys) : keys
  }

  /// Whether two keys are the same; most entries have few, which are compared without more ado.
  private static func hasTwins(_ keys: [[UInt8]]) -> Bool {
    guard keys.count <= 16 else { return true }
    for i in keys.indices {
      for j in 0..<i where keys[i] == keys[j] { return true }
    }
    return false
  }

  /// `name (2)`.
  static func numbered(_ name: [UInt8], _ number: Int) -> [UInt8] {
    DistinctNames.numbered(name, number)
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

  /// Whether a key is that of a standard field that has a file.
  static func isShownStandard(_ key: [UInt8]) -> Bool { standardFileName(of: key) != nil }

  /// The key and the file name of a standard field, as they are kept for all entries.
  static func standardNames(of key: [UInt8]) -> (key: [UInt8], fileName: [UInt8])? {
    switch key {
    case FieldKey.userName: (FieldKey.userName, ReservedName.username)
    case FieldKey.password: (FieldKey.password, ReservedName.password)
    case FieldKey.url: (FieldKey.url, ReservedName.url)
    case FieldKey.notes: (FieldKey.notes, ReservedName.notes)
    default: nil
    }
  }

  /// The file name of a standard field; nil for any other key.
  ///
  /// The title has none: it is the directory's name.
  static func standardFileName(of key: [UInt8]) -> [UInt8]? {
    standardNames(of: key)?.fileName
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
