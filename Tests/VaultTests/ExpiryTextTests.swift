import KDBX
import Testing
import Vault

@Suite struct ExpiryTextTests {
  static let good: [(String, ExpiryText.Expiry)] = [
    ("", .never), (" \n", .never),
    ("2026-01-31T09:15:00Z", .at(VaultTime(unixSeconds: 1_769_850_900))),
    ("2026-01-31\n", .at(VaultTime(unixSeconds: 1_769_817_600))),
    ("1970-01-01T00:00:00Z", .at(VaultTime(unixSeconds: 0))),
    ("2000-02-29", .at(VaultTime(unixSeconds: 951_782_400))),
    ("0001-01-01T00:00:00Z", .at(.earliest)), ("9999-12-31T23:59:59Z", .at(.latest)),
  ]

  @Test(arguments: good)
  func `a time or a date is read`(text: String, expiry: ExpiryText.Expiry) {
    let read = ExpiryText.parse(Array(text.utf8).span)
    #expect(read == expiry)
  }

  @Test(arguments: [
    "tomorrow", "2026-02-29", "2026-13-01", "2026-00-01", "2026-01-00", "2026-1-1", "0000-01-01",
    "2026-01-31T24:00:00Z", "2026-01-31T09:60:00Z", "2026-01-31T09:15:60Z", "2026-01-31 09:15:00Z",
    "2026-01-31T09:15:00", "2026-01-31T09:15:00+01:00", "1900-02-29", "2026/01/31", "20260131",
    "+026-01-01", "2026-01-31T09:15:00z",
  ])
  func `anything else is refused`(text: String) {
    let read = ExpiryText.parse(Array(text.utf8).span)
    #expect(read == nil)
  }

  @Test(arguments: [Int64(0), 951_782_400, 1_769_850_900, 4_102_444_799, -1, -62_135_596_800])
  func `what is shown reads back`(seconds: Int64) {
    let time = VaultTime(unixSeconds: seconds)
    let read = ExpiryText.parse(time.isoBytes.span)
    #expect(read == .at(time))
  }

  @Test func `an entry that never expires shows nothing`() throws {
    var vault = try TestVault.make { $0.entry(10, [("Title", "x")]) }
    let id = try vault.entryID(10)
    #expect(ExpiryText.fileText(vault.document.entry(id).times) == [])
    vault.edit(id, at: TestVault.time(1)) { entry in
      entry.times.expires = true
      entry.times.expiry = VaultTime(unixSeconds: 1_769_850_900)
    }
    #expect(
      ExpiryText.fileText(vault.document.entry(id).times) == Array("2026-01-31T09:15:00Z".utf8))
  }
}
