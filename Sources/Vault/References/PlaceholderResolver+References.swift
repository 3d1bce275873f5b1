import ByteCoding
import KDBX
import Secrets

extension PlaceholderResolver {
  /// `{REF:W@S:text}`: the field W of the first entry whose S is exactly `text`.
  ///
  /// The whole tree is searched, the recycle bin too. The parameter is what follows `REF:`.
  mutating func reference(_ text: Span<UInt8>) -> Answer {
    guard text.count > 4, text[1] == UInt8(ascii: "@"), text[3] == UInt8(ascii: ":") else {
      return .none
    }
    let wanted = lowercased(text[0])
    let wantsUUID = wanted == UInt8(ascii: "i")
    guard wantsUUID || Self.field(letter: wanted) != nil,
      let id = entry(where: lowercased(text[2]), is: text.extracting(4..<text.count))
    else { return .none }
    let entry = vault.document.entry(id)
    if wantsUUID { return .plain(entry.uuid.hex(uppercase: true)) }
    guard let key = Self.field(letter: wanted) else { return .none }
    return .field(key, of: Place(entry: entry, group: vault.document.parent(of: .entry(id))))
  }

  private static func field(letter: UInt8) -> [UInt8]? {
    switch letter {
    case UInt8(ascii: "t"): FieldKey.title
    case UInt8(ascii: "u"): FieldKey.userName
    case UInt8(ascii: "p"): FieldKey.password
    case UInt8(ascii: "a"): FieldKey.url
    case UInt8(ascii: "n"): FieldKey.notes
    default: nil
    }
  }

  private mutating func entry(where letter: UInt8, is text: Span<UInt8>) -> EntryID? {
    switch letter {
    case UInt8(ascii: "i"):
      guard let bytes = Hex.decode(text), let uuid = VaultUUID(bytes.span) else { return nil }
      return vault.findEntry(uuid)
    case UInt8(ascii: "t"):
      guard maySearch() else { return nil }
      let title = text.copied()
      return vault.document.allEntries.first {
        vault.document.summary(of: .entry($0)).name == title
      }
    case UInt8(ascii: "o"):
      guard maySearch() else { return nil }
      return firstEntry { entry in
        for field in entry.strings where !FieldKey.isStandard(field.key) {
          if holds(field.value, text) { return true }
        }
        return false
      }
    default:
      guard let key = Self.field(letter: letter), maySearch() else { return nil }
      return firstEntry { entry in
        guard let field = entry.string(key) else { return false }
        return holds(field.value, text)
      }
    }
  }

  private mutating func maySearch() -> Bool {
    searchCount += 1
    return searchCount <= Self.searchLimit
  }

  private func firstEntry(where isWanted: (Entry) -> Bool) -> EntryID? {
    vault.document.allEntries.first { isWanted(vault.document.entry($0)) }
  }

  /// Whether a value has exactly these bytes; looks inside only where the length fits.
  private func holds(_ value: StoredText, _ text: Span<UInt8>) -> Bool {
    guard vault.document.values.count(of: value) == text.count else { return false }
    var bytes = WipedBuffer(capacity: text.count)
    vault.document.values.open(value, into: &bytes)
    return constantTimeEqual(bytes.bytes, text)
  }
}
