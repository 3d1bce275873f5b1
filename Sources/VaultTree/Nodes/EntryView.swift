import KDBX
import Secrets
import Vault

/// An entry of the document, taken apart into files: which there are, and where their values lie.
///
/// Made when it is looked at, in microseconds, and kept for a while (``TreeState/view(_:)``). It never
/// changes, holds no value, and isn't the entry: that is parsed again by who needs all of it.
final class EntryView: Sendable {
  struct Field: Sendable {
    /// What tells it apart (``FieldNames/distinctKeys(_:)``).
    let key: [UInt8]
    /// Its place in the entry's strings.
    let place: Int
    let fileName: [UInt8]
    let value: StoredText
    let isProtected: Bool
    /// Whether the value may hold references or placeholders; most hold none, and are shown as they
    /// stand.
    let mayRefer: Bool
  }

  struct Attachment: Sendable {
    /// What tells it apart.
    let name: [UInt8]
    /// Its place in the entry's attachments.
    let place: Int
    let fileName: [UInt8]
    let content: AttachmentContent
  }

  /// The times that files show.
  let modified: VaultTime?
  let accessed: VaultTime?
  /// All but the title, in file order.
  let fields: [Field]
  let attachments: [Attachment]
  /// What the files `tags` and `expires` show.
  let tags: [UInt8]
  let expires: [UInt8]
  /// Whether it has a field that may hold the secret of one-time codes.
  let mayHaveCode: Bool

  init(_ entry: Entry, in values: ValueSource) {
    let times = entry.times
    modified = times.lastModification
    accessed = times.lastAccess
    let strings = entry.strings
    fields = Self.fields(strings, values)
    attachments = Self.attachments(of: entry)
    tags = Tags.fileText(entry.tags)
    expires = ExpiryText.fileText(times)
    mayHaveCode = strings.contains { Vault.mayHoldOneTimeSecret($0.key) }
  }

  private static func fields(_ strings: [StringField], _ values: ValueSource) -> [Field] {
    let keys = FieldNames.distinctKeys(strings.map(\.key))
    var taken: Set<[UInt8]> = []
    var fields: [Field] = []
    fields.reserveCapacity(strings.count)
    for (place, string) in strings.enumerated() where keys[place] != FieldKey.title {
      let names = names(of: keys[place], &taken)
      fields.append(
        Field(
          key: names.key, place: place, fileName: names.fileName, value: string.value,
          isProtected: string.isProtected, mayRefer: mayRefer(string.value, values)))
    }
    return fields
  }

  /// A key and its file name, which share their memory with those of other entries where they can.
  private static func names(
    of key: [UInt8], _ taken: inout Set<[UInt8]>
  ) -> (key: [UInt8], fileName: [UInt8]) {
    if let names = FieldNames.standardNames(of: key) { return names }
    let fileName = FieldNames.fileName(of: key, in: .entry) { taken.contains($0) }
    if fileName.count >= NameCoding.limit { taken.insert(fileName) }
    return (key, fileName)
  }

  private static func mayRefer(_ value: StoredText, _ values: ValueSource) -> Bool {
    // The shortest that means anything is `{T:}`-like.
    guard values.count(of: value) >= 3 else { return false }
    var text = WipedBuffer()
    values.open(value, into: &text)
    return Vault.mayHavePlaceholders(text.bytes)
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

  /// Where a field stands in ``fields``, for who needs little of it: a copy of all of it counts references
  /// to its names.
  func index(of key: [UInt8]) -> Int? { fields.lastIndex { $0.key == key } }
  func field(_ key: [UInt8]) -> Field? { index(of: key).map { fields[$0] } }
  func field(named fileName: [UInt8]) -> Field? {
    fields.lastIndex { $0.fileName == fileName }.map { fields[$0] }
  }
  func attachment(_ name: [UInt8]) -> Attachment? {
    attachments.lastIndex { $0.name == name }.map { attachments[$0] }
  }
  func attachment(named fileName: [UInt8]) -> Attachment? {
    attachments.lastIndex { $0.fileName == fileName }.map { attachments[$0] }
  }

  /// Whether the document has the item, whatever the tree shows; not for codes, which take more than a
  /// look (``TreeState/codes(_:)``).
  func has(_ key: ItemKey) -> Bool {
    switch key {
    // The four standard fields are always there.
    case .field(let key): index(of: key) != nil || FieldNames.isShownStandard(key)
    case .tags: !tags.isEmpty
    case .expires: !expires.isEmpty
    case .attachments: !attachments.isEmpty
    case .attachment(let name): attachment(name) != nil
    case .history, .json, .env: true
    case .totp, .hotp, .version, .inVersion: false
    }
  }
}

/// Views of entries that were lately looked at: one at most for each place, which owner numbers take by
/// turns.
///
/// Numbers are running, so as many entries as there are places have one each. A place is found without a
/// hash: this is asked at each open.
struct ViewCache: Sendable {
  /// A power of two, so that a place is found without a division.
  private static let limit = 16_384

  /// As many as have been needed.
  private var places: [(owner: UInt64, view: EntryView)?] = []

  /// The view of an owner.
  subscript(owner: UInt64) -> EntryView? {
    let place = Self.place(of: owner)
    guard place < places.count, let kept = places[place], kept.owner == owner else { return nil }
    return kept.view
  }

  mutating func keep(_ view: EntryView, of owner: UInt64) {
    places.put((owner, view), at: Self.place(of: owner))
  }

  mutating func forget(_ owner: UInt64) {
    if self[owner] != nil { places[Self.place(of: owner)] = nil }
  }

  private static func place(of owner: UInt64) -> Int { Int(owner % UInt64(limit)) }
}

/// Whether an entry has one-time codes, or why not.
struct EntryCodes: Hashable, Sendable {
  enum State: Hashable, Sendable {
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

  /// The file `totp`.
  var time = State.absent
  /// The file `hotp`.
  var counter = State.absent

  /// Why the secret gives no code.
  var failure: OneTimeFailure? {
    for case .failure(let failure) in [time, counter] { return failure }
    return nil
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
