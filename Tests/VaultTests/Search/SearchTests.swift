import KDBX
import Testing
import Vault

@Suite struct SearchTests {
  static func vault() throws -> Vault {
    try TestVault.make(meta: MoveTests.binMeta(4)) { root in
      root.entry(
        10,
        [
          ("Title", "GitHub"), ("UserName", "Sam"), ("*Password", "hidden"),
          ("URL", "https://GitHub.com/login"), ("Notes", "two\nlines"), ("custom", "unseen"),
        ], tags: "work;Код")
      root.group(2, "Group") { group in
        group.entry(20, [("Title", "ÄRGER"), ("URL", "example.org:8080")], tags: "work,home")
      }
      root.group(4, "bin") { bin in
        bin.entry(
          40, [("Title", "GitHub old"), ("URL", "https://old.org")], tags: "work;gone")
      }
    }
  }

  static let searches: [(String, [UInt8])] = [
    ("github", [10]), ("GITHUB sam", [10]), ("sam github", [10]), ("lines", [10]), ("ärger", [20]),
    ("КОД", [10]), ("home", [20]), ("work", [10, 20]), ("hidden", []), ("unseen", []),
    ("github ärger", []), ("samhttps", []), ("", []), (" \n", []),
  ]

  @Test(arguments: searches)
  func `words are found in any case and order, outside the bin`(
    words: String, numbers: [UInt8]
  ) throws {
    let vault = try Self.vault()
    let found = vault.entries(matching: Array(words.utf8))
    #expect(found.map { vault.document.entry($0).uuid } == numbers.map { TestVault.uuid($0) })
  }

  @Test func `tags and hosts list what there is outside the bin`() throws {
    let vault = try Self.vault()
    #expect(vault.tags == ["home", "work", "Код"].map { Array($0.utf8) })
    #expect(vault.hosts == ["example.org", "github.com"].map { Array($0.utf8) })
    let work = vault.entries(tagged: Array("work".utf8))
    #expect(work == [try vault.entryID(10), try vault.entryID(20)])
    #expect(vault.entries(tagged: Array("Work".utf8)).isEmpty)
    #expect(vault.entries(onHost: Array("github.COM".utf8)) == [try vault.entryID(10)])
    #expect(vault.entries(onHost: Array("old.org".utf8)).isEmpty)
  }
}
