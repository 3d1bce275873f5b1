import KDBX
import Testing
import Vault

@Suite struct HistorySizeTests {
  struct Sample: Sendable, CustomTestStringConvertible {
    var extra: String
    /// What it adds to the size of an old version, in bytes (`docs/kdbx.md` 6.2).
    var size: Int64
    var testDescription: String { extra }
  }

  static let samples = [
    Sample(extra: "", size: 0),
    Sample(
      extra: """
        <AutoType><Enabled>True</Enabled><DefaultSequence>{TAB}</DefaultSequence><Association>\
        <Window>ab</Window><KeystrokeSequence>c</KeystrokeSequence></Association></AutoType>
        """, size: 2 * 5 + 24 + 2 * 3),
    Sample(
      extra: "<AutoType><Association><Window>ab</Window></Association></AutoType>", size: 24 + 4),
    Sample(
      extra: """
        <CustomData><Item><Key>k</Key><Value>vw</Value></Item><Item><Key/><Value/></Item>\
        </CustomData>
        """, size: 16 + 2 * 3 + 16),
    Sample(extra: "<OverrideURL>cmd://x</OverrideURL>", size: 2 * 7),
    // A character beyond the first plane is two units.
    Sample(extra: "<OverrideURL>🔑</OverrideURL>", size: 2 * 2),
    Sample(extra: "<Binary><Key>a</Key><Value>aGVsbG8=</Value></Binary>", size: 65 + 2 + 5),
    Sample(extra: "<Unknown>a long text that nobody counts</Unknown>", size: 0),
  ]

  /// 276, and one field of five characters with one of value.
  private static let bare: Int64 = 276 + 40 + 2 * 6

  /// How many old versions are left of one edit under a limit.
  private func kept(_ extra: String, limit: Int64) throws -> Int {
    var vault = try TestVault.make(meta: "<HistoryMaxSize>\(limit)</HistoryMaxSize>") { root in
      root.entry(10, [("Title", "x")], extra: extra)
    }
    let id = try vault.entryID(10)
    let base = vault.document.entry(id)
    vault.write("y", to: "Title", of: id, at: TestVault.time(500))
    vault.commitHistory(of: id, base: base)
    return vault.document.entry(id).historyCount
  }

  @Test(arguments: samples)
  func `all that KeePass counts is counted`(sample: Sample) throws {
    #expect(try kept(sample.extra, limit: Self.bare + sample.size) == 1)
    #expect(try kept(sample.extra, limit: Self.bare + sample.size - 1) == 0)
  }
}
