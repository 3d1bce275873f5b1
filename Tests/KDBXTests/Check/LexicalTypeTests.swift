import Testing

@testable import KDBX

/// What programs do with such texts was tried with KeePass 2.47 and KeePassXC 2.7.4.
@Suite struct LexicalTypeTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var kind: ElementKind
    var container: KnownElements
    var version: FormatVersion
    var text: String
    /// nil: nothing is wrong.
    var fault: Fault?
    var mended: String?

    init(
      _ kind: ElementKind, _ text: String, _ fault: Fault?, _ mended: String? = nil,
      in container: KnownElements = .entry, version: FormatVersion = .kdbx40
    ) {
      self.kind = kind
      self.container = container
      self.version = version
      self.text = text
      self.fault = fault
      self.mended = mended
    }

    var testDescription: String { "\(kind) '\(text)' in KDBX \(version)" }
  }

  static let booleans = [
    Sample(.expires, "True", nil), Sample(.expires, "False", nil),
    Sample(.expires, "TRUE", .booleanSpelling, "True"),
    Sample(.expires, "false", .booleanSpelling, "False"),
    Sample(.expires, "", .booleanSpelling, "False"),
    Sample(.isExpanded, "", .booleanSpelling, "True"),
    Sample(.expires, "1", .badBoolean, "False"), Sample(.enabled, " True", .badBoolean, "True"),
    Sample(.protectPassword, "yes", .badBoolean, "True"),
    Sample(.enableAutoType, "null", nil), Sample(.enableSearching, "Null", nil),
    Sample(.enableSearching, "TRUE", nil), Sample(.enableSearching, "false", nil),
    Sample(.enableSearching, "", .badBoolean, "null"),
    Sample(.enableAutoType, "maybe", .badBoolean, "null"),
  ]

  static let numbers = [
    Sample(.iconID, "0", nil), Sample(.iconID, "99", nil), Sample(.usageCount, " 5 ", nil),
    Sample(.usageCount, "2147483647", nil), Sample(.historyMaxItems, "-1", nil),
    Sample(.usageCount, "2147483648", .badInteger, "2147483647"),
    Sample(.historyMaxSize, "99999999999", .badInteger, "2147483647"),
    Sample(.historyMaxSize, "99999999999999999999999", .badInteger, "-1"),
    Sample(.iconID, "", .badInteger, "0"),
    Sample(.iconID, "x", .badInteger, "48", in: .group),
    // A program must not drop old versions by a limit that nobody set.
    Sample(.historyMaxItems, "", .badInteger, "-1"),
    Sample(.maintenanceHistoryDays, "", .badInteger, "365"),
    Sample(.dataTransferObfuscation, "True", .badInteger, "0"),
  ]

  static let others = [
    Sample(.recycleBinUUID, "", nil), Sample(.recycleBinUUID, "AAAAAAAAAAAAAAAAAAAAAA==", nil),
    Sample(.recycleBinUUID, "AAAA", .badUUID, "AAAAAAAAAAAAAAAAAAAAAA=="),
    Sample(.lastTopVisibleEntry, "!", .badUUID, "AAAAAAAAAAAAAAAAAAAAAA=="),
    Sample(.color, "", nil), Sample(.color, "#12ABef", nil), Sample(.color, "#123", nil),
    Sample(.foregroundColor, "123456", nil), Sample(.foregroundColor, "Red", nil),
    Sample(.foregroundColor, "rgb(1,2,3)", .badColour, ""),
    // It may be a word that KeePass knows.
    Sample(.backgroundColor, "Tomato", .badColour),
    Sample(.name, "", nil), Sample(.overrideURL, "True", nil),
  ]

  static let times = [
    Sample(.creationTime, "AOjl3A4AAAA=", nil), Sample(.creationTime, "", nil),
    // 1970-01-01T00:00:00Z.
    Sample(.creationTime, "1970-01-01T00:00:00Z", .timeAsText, "APeRdw4AAAA="),
    Sample(.creationTime, "1970-01-01T01:00:00.5+01:00", .timeAsText, "APeRdw4AAAA="),
    // -5 seconds, and the first second of the year 10000.
    Sample(.expiryTime, "+/////////8=", .timeOutOfRange, "AAAAAAAAAAA="),
    Sample(.expiryTime, "gDiGd0kAAAA=", .timeOutOfRange, "fziGd0kAAAA="),
    Sample(.deletionTime, "hello there", .badTime, "APeRdw4AAAA="),
    Sample(.creationTime, "2023-11-14T22:13:20Z", nil, version: .kdbx31),
    Sample(.creationTime, "2023-11-14T22:13:20.25+02:00", nil, version: .kdbx31),
    Sample(
      .creationTime, "APeRdw4AAAA=", .timeTakenForNow, "1970-01-01T00:00:00Z", version: .kdbx31),
    Sample(.creationTime, "", .timeTakenForNow, "1970-01-01T00:00:00Z", version: .kdbx31),
    Sample(
      .creationTime, "54867-01-01T00:00:00Z", .timeTakenForNow, "9999-12-31T23:59:59Z",
      version: .kdbx31),
  ]

  @Test(arguments: booleans + numbers + others + times)
  func `a text is right, or is mended to what it means`(sample: Sample) {
    let type = LexicalType(sample.kind, in: sample.container)
    let found = type?.fault(
      in: Array(sample.text.utf8), version: sample.version,
      substitute: VaultTime(unixSeconds: 0))
    #expect(found?.fault == sample.fault)
    #expect(found?.mended.map { String(decoding: $0, as: UTF8.self) } == sample.mended)
  }

  @Test(arguments: booleans + numbers + others + times)
  func `what was mended is right`(sample: Sample) {
    let type = LexicalType(sample.kind, in: sample.container)
    guard let mended = sample.mended else { return }
    let found = type?.fault(
      in: Array(mended.utf8), version: sample.version, substitute: VaultTime(unixSeconds: 0))
    #expect(found == nil)
  }
}
