import KDBX
import Vault

/// An entry of the document, taken apart into files: fields, attachments, times.
///
/// Made when it is looked at, in microseconds, and kept for a while (``TreeState/view(_:)``).
struct EntryView: Sendable {
  struct Field: Sendable {
    /// What tells it apart (``FieldNames/distinctKeys(_:)``).
    let key: [UInt8]
    /// Its place in the entry's strings.
    let place: Int
    let fileName: [UInt8]
    let value: StoredText
    let isProtected: Bool
  }

  struct Attachment: Sendable {
    /// What tells it apart.
    let name: [UInt8]
    /// Its place in the entry's attachments.
    let place: Int
    let fileName: [UInt8]
    let content: AttachmentContent
  }

  let entry: Entry
  /// The same with new fields that aren't in the document yet: what codes are made from.
  let filled: Entry
  let times: Times
  /// All but the title, in file order.
  let fields: [Field]
  let attachments: [Attachment]
  let hasTags: Bool
  let hasExpiry: Bool
  let timeCode: CodeState
  let counterCode: CodeState

  /// Whether the entry has a one-time code, or why not.
  enum CodeState: Hashable, Sendable {
    case absent, present
    case failure(OneTimeFailure)

    init(_ result: OneTimeCodeResult) {
      self =
        switch result {
        case .absent: .absent
        case .code: .present
        case .failure(let failure): .failure(failure)
        }
    }
  }

  init(_ entry: Entry, filled: Entry? = nil, in vault: Vault, isVersion: Bool = false) {
    self.entry = entry
    let filled = filled ?? entry
    self.filled = filled
    times = entry.times
    fields = Self.fields(of: entry)
    attachments = Self.attachments(of: entry)
    hasTags = !Tags.parse(entry.tags).isEmpty
    hasExpiry = !ExpiryText.fileText(times).isEmpty
    timeCode = isVersion ? .absent : CodeState(vault.oneTimeCode(of: filled, at: 0))
    counterCode = isVersion ? .absent : CodeState(vault.counterCode(of: filled))
  }

  private static func fields(of entry: Entry) -> [Field] {
    let strings = entry.strings
    let keys = FieldNames.distinctKeys(strings.map(\.key))
    var taken: Set<[UInt8]> = []
    var fields: [Field] = []
    for (place, string) in strings.enumerated() where keys[place] != FieldKey.title {
      let key = keys[place]
      let fileName =
        FieldNames.standardFileName(of: key)
        ?? FieldNames.fileName(of: key, in: .entry) { taken.contains($0) }
      if fileName.count >= NameCoding.limit { taken.insert(fileName) }
      fields.append(
        Field(
          key: key, place: place, fileName: fileName, value: string.value,
          isProtected: string.isProtected))
    }
    return fields
  }

  private static func attachments(of entry: Entry) -> [Attachment] {
    let all = entry.attachments
    guard !all.isEmpty else { return [] }
    let names = FieldNames.distinctKeys(all.map(\.name))
    var taken: Set<[UInt8]> = []
    return all.enumerated().map { place, attachment in
      let fileName = FieldNames.fileName(of: names[place], in: .attachments) {
        taken.contains($0)
      }
      if fileName.count >= NameCoding.limit { taken.insert(fileName) }
      return Attachment(
        name: names[place], place: place, fileName: fileName, content: attachment.content)
    }
  }

  func field(_ key: [UInt8]) -> Field? { fields.last { $0.key == key } }
  func field(named fileName: [UInt8]) -> Field? { fields.last { $0.fileName == fileName } }
  func attachment(_ name: [UInt8]) -> Attachment? { attachments.last { $0.name == name } }
  func attachment(named fileName: [UInt8]) -> Attachment? {
    attachments.last { $0.fileName == fileName }
  }

  /// Whether the document has the item, whatever the tree shows.
  func has(_ key: ItemKey) -> Bool {
    switch key {
    // The four standard fields are always there.
    case .field(let key): FieldNames.standardFileName(of: key) != nil || field(key) != nil
    case .tags: hasTags
    case .expires: hasExpiry
    case .totp: timeCode == .present
    case .hotp: counterCode == .present
    case .attachments: !attachments.isEmpty
    case .attachment(let name): attachment(name) != nil
    case .history: true
    case .version, .inVersion: false
    }
  }
}

/// The old versions of an entry, under the names of their directories.
struct VersionList: Sendable {
  /// Oldest first, as in the file.
  let versions: [(name: [UInt8], entry: Entry)]

  init(of entry: Entry) {
    var taken: [[UInt8]: Int] = [:]
    versions = entry.history.map { version in
      let time = version.times.lastModification ?? .earliest
      let name = time.isoBytes
      let number = taken[name, default: 0] + 1
      taken[name] = number
      return (number == 1 ? name : FieldNames.numbered(name, number), version)
    }
  }

  func version(named name: [UInt8]) -> Entry? { versions.first { $0.name == name }?.entry }
}
