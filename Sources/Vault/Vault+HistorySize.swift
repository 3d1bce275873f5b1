import KDBX
import Secrets

extension Vault {
  /// The size of an old version as KeePass reckons it, in bytes: what HistoryMaxSize limits.
  ///
  /// About 276, 40 a field, 65 an attachment, 24 an auto-type association, 8 a tag, 16 a plug-in's
  /// data, two for each character (UTF-16 unit) of all texts, and the contents of the attachments,
  /// shared ones too (`docs/kdbx.md` 6.2).
  func size(of item: Entry) -> Int64 {
    var size: Int64 = 276
    for field in item.strings {
      size += 40 + 2 * (units(in: field.key.span) + units(in: field.value))
    }
    for attachment in item.attachments {
      let content = (try? document.count(of: attachment.content)) ?? 0
      size += 65 + 2 * units(in: attachment.name.span) + Int64(content)
    }
    for tag in Tags.parse(item.tags) { size += 8 + 2 * units(in: tag.span) }
    for association in item.associations {
      size += 24 + 2 * (units(in: association.window) + units(in: association.sequence))
    }
    for data in item.dataItems { size += 16 + 2 * (units(in: data.key) + units(in: data.value)) }
    size += 2 * (units(in: item.overrideURL) + units(in: item.defaultSequence))
    return size
  }

  private func units(in value: StoredText) -> Int64 {
    var text = WipedBuffer()
    document.values.open(value, into: &text)
    return units(in: text.bytes)
  }

  /// The number of UTF-16 units of UTF-8 text.
  private func units(in text: Span<UInt8>) -> Int64 {
    var count: Int64 = 0
    for i in text.indices where text[i] & 0xC0 != 0x80 { count += text[i] >= 0xF0 ? 2 : 1 }
    return count
  }
}
