// What is known of each fault: how bad it is, and what the other programs do (`docs/kdbx.md`).

extension Fault {
  struct Facts {
    var level: Level
    var explanation: String
    var consequences: [Consequence]
    var isMendable: Bool

    /// Mended by a repair.
    static func mended(_ explanation: String, _ consequences: Consequence...) -> Facts {
      Facts(
        level: .fault, explanation: explanation, consequences: consequences, isMendable: true)
    }

    /// A fault that can't be mended without losing something.
    static func kept(_ explanation: String, _ consequences: Consequence...) -> Facts {
      Facts(
        level: .fault, explanation: explanation, consequences: consequences, isMendable: false)
    }

    static func note(_ explanation: String, _ consequences: Consequence...) -> Facts {
      Facts(
        level: .note, explanation: explanation, consequences: consequences, isMendable: false)
    }
  }

  var facts: Facts {
    fileFacts ?? documentFacts ?? textFacts ?? identityFacts ?? contentFacts
  }
}

extension Fault.Consequence {
  fileprivate static let keePassRefuses = Self(.keePass, refuses)
  fileprivate static let keePassXCRefuses = Self(.keePassXC, refuses)
  fileprivate static let keePassDrops = Self(.keePass, drops)
  fileprivate static let keePassXCDrops = Self(.keePassXC, drops)
  private static let refuses = "refuses the vault"
  private static let drops = "drops it at its next save"
}

extension Fault {
  /// Of the file and its headers.
  private var fileFacts: Facts? {
    switch self {
    case .trailingBytes:
      .note("bytes follow the end of the vault, and go at the next save of any program")
    case .newerVersion:
      .note("its version is newer than kdbxfs knows all of: it is mounted read-only")
    case .twofish:
      .note(
        "its cipher is Twofish", .init(.keePass, "needs a plug-in to open it"))
    case .fieldOfVersion3:
      .mended("the header has a field that only KDBX 3 has", .keePassRefuses, .keePassXCRefuses)
    case .unknownHeaderField:
      .note(
        "the header has a field that nobody knows", .keePassDrops, .keePassXCDrops,
        .init(.keeWeb, "refuses the vault"), .init(.pykeepass, "refuses the vault"))
    case .publicData:
      .kept("the public data in the header can't be read", .keePassRefuses, .keePassXCRefuses)
    case .kdfIdentifier:
      .mended("the key derivation has a name that only KeePassXC knows", .keePassRefuses)
    case .kdfNumberType:
      .mended("a number of the key derivation has another width than it should", .keePassRefuses)
    case .kdfSecret:
      .note(
        "the key derivation has a secret or data of its own",
        .init(.keePassXC, "leaves it out and can't open the vault"))
    case .saltLength:
      .mended("the salt of the key derivation has an unusual length", .keePassXCRefuses)
    case .innerStream:
      .mended(
        "the protected values are enciphered in a way that its version doesn't have",
        .init(.keePassXC, "can't read them"))
    case .noInnerStream:
      .mended(
        "the protected values are not enciphered", .keePassRefuses, .keePassXCRefuses,
        .init(.pykeepass, "shows them in base64"))
    case .unknownInnerField:
      .note(
        "the inner header has a field that nobody knows", .keePassDrops, .keePassXCDrops)
    case .unusedAttachment:
      .note("no entry has this attachment", .keePassDrops, .keePassXCDrops)
    default: nil
    }
  }

  /// Of the document as a whole.
  private var documentFacts: Facts? {
    switch self {
    case .headerHash:
      .mended("the vault holds the hash of another header", .keePassRefuses)
    case .controlCharacter:
      .mended(
        "there is a character that XML can't hold", .keePassRefuses, .keePassXCRefuses,
        .init(.pykeepass, "refuses the vault"))
    case .protectedSpelling:
      .mended(
        "Protected is spelled otherwise than 'True'",
        .init(.keePass, "takes the value for plain text, and garbles those after it"))
    case .protectedPlain:
      .mended(
        "a value is marked as protected and is plain text",
        .init(.keePassXC, "garbles it and those after it"))
    case .protectedUnknown:
      .mended(
        "an element that programs don't know is protected",
        .init(.keePassXC, "garbles the protected values after it"))
    case .unknownElement:
      .note(
        "there is an element that KeePass doesn't know", .keePassDrops, .keePassXCDrops,
        .init(.keePassDX, "drops it at its next save"), .init(.keePassium, "refuses the vault"))
    case .elementOfVersion41:
      .note("there is an element of KDBX 4.1 in a vault of an earlier version")
    default: nil
    }
  }

  /// Of the texts of the elements.
  private var textFacts: Facts? {
    switch self {
    case .booleanSpelling:
      .mended(
        "a yes or no is spelled otherwise than 'True' or 'False'",
        .init(.keePass, "takes its own default instead"))
    case .badBoolean:
      .mended("a yes or no is neither", .keePassXCRefuses)
    case .badInteger:
      .mended("a number is none, or doesn't fit into 32 bits", .keePassXCRefuses)
    case .badUUID:
      .mended("a UUID can't be read", .keePassRefuses)
    case .badColour:
      .mended("a colour can't be read", .keePassRefuses)
    case .timeAsText:
      .mended("a time is written as text, which KDBX 4 doesn't do", .keePassRefuses)
    case .timeOutOfRange:
      .mended("a time lies outside the years 1 to 9999", .keePassRefuses)
    case .badTime:
      .mended("a time can't be read", .keePassRefuses)
    case .timeTakenForNow:
      .mended(
        "a time can't be read", .init(.keePass, "takes the time at which it opens the vault"),
        .init(.keePassXC, "does too"))
    case .missingTimes:
      .note(
        "it has no times", .init(.keePass, "takes the time at which it opens the vault"))
    default: nil
    }
  }

  /// Of what names a thing.
  private var identityFacts: Facts? {
    switch self {
    case .missingUUID:
      .mended(
        "it has no UUID", .init(.keePass, "gives it another each time it opens the vault"),
        .init(.keePassXC, "does too"))
    case .repeatedEntryUUID:
      .mended(
        "something before it has the same UUID",
        .init(.keePassXC, "loses one of two entries at its next save"))
    case .repeatedGroupUUID:
      .mended(
        "something before it has the same UUID", .init(.keePassXC, "makes one group of two"))
    case .historyUUID:
      .mended(
        "an old version has another UUID than its entry", .init(.keePassXC, "replaces it"))
    case .nestedHistory:
      .mended("an old version has old versions of its own", .keePassXCRefuses)
    case .missingBin:
      .note("the recycle bin that the settings name is not there: the next removal makes one")
    default: nil
    }
  }

  /// Of fields, attachments, icons and plug-in data.
  private var contentFacts: Facts {
    switch self {
    case .incompleteField:
      .mended("a field has no name or no value", .keePassRefuses, .keePassXCRefuses)
    case .repeatedField:
      .mended(
        "several fields have this name", .init(.keePass, "keeps only the last"), .keePassXCRefuses)
    case .unnamedField:
      .note("a field has an empty name", .init(.keeWeb, "drops it at its next save"))
    case .blankValue:
      .mended(
        "the value is only white space, and not marked to be kept",
        .init(.keePass, "reads it as empty"))
    case .badText:
      .kept(
        "the value is no UTF-8", .init(.keePass, "puts other characters into it"),
        .init(.keePassXC, "does too"))
    case .incompleteAttachment:
      .mended("an attachment has no name or no content", .keePassRefuses, .keePassXCRefuses)
    case .repeatedAttachment:
      .mended(
        "several attachments have this name", .init(.keePass, "keeps only the last"),
        .init(.keePassXC, "does too"))
    case .unnamedAttachment:
      .mended("an attachment has an empty name", .init(.keePassXC, "loses its content"))
    case .missingContent:
      .kept(
        "the content of an attachment is not in the vault",
        .init(.keePass, "makes an empty one of it"), .init(.keePassXC, "does too"))
    case .damagedContent:
      .kept("the content of an attachment can't be decoded", .keePassRefuses)
    case .compressedInline:
      .mended(
        "an attachment is compressed inside its entry",
        .init(.keePassXC, "takes the compressed bytes for its content"))
    case .poolNumber:
      .kept("an attachment of the pool has a number that is none", .keePassRefuses)
    case .incompleteAssociation:
      .mended(
        "an auto-type association has no window or no sequence", .keePassRefuses,
        .keePassXCRefuses)
    case .incompleteItem:
      .mended("plug-in data has no name or no value", .keePassXCRefuses)
    case .repeatedItem:
      .mended(
        "several plug-in data have this name", .init(.keePass, "keeps only the last"),
        .init(.keePassXC, "does too"))
    case .incompleteIcon:
      .mended("an icon has no UUID or no picture", .keePassXCRefuses)
    case .repeatedIcon:
      .note("several icons have one UUID", .init(.keePassXC, "gives all but one another"))
    case .missingIcon:
      .kept(
        "its icon is not in the vault", .init(.keePass, "shows the usual one"),
        .init(.keePassXC, "does too"))
    case .incompleteDeletion: .note("the record of a deletion has no UUID or no time")
    case .deletedAlive:
      .note("something that is there is recorded as deleted: a merge may delete it")
    default: .note("")
    }
  }
}
