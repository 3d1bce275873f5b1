/// Tags as the vault keeps them, one text, and as people read them, a list.
///
/// Programs disagree on what stands between two tags: KeePass writes `;`, KeePassXC `,`, and all
/// read both. So both divide, blanks around a tag don't count, and an empty one is none.
package enum Tags {
  /// Takes the stored text apart.
  package static func parse(_ raw: [UInt8]) -> [[UInt8]] {
    raw.split { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
      .map { trimmed($0) }
      .filter { !$0.isEmpty }
  }

  /// Puts tags together as we store them: with `;`, as KeePass does.
  package static func stored(_ tags: [[UInt8]]) -> [UInt8] {
    Array(tags.joined(separator: [UInt8(ascii: ";")]))
  }

  /// What the file `tags` shows: one tag a line, no line feed after the last.
  package static func fileText(_ raw: [UInt8]) -> [UInt8] {
    Array(parse(raw).joined(separator: [UInt8(ascii: "\n")]))
  }

  /// Why a line of the file `tags` is no tag.
  package enum Problem: Error, Hashable {
    /// A `,` or `;`, which would divide it.
    case separator
    /// A blank at its start or end, which would be lost.
    case outerBlank
    /// A control character.
    case control
  }

  /// Reads what was written to the file `tags`; empty lines are none.
  package static func parse(fileText: [UInt8]) throws(Problem) -> [[UInt8]] {
    var tags: [[UInt8]] = []
    for line in fileText.split(separator: UInt8(ascii: "\n")) {
      let tag = Array(line)
      if tag.contains(UInt8(ascii: ",")) || tag.contains(UInt8(ascii: ";")) {
        throw .separator
      }
      if tag.contains(where: { $0 < 0x20 || $0 == 0x7F }) { throw .control }
      if trimmed(tag[...]).count != tag.count { throw .outerBlank }
      tags.append(tag)
    }
    return tags
  }

  /// What to store when `fileText` is written over `raw`; nil when the tags stay as they are, and
  /// with them the text as another program spelt it.
  package static func stored(
    writing fileText: [UInt8], over raw: [UInt8]
  ) throws(Problem) -> [UInt8]? {
    guard fileText != Self.fileText(raw) else { return nil }
    let tags = try parse(fileText: fileText)
    return tags == parse(raw) ? nil : stored(tags)
  }

  private static func trimmed(_ tag: ArraySlice<UInt8>) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    guard let first = tag.firstIndex(where: { !isBlank($0) }),
      let last = tag.lastIndex(where: { !isBlank($0) })
    else { return [] }
    return Array(tag[first...last])
  }
}
