import Testing

@testable import VaultTree

@Suite struct NameCodingTests {
  /// A title or key, and the file name that shows it.
  struct Pair: Sendable, CustomTestStringConvertible {
    let name: [UInt8]
    let shown: String
    var place = NamePlace.group
    var testDescription: String { shown }

    init(_ name: String, _ shown: String, _ place: NamePlace = .group) {
      self.name = Array(name.utf8)
      self.shown = shown
      self.place = place
    }
  }

  static let pairs = [
    Pair("GitHub", "GitHub"),
    Pair("a/b", "a%2Fb"),
    Pair("/", "%2F"),
    Pair("a%2Fb", "a%252Fb"),
    Pair("a%2fb", "a%252fb"),
    Pair("per%cent", "per%25cent"),
    Pair("100%", "100%"),
    Pair("100% sure", "100% sure"),
    Pair("5%a", "5%a"),
    Pair("%%41", "%%2541"),
    Pair(".", "%2E"),
    Pair("..", "%2E%2E"),
    Pair("...", "..."),
    Pair("tab\there", "tab%09here"),
    Pair("two\nlines", "two%0Alines"),
    Pair("\u{7F}", "%7F"),
    Pair("a\u{85}b", "a%C2%85b"),
    Pair("a\u{A0}b", "a\u{A0}b"),
    Pair("a\u{2215}b", "a\u{2215}b"),
    Pair("  ", "  "),
    Pair(".kdbxfs", ".kdbxfs"),
    Pair(".kdbxfs", "%2Ekdbxfs", .top),
    Pair("password", "password", .top),
    Pair("password", "%70assword", .entry),
    Pair("%70assword", "%2570assword", .entry),
    Pair("PASSWORD", "PASSWORD", .entry),
    Pair("notes", "%6Eotes", .entry),
    Pair("attachments", "%61ttachments", .entry),
    Pair(".history", "%2Ehistory", .entry),
    Pair("history", "history", .entry),
    Pair("otp", "otp", .entry),
    Pair("hotp", "%68otp", .entry),
    Pair("password", "password", .attachments),
  ]

  @Test(arguments: pairs)
  func `a name is shown by a rule that can be turned back`(pair: Pair) {
    let encoded = NameCoding.encoded(pair.name, in: pair.place)
    #expect(String(decoding: encoded, as: UTF8.self) == pair.shown)
    #expect(NameCoding.decoded(encoded) == pair.name)
    #expect(NameCoding.isCanonical(encoded, in: pair.place))
  }

  @Test(arguments: [
    "a%2fb", "%41", ".", "..", "a/b", "tab\there", "%252", "%2Fx%2f", "per%cent", "%70rivate",
  ])
  func `a spelling that the rules would not show is none`(name: String) {
    #expect(!NameCoding.isCanonical(Array(name.utf8), in: .group))
  }

  @Test(arguments: [
    ("%2Ekdbxfs", NamePlace.group, false), ("%2Ekdbxfs", .top, true), (".kdbxfs", .top, false),
    ("password", .entry, false), ("%70assword", .entry, true), ("%70assword", .group, false),
  ])
  func `a reserved name is spelt out where it is reserved, and only there`(
    name: String, place: NamePlace, isCanonical: Bool
  ) {
    #expect(NameCoding.isCanonical(Array(name.utf8), in: place) == isCanonical)
  }

  @Test func `no two names are shown as one`() {
    let alphabet: [[UInt8]] = [
      Array("/".utf8), Array("%".utf8), Array("2".utf8), Array("F".utf8), Array(".".utf8), [0x09],
      [0xC2, 0x85], [0xC3, 0xA9],
    ]
    var names: Set<[UInt8]> = []
    var shown: Set<[UInt8]> = []
    var layer: [[UInt8]] = [[]]
    for _ in 0..<4 {
      layer = layer.flatMap { name in alphabet.map { name + $0 } }
      for name in layer {
        names.insert(name)
        let encoded = NameCoding.encoded(name, in: .group)
        shown.insert(encoded)
        #expect(NameCoding.decoded(encoded) == name)
        #expect(!encoded.contains(UInt8(ascii: "/")) && !encoded.contains(0x09))
      }
    }
    #expect(shown.count == names.count)
  }

  @Test(arguments: [
    ("abc", 2, "ab"), ("abc", 3, "abc"), ("a%2Fb", 2, "a"), ("a%2Fb", 4, "a%2F"),
    ("a漢字", 5, "a漢"), ("a漢字", 3, "a"), ("é", 1, ""),
  ])
  func `a name is cut between characters, and an escape is one`(
    name: String, limit: Int, cut: String
  ) {
    #expect(NameCoding.cut(Array(name.utf8), to: limit) == Array(cut.utf8))
  }
}
