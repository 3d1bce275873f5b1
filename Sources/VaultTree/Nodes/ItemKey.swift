import KDBX
import Vault

/// Names a file or directory of an entry, however it is spelt.
enum ItemKey: Hashable, Sendable {
  /// A field, under the key that tells it apart (``FieldNames/distinctKeys(_:)``).
  case field([UInt8])
  case tags, expires, totp, hotp
  /// The directory of attachments.
  case attachments
  case attachment([UInt8])
  /// The directory of old versions.
  case history
  /// The directory of one old version, under its name there.
  case version([UInt8])
  /// A file or directory of an old version.
  indirect case inVersion([UInt8], ItemKey)
  /// All of the entry as JSON, or as variables of a shell.
  case json, env

  /// Whether it is a directory.
  var isDirectory: Bool {
    switch self {
    case .attachments, .history, .version: true
    case .inVersion(_, let key): key.isDirectory
    case .field, .tags, .expires, .totp, .hotp, .attachment, .json, .env: false
    }
  }

  /// Whether it can't be changed: what belongs to an old version, and views.
  var isReadOnly: Bool {
    switch self {
    case .history, .version, .inVersion, .json, .env: true
    case .field, .tags, .expires, .totp, .hotp, .attachments, .attachment: false
    }
  }

  /// Whether it is listed only while it holds something.
  var isUnlistedWhenEmpty: Bool {
    switch self {
    case .tags, .expires, .totp, .hotp: true
    case .field, .attachments, .attachment, .history, .version, .inVersion, .json, .env: false
    }
  }

  /// Whether it is a one-time code.
  var isCode: Bool { self == .totp || self == .hotp }

  /// Whether its content is made anew at each open.
  var isGenerated: Bool { isCode || self == .json || self == .env }

  /// Whether its size can be another at each open.
  ///
  /// The codes of a secret all have as many digits, and an edit of the secret tells the kernel of its code,
  /// too. So the kernel may keep their attributes: to ask for those of one file in a hundred made `stat` of
  /// all of them a sixth slower.
  var hasPassingSize: Bool { isGenerated && self != .totp }
}

/// Where names stand that can be temporary: a directory that may hold files.
enum FileDirectory: Hashable, Sendable {
  /// An entry, by its owner number.
  case entry(UInt64)
  /// An entry's attachments.
  case attachments(UInt64)
  /// A directory that is no group and no entry yet.
  case folder(UInt64)
}

/// Names a temporary file, symbolic link included.
struct ScratchID: Hashable, Sendable {
  let number: UInt64
}

/// What a node number stands for.
enum NodeMeaning: Hashable, Sendable {
  /// A group, or a directory that is no group and no entry yet, by its owner number.
  case folder(UInt64)
  /// An entry's directory, by its owner number.
  case entry(UInt64)
  /// A file or directory of an entry.
  case item(UInt64, ItemKey)
  /// The notes of a group.
  case groupNotes(UInt64)
  case scratch(ScratchID)
  /// A directory below `.kdbxfs`, or itself.
  case view(ViewDirectory)
  /// A link there to a group or entry, by its owner number.
  case link(UInt64, ViewLink)
  /// A file there that makes passwords.
  case generated(GeneratedFile)
  /// Nothing any more: removed, replaced, or made up.
  case dead
}

/// How node numbers are made up.
///
/// Groups, entries and temporary files take a running *owner number*. A file of an entry has its
/// entry's owner number and a *slot*, which follows from the entry as it is first seen: so a number
/// can be told again after the node was forgotten. What is made or changed later takes a new owner
/// number of its own.
enum Slot {
  /// The bits of a node number that hold the slot.
  static let bits: UInt64 = 28
  private static let mask: UInt64 = (1 << bits) - 1

  /// The owner's own directory or file.
  ///
  /// The root has owner number 0, and so node number 1.
  static let own: UInt64 = 1
  static let groupNotes: UInt64 = 2
  /// Links to a group or entry.
  static let linkByUUID: UInt64 = 14
  static let linkInDirectory: UInt64 = 15
  static let firstField: UInt64 = 1 << 12
  static let firstAttachment: UInt64 = 1 << 27

  static func node(_ owner: UInt64, _ slot: UInt64) -> NodeID {
    NodeID(rawValue: owner << bits | slot & mask)
  }

  static func link(_ owner: UInt64, _ link: ViewLink) -> NodeID {
    node(owner, link == .byUUID ? linkByUUID : linkInDirectory)
  }

  /// The link that a slot stands for; nil for another slot.
  static func link(of slot: UInt64) -> ViewLink? {
    switch slot {
    case linkByUUID: .byUUID
    case linkInDirectory: .inDirectory
    default: nil
    }
  }

  /// The directories below `.kdbxfs` have numbers of their own, far above all others.
  static func view(_ number: UInt64) -> NodeID { NodeID(rawValue: NodeID.firstView + number) }

  static func owner(of node: NodeID) -> UInt64 { node.rawValue >> bits }
  static func slot(of node: NodeID) -> UInt64 { node.rawValue & mask }

  /// The items that every entry has a slot for.
  static let fixed: [(slot: UInt64, key: ItemKey)] = [
    (2, .field(FieldKey.userName)), (3, .field(FieldKey.password)), (4, .field(FieldKey.url)),
    (5, .field(FieldKey.notes)), (6, .totp), (7, .hotp), (8, .tags), (9, .expires),
    (10, .attachments), (11, .history), (12, .json), (13, .env),
  ]
  private static let fixedSlots = Dictionary(
    uniqueKeysWithValues: fixed.map { ($0.key, $0.slot) })

  static func fixedSlot(of key: ItemKey) -> UInt64? {
    switch key {
    case .attachment, .version, .inVersion: nil
    case .field(let key) where !FieldNames.isShownStandard(key): nil
    default: fixedSlots[key]
    }
  }

  static func fixedKey(of slot: UInt64) -> ItemKey? {
    guard let first = fixed.first, slot >= first.slot, slot < first.slot + UInt64(fixed.count)
    else { return nil }
    return fixed[Int(slot - first.slot)].key
  }
}
