import KDBX
import Testing
import Vault

@Suite struct MendingTests {
  /// The vault's times are text, which KDBX 4 doesn't have.
  private func make(_ extra: String = "") throws -> Vault {
    try TestVault.make { root in
      root.entry(10, [("Title", "x")], extra: extra) { history in
        history.entry(10, [("Title", "old")])
      }
      root.entry(11, [("Title", "other")])
    }
  }

  @Test func `an entry that was edited is mended, its old versions too`() throws {
    var vault = try make("<Expires>yes</Expires>")
    let id = try vault.entryID(10)
    let other = try vault.entryID(11)
    let before = vault.document.entry(other)
    #expect(vault.mend(id) == [.timeAsText])
    #expect(vault.mend(id).isEmpty)
    let entry = vault.document.entry(id)
    #expect(entry.times.creation == TestVault.time(10))
    #expect(entry.history.map(\.times.creation) == [TestVault.time(10)])
    // Nobody edited it.
    #expect(vault.document.entry(other).sameContent(as: before, values: vault.document.values))
    #expect(vault.mend(other) == [.timeAsText])
  }

  @Test func `names stay, and what is lost without a mark gets one`() throws {
    let extra = """
      <String><Key>blank</Key><Value> </Value></String><String><Key>a</Key><Value>1</Value></String>\
      <String><Key>a</Key><Value>2</Value></String><Binary><Key/><Value/></Binary>
      """
    var vault = try make(extra)
    let id = try vault.entryID(10)
    let keys = vault.document.entry(id).strings.map(\.key)
    #expect(vault.mend(id) == [.timeAsText, .blankValue])
    #expect(vault.document.entry(id).strings.map(\.key) == keys)
    #expect(vault.document.entry(id).attachments.map(\.name) == [[]])
    #expect(vault.text("blank", of: vault.document.entry(id)) == " ")
  }
}
