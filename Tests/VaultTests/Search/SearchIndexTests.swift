import KDBX
import Testing

@testable import Vault

@Suite struct SearchIndexTests {
  static func vault() throws -> Vault {
    try TestVault.make(meta: MoveTests.binMeta(4)) { root in
      root.entry(
        10,
        [
          ("Title", "GitHub"), ("UserName", "sam@example.org"), ("*Password", "hidden"),
          ("URL", "https://www.github.com/login"), ("Notes", "see also bitbucket"),
          ("custom", "unseen"),
        ], tags: "work;Код")
      root.entry(11, [("Title", "Work mail"), ("Notes", "moved from github")])
      root.group(2, "Group") { group in
        group.entry(20, [("Title", "ÄRGER"), ("URL", "example.org:8080")], tags: "home")
        group.entry(
          21, [("Title", "Bank"), ("*UserName", "samantha"), ("*Notes", "pin in the safe")])
      }
      root.group(4, "bin") { bin in bin.entry(40, [("Title", "GitHub old")]) }
    }
  }

  static let questions: [(String, [UInt8])] = [
    // Whole words, beginnings, parts; the title counts most.
    ("github", [10, 11]), ("GITHUB", [10, 11]), ("git", [10, 11]), ("ithu", [10, 11]),
    ("bank", [21]), ("ärger", [20]), ("код", [10]),
    // A title comes before a tag.
    ("work", [11, 10]),
    // Each word must fit, wherever.
    ("github sam", [10]), ("mail github", [11]), ("github bank", []), ("sam@example.org", [10]),
    // One slip from four letters on: wrong, missing, too many, in the wrong order.
    ("githib", [10, 11]), ("gthub", [10, 11]), ("githhub", [10, 11]), ("igthub", [10, 11]),
    ("bamk", [21]), ("bnk", []), ("arger", [20]), ("githxb sm", []),
    // Two from eight on, also in a beginning.
    ("bitbuckte", [10]), ("bitbukcte", [10]), ("bixbuxex", []), ("gixhxb", []),
    // The word that is meant may have the eight letters, too.
    ("btbuket", [10]), ("bitbcke", [10]), ("btbuxet", []), ("samnha", [21]), ("smnha", []),
    ("exmaple", [10, 20]),
    // What is protected, but for the password; no custom field, no scheme, nothing of the bin.
    ("samantha", [21]), ("samanhta", [21]), ("safe", [21]), ("hidden", []), ("unseen", []),
    ("https", []), ("www", []), ("old", []), ("", []), (" .,-", []),
  ]

  @Test(arguments: questions)
  func `words find entries, the best first`(words: String, numbers: [UInt8]) throws {
    let vault = try Self.vault()
    let hits = SearchIndex(vault).hits(for: Array(words.utf8), in: vault)
    let found = hits.map { vault.document.entry($0.entry).uuid }
    #expect(found == numbers.map { TestVault.uuid($0) })
  }

  @Test func `a vault without entries has no hits`() throws {
    let vault = try TestVault.make { _ in }
    #expect(SearchIndex(vault).hits(for: Array("a".utf8), in: vault).isEmpty)
  }
}

@Suite struct SlipsTests {
  static let pairs: [(String, String, Int?)] = [
    ("same", "same", 0), ("some", "same", 1), ("sme", "same", 1), ("saame", "same", 1),
    ("smae", "same", 1), ("emas", "same", nil), ("", "ab", 2), ("ab", "", 2), ("abc", "", nil),
    ("abcdef", "abdcfe", 2), ("größe", "große", 1),
  ]

  @Test(arguments: pairs)
  func `slips are counted up to two`(typed: String, word: String, slips: Int?) {
    let (left, right) = (typed.unicodeScalars.map(\.value), word.unicodeScalars.map(\.value))
    #expect(Slips.count(left, right, limit: 2) == slips)
    #expect(Slips.count(right, left, limit: 2) == slips)
  }

  @Test(arguments: [("gthub", "githubenterprise", 1), ("same", "sa", 2), ("xyz", "samething", nil)])
  func `a beginning is enough`(typed: String, word: String, slips: Int?) {
    let (left, right) = (typed.unicodeScalars.map(\.value), word.unicodeScalars.map(\.value))
    #expect(Slips.count(left, right, limit: 2, asPrefix: true) == slips)
  }

  @Test(arguments: [(0, 0), (3, 0), (4, 1), (7, 1), (8, 2), (40, 2)])
  func `longer words forgive more`(letters: Int, slips: Int) {
    #expect(Slips.allowed(inLetters: letters) == slips)
  }
}
