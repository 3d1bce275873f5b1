import Ciphers

/// A group or an entry of KeePass 1 as a list of fields: a number, a size, that many bytes, and a
/// field 0xFFFF at the end (`docs/kdbx.md` 11).
struct KDBRecord {
  /// Where each field's bytes are; of a repeated one the last.
  private var ranges: [UInt16: Range<Int>] = [:]

  private static let end: UInt16 = 0xFFFF

  /// Takes one record off the front.
  init(reading reader: inout FileReader) throws(KDBXError) {
    while true {
      let id = try reader.takeUInt16()
      let data = try reader.takeCounted()
      if id == Self.end { return }
      ranges[id] = (reader.offset - data.count)..<reader.offset
    }
  }

  subscript(id: UInt16) -> Range<Int> { ranges[id] ?? 0..<0 }

  /// A number of four bytes; `nil` if there is none.
  func number(_ id: UInt16, in content: Span<UInt8>) -> UInt32? {
    littleEndian([UInt8](copying: content.extracting(self[id])))
  }

  /// A text, which ends at its first NUL.
  func text(_ id: UInt16, in content: Span<UInt8>) -> Range<Int> {
    let range = self[id]
    let end = range.first { content[$0] == 0 } ?? range.upperBound
    return range.lowerBound..<end
  }

  /// A time; `nil` if there is none.
  func time(_ id: UInt16, in content: Span<UInt8>) -> VaultTime? {
    VaultTime(packed: content.extracting(self[id]))
  }

  /// Whether what was decrypted begins with a field that a first record has, so that the key was right:
  /// by chance one in 2^40 does.
  static func beginsHonestly(_ content: Span<UInt8>) -> Bool {
    guard content.count >= 6 else { return false }
    let id = UInt16(content[0]) | UInt16(content[1]) << 8
    let size = littleEndian([UInt8](copying: content.extracting(2..<6))) ?? 0
    switch id {
    case 0: return size > 0 && size < 1 << 12
    case 1: return size == 4 || size == 16
    default: return false
    }
  }
}

extension VaultTime {
  /// What KeePass 1 has for "never".
  static let keePass1Never = VaultTime(unixSeconds: 32_503_420_799)

  /// Reads KeePass 1's five bytes: from the highest bit on 14 of the year, 4 of the month, 5 of the
  /// day, 5 of the hour, 6 of the minute, 6 of the second.
  ///
  /// `nil` for any other number of bytes and for what is no time. It was a local time of a zone that
  /// nobody noted, and is taken for UTC, as KeePassXC does.
  init?(packed bytes: Span<UInt8>) {
    guard bytes.count == 5 else { return nil }
    var bits: UInt64 = 0
    for i in 0..<5 { bits = bits << 8 | UInt64(bytes[i]) }
    let fields: [(mark: StaticString, value: UInt64, digits: Int)] = [
      ("", bits >> 26 & 0x3FFF, 4), ("-", bits >> 22 & 0xF, 2), ("-", bits >> 17 & 0x1F, 2),
      ("T", bits >> 12 & 0x1F, 2), (":", bits >> 6 & 0x3F, 2), (":", bits & 0x3F, 2),
    ]
    var text: [UInt8] = []
    for field in fields {
      text += "\(field.mark)".utf8
      let digits = Array(String(field.value).utf8)
      text += repeatElement(UInt8(ascii: "0"), count: max(0, field.digits - digits.count)) + digits
    }
    self.init(text: text.span)
  }
}
