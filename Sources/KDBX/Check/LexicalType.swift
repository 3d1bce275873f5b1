import ByteCoding

/// What the text of an element must be (`docs/kdbx.md` 5.1), and how it is mended.
///
/// What programs do with other texts was tried with KeePass 2.47 and KeePassXC 2.7.4.
enum LexicalType {
  /// What a program takes that doesn't find it.
  case boolean(default: Bool)
  /// A boolean that may be inherited.
  case nullableBoolean
  case integer(default: Int32)
  /// A UUID that refers to something, or to nothing.
  case reference
  case colour
  case time

  /// The type of an element that holds neither free text nor what names the thing itself.
  init?(_ kind: ElementKind, in container: KnownElements) {
    switch kind {
    case .expires, .protectTitle, .protectUserName, .protectURL, .protectNotes,
      .masterKeyChangeForceOnce:
      self = .boolean(default: false)
    case .isExpanded, .qualityCheck, .enabled, .recycleBinEnabled, .protectPassword:
      self = .boolean(default: true)
    case .enableAutoType, .enableSearching: self = .nullableBoolean
    case .iconID: self = .integer(default: container == .group ? 48 : 0)
    case .usageCount, .dataTransferObfuscation: self = .integer(default: 0)
    case .maintenanceHistoryDays: self = .integer(default: 365)
    // No limit: what can't be read must not make a program drop old versions.
    case .masterKeyChangeRec, .masterKeyChangeForce, .historyMaxItems, .historyMaxSize:
      self = .integer(default: -1)
    case .customIconUUID, .previousParentGroup, .lastTopVisibleEntry, .recycleBinUUID,
      .entryTemplatesGroup, .lastSelectedGroup, .lastTopVisibleGroup:
      self = .reference
    case .color, .foregroundColor, .backgroundColor: self = .colour
    case let kind where kind.isTime: self = .time
    default: return nil
    }
  }
}

/// What is wrong with a text, and what would be right; nil where nothing can take its place.
struct LexicalFault {
  let fault: Fault
  let mended: [UInt8]?

  init(_ fault: Fault, mended: [UInt8]?) {
    self.fault = fault
    self.mended = mended
  }

  fileprivate init(_ fault: Fault, mended: String) {
    self.init(fault, mended: Array(mended.utf8))
  }
}

extension LexicalType {
  /// What is wrong with `text`; nil if nothing is.
  ///
  /// `substitute` takes the place of a time that can't be read.
  func fault(
    in text: [UInt8], version: FormatVersion, substitute: VaultTime
  ) -> LexicalFault? {
    switch self {
    case .boolean(let usual): Self.booleanFault(text, usual)
    case .nullableBoolean: Self.nullableFault(text)
    case .integer(let usual): Self.integerFault(text, usual)
    case .reference: Self.referenceFault(text)
    case .colour: Self.colourFault(text)
    case .time: TimeText(text, version).fault(version, substitute: substitute)
    }
  }

  private static func booleanFault(_ text: [UInt8], _ usual: Bool) -> LexicalFault? {
    if text == Array("True".utf8) || text == Array("False".utf8) { return nil }
    let usualText = usual ? "True" : "False"
    if text.isEmpty { return LexicalFault(.booleanSpelling, mended: usualText) }
    guard let value = boolean(text) else { return LexicalFault(.badBoolean, mended: usualText) }
    return LexicalFault(.booleanSpelling, mended: value ? "True" : "False")
  }

  private static func nullableFault(_ text: [UInt8]) -> LexicalFault? {
    let isNull = text.count == 4 && XMLText.isAt(0, in: text.span, "null", ignoringCase: true)
    if isNull || boolean(text) != nil { return nil }
    return LexicalFault(.badBoolean, mended: "null")
  }

  /// `true` and `false` in any case.
  private static func boolean(_ text: [UInt8]) -> Bool? {
    if text.count == 4, XMLText.isAt(0, in: text.span, "true", ignoringCase: true) { return true }
    if text.count == 5, XMLText.isAt(0, in: text.span, "false", ignoringCase: true) {
      return false
    }
    return nil
  }

  private static func integerFault(_ text: [UInt8], _ usual: Int32) -> LexicalFault? {
    // Both programs take white space around a number.
    var digits = text.drop { XMLCharacters.isSpace($0) }
    while let last = digits.last, XMLCharacters.isSpace(last) { digits.removeLast() }
    let number = String(decoding: digits, as: UTF8.self)
    if Int32(number) != nil { return nil }
    guard let large = Int64(number) else { return LexicalFault(.badInteger, mended: "\(usual)") }
    return LexicalFault(.badInteger, mended: "\(Int32(clamping: large))")
  }

  private static func referenceFault(_ text: [UInt8]) -> LexicalFault? {
    if text.isEmpty || VaultUUID(base64: text.span) != nil { return nil }
    return LexicalFault(.badUUID, mended: VaultUUID.zero.base64)
  }

  /// The words that every reader of HTML's colours knows.
  private static let colourWords: Set<String> = [
    "aqua", "black", "blue", "fuchsia", "gray", "green", "lime", "maroon", "navy", "olive",
    "orange", "purple", "red", "silver", "teal", "white", "yellow",
  ]

  private static func colourFault(_ text: [UInt8]) -> LexicalFault? {
    let digits = text.first == UInt8(ascii: "#") ? text.dropFirst() : text[...]
    let isHex = digits.allSatisfy { digit in
      (0x30...0x39).contains(digit) || (0x41...0x46).contains(digit & 0xDF)
    }
    if text.isEmpty { return nil }
    if digits.count < text.count, isHex, (1...8).contains(digits.count) { return nil }
    if text.count <= 9, text.allSatisfy({ (0x30...0x39).contains($0) }) { return nil }
    let isWord = text.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
    guard isWord else { return LexicalFault(.badColour, mended: []) }
    let word = String(decoding: text, as: UTF8.self).lowercased()
    // Any other word may be a colour that KeePass knows: it is left.
    return colourWords.contains(word) ? nil : LexicalFault(.badColour, mended: nil)
  }
}

/// How a time is written.
private enum TimeText {
  case text(VaultTime)
  /// Seconds since year 1, as KDBX 4 counts.
  case count(Int64)
  case nothing
  case unreadable

  init(_ text: [UInt8], _ version: FormatVersion) {
    if text.isEmpty {
      self = .nothing
    } else if VaultTime.isText(text.span), let time = VaultTime(text: text.span) {
      self = .text(time)
    } else if let bytes = try? Base64.decode(text.span), !bytes.isEmpty {
      var value: UInt64 = 0
      for (i, byte) in bytes.prefix(8).enumerated() { value |= UInt64(byte) << UInt64(8 * i) }
      self = .count(Int64(bitPattern: value))
    } else {
      self = .unreadable
    }
  }

  private static let lastCount = VaultTime.latest.unixSeconds + VaultTime.secondsBeforeUnix

  func fault(_ version: FormatVersion, substitute: VaultTime) -> LexicalFault? {
    version.major >= 4
      ? faultInVersion4(version, substitute) : faultInVersion3(version, substitute)
  }

  private func faultInVersion4(
    _ version: FormatVersion, _ substitute: VaultTime
  ) -> LexicalFault? {
    switch self {
    // It stands for year 1.
    case .nothing: return nil
    case .text(let time): return LexicalFault(.timeAsText, mended: time.text(for: version))
    case .unreadable: return LexicalFault(.badTime, mended: substitute.text(for: version))
    case .count(let count):
      if (0...Self.lastCount).contains(count) { return nil }
      let held: VaultTime = count < 0 ? .earliest : .latest
      return LexicalFault(.timeOutOfRange, mended: held.text(for: version))
    }
  }

  private func faultInVersion3(
    _ version: FormatVersion, _ substitute: VaultTime
  ) -> LexicalFault? {
    switch self {
    case .nothing, .unreadable:
      return LexicalFault(.timeTakenForNow, mended: substitute.text(for: version))
    case .text(let time):
      if (VaultTime.earliest...VaultTime.latest).contains(time) { return nil }
      return LexicalFault(.timeTakenForNow, mended: time.text(for: version))
    case .count(let count):
      let (seconds, overflow) = count.subtractingReportingOverflow(VaultTime.secondsBeforeUnix)
      let time: VaultTime = overflow ? .earliest : VaultTime(unixSeconds: seconds)
      return LexicalFault(.timeTakenForNow, mended: time.text(for: version))
    }
  }
}
