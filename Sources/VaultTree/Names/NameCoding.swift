import ByteCoding

/// The kind of directory that a name stands in; decides which names are reserved.
package enum NamePlace: Hashable, Sendable {
  /// The top of the mount: a group that has `.kdbxfs` beside its children.
  case top
  case group
  case entry
  case attachments

  /// The names that the tree itself uses here.
  var reserved: [[UInt8]] {
    switch self {
    case .top: ReservedName.atTop
    case .entry: ReservedName.inEntry
    case .group, .attachments: []
    }
  }
}

/// The names that mean something of the tree's own.
enum ReservedName {
  static let username = Array("username".utf8)
  static let password = Array("password".utf8)
  static let url = Array("url".utf8)
  static let notes = Array("notes".utf8)
  static let totp = Array("totp".utf8)
  static let hotp = Array("hotp".utf8)
  static let tags = Array("tags".utf8)
  static let expires = Array("expires".utf8)
  static let attachments = Array("attachments".utf8)
  static let history = Array(".history".utf8)
  static let json = Array(".json".utf8)
  static let env = Array(".env".utf8)
  static let groupNotes = Array(".notes".utf8)
  static let control = Array(".kdbxfs".utf8)

  static let atTop = [control]
  static let inEntry = [
    username, password, url, notes, totp, hotp, tags, expires, attachments, history, json, env,
  ]

  /// All of them, wherever they are reserved.
  static let all = Set(inEntry + atTop + [groupNotes])

  /// Whether a file manager looks for `name` at the top of a file system, to put its trash or marks
  /// there; where it may not be made, it offers to delete instead.
  static func isRefusedAtTop(_ name: [UInt8]) -> Bool {
    name == Array(".Trash".utf8) || name.starts(with: ".Trash-".utf8)
      || name == Array(".xdg-volume-info".utf8) || name == Array("lost+found".utf8)
  }
}

/// How titles, field names and attachment names become file names, and back (`docs/tree.md`).
///
/// The spelling can be turned back and keeps every byte that a file name may have.
package enum NameCoding {
  /// The most bytes of a file name.
  package static let limit = 255

  /// The file name of `name`, however long.
  package static func encoded(_ name: [UInt8], in place: NamePlace) -> [UInt8] {
    if name == [dot] { return escaped([dot]) }
    if name == [dot, dot] { return escaped([dot, dot]) }
    guard name.contains(where: { mayNeedEscape($0) }) else {
      return place.reserved.contains(name) ? escaped(name.prefix(1)) + name.dropFirst() : name
    }
    var result: [UInt8] = []
    result.reserveCapacity(name.count)
    var i = 0
    while i < name.count {
      let byte = name[i]
      let isHighControl =
        byte == 0xC2 && i + 1 < name.count && (0x80...0x9F).contains(name[i + 1])
      let isLiteralEscape =
        byte == percent && i + 2 < name.count && isHexDigit(name[i + 1]) && isHexDigit(name[i + 2])
      if isHighControl {
        result += escaped(name[i...(i + 1)])
        i += 1
      } else if byte < 0x20 || byte == 0x7F || byte == slash || isLiteralEscape {
        result += escaped([byte])
      } else {
        result.append(byte)
      }
      i += 1
    }
    guard let first = result.first, place.reserved.contains(result) else { return result }
    return escaped([first]) + result.dropFirst()
  }

  /// Whether a byte may have to be spelt out, depending on what follows it.
  private static func mayNeedEscape(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte == slash || byte == percent || byte == 0x7F || byte == 0xC2
  }

  /// What a file name spells: each `%` and two hex digits become a byte.
  ///
  /// Whether the rules would spell it so is for the caller to ask (``isCanonical(_:in:)``).
  package static func decoded(_ name: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(name.count)
    PercentEncoding.decode(name.span) { result.append($0) }
    return result
  }

  /// Whether the rules show what `name` spells just so.
  package static func isCanonical(_ name: [UInt8], in place: NamePlace) -> Bool {
    encoded(decoded(name), in: place) == name
  }

  /// The start of a file name, cut between characters (an escape is one) to at most `limit` bytes.
  static func cut(_ name: [UInt8], to limit: Int) -> [UInt8] {
    guard name.count > limit else { return name }
    var end = 0
    while end < name.count {
      let next = end + length(of: name, at: end)
      guard next <= limit else { break }
      end = next
    }
    return Array(name[..<end])
  }

  /// The number of bytes of the character or escape at `start`.
  private static func length(of name: [UInt8], at start: Int) -> Int {
    if name[start] == percent, start + 2 < name.count, isHexDigit(name[start + 1]),
      isHexDigit(name[start + 2])
    {
      return 3
    }
    var end = start + 1
    while end < name.count, name[end] & 0xC0 == 0x80 { end += 1 }
    return end - start
  }

  private static let percent = UInt8(ascii: "%")
  private static let slash = UInt8(ascii: "/")
  private static let dot = UInt8(ascii: ".")

  /// `%XX` for each byte.
  private static func escaped(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    bytes.flatMap { [percent, hexDigit($0 >> 4), hexDigit($0 & 15)] }
  }

  private static func hexDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool { Hex.digit(byte) != nil }
}
