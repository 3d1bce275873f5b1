/// Tells the names of programs' temporary files from the user's own (`docs/editing.md`).
///
/// A name is temporary only if it is made from a name that stands in the same directory, or is one
/// of a few that editors always use. Every other name, dotted ones too, is the user's.
package enum TemporaryNames {
  /// Whether `name` is temporary in a directory.
  ///
  /// `isExclusive` says whether the file is being made with `O_EXCL`; `stands` whether a user's name
  /// stands in the directory; `wasSought` whether somebody asked for a name there lately, in vain: an
  /// editor makes its swap file before the file that it edits.
  package static func isTemporary(
    _ name: [UInt8], isExclusive: Bool, stands: ([UInt8]) -> Bool,
    wasSought: ([UInt8]) -> Bool = { _ in false }
  ) -> Bool {
    isEditorsOwn(name) || (isExclusive && isRandom(name))
      || candidates(for: name).contains { candidate in
        guard !candidate.origin.isEmpty else { return false }
        return stands(candidate.origin)
          || (candidate.isTelling || (candidate.isRandom && isExclusive))
            && wasSought(candidate.origin)
      }
  }

  /// `4913`, `DEADJOE`, `.goutputstream-??????`.
  private static func isEditorsOwn(_ name: [UInt8]) -> Bool {
    name == Array("4913".utf8) || name == Array("DEADJOE".utf8)
      || rest(of: name, after: ".goutputstream-", count: 6) != nil
  }

  /// `sed??????`, `XX??????`, `tmp????????`, with a digit, capital or underscore in the random part.
  private static func isRandom(_ name: [UInt8]) -> Bool {
    let part =
      rest(of: name, after: "sed", count: 6) ?? rest(of: name, after: "XX", count: 6)
      ?? rest(of: name, after: "tmp", count: 8)
    guard let part else { return false }
    return part.contains { isDigit($0) || isCapital($0) || $0 == UInt8(ascii: "_") }
  }

  /// A name that another may be made from.
  private struct Candidate {
    let origin: [UInt8]
    /// Whether nobody but an editor calls a file so.
    var isTelling = false
    /// Whether the name has a random part.
    var isRandom = false
  }

  /// The names that `name` may be made from.
  private static func candidates(for name: [UInt8]) -> [Candidate] {
    var found: [Candidate] = []
    func add(
      prefix: StaticString, suffix: StaticString, wild: Int = 0, tail: StaticString = "",
      isTelling: Bool = false
    ) {
      guard let middle = middle(of: name, prefix, suffix, wild, tail) else { return }
      found.append(Candidate(origin: middle, isTelling: isTelling, isRandom: wild == 6))
    }
    add(prefix: ".", suffix: ".sw", wild: 1, isTelling: true)
    // vim's probe for file systems with short names: `.NAME.swpx` beside `.NAME.swp`.
    add(prefix: ".", suffix: ".sw", wild: 1, tail: "x", isTelling: true)
    add(prefix: ".", suffix: ".un~", isTelling: true)
    add(prefix: ".#", suffix: "", isTelling: true)
    add(prefix: ".", suffix: ".", wild: 6)
    add(prefix: "", suffix: "~")
    add(prefix: "#", suffix: "")
    add(prefix: "#", suffix: "#", isTelling: true)
    add(prefix: "", suffix: ".o", wild: 6)
    add(prefix: "", suffix: ".save")
    add(prefix: "", suffix: ".bak")
    return found
  }

  /// What stands between `prefix` and `suffix`, `wild` bytes of any kind, and `tail`.
  private static func middle(
    of name: [UInt8], _ prefix: StaticString, _ suffix: StaticString, _ wild: Int,
    _ tail: StaticString
  ) -> [UInt8]? {
    let (prefix, suffix, tail) = (bytes(prefix), bytes(suffix), bytes(tail))
    let end = name.count - suffix.count - wild - tail.count
    guard end > prefix.count, name.starts(with: prefix), name.suffix(tail.count) == tail[...],
      name[end..<(end + suffix.count)] == suffix[...]
    else { return nil }
    return Array(name[prefix.count..<end])
  }

  private static func rest(
    of name: [UInt8], after prefix: StaticString, count: Int
  ) -> ArraySlice<UInt8>? {
    let prefix = bytes(prefix)
    guard name.count == prefix.count + count, name.starts(with: prefix) else { return nil }
    let part = name.dropFirst(prefix.count)
    return part.allSatisfy { isRandomCharacter($0) } ? part : nil
  }

  private static func bytes(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { unsafe Array($0) }
  }

  private static func isRandomCharacter(_ byte: UInt8) -> Bool {
    isDigit(byte) || isCapital(byte) || byte == UInt8(ascii: "_")
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static func isCapital(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
