import KDBX
import TestSupport
import Testing

@Suite struct VaultTimeTests {
  /// A text, and the seconds since 1970 that it means; `nil` is no time.
  static let texts: [(String, Int64?)] = [
    ("2024-03-01T12:00:00Z", 1_709_294_400), ("2024-03-01T12:00:00.999Z", 1_709_294_400),
    ("2024-03-01T12:00:00,5Z", 1_709_294_400), ("2024-03-01T14:00:00+02:00", 1_709_294_400),
    ("2024-03-01T07:30:00-0430", 1_709_294_400), ("2024-03-01T13:00:00+01", 1_709_294_400),
    ("2024-03-01 12:00:00Z", 1_709_294_400), ("2024-03-01T12:00:00", 1_709_294_400),
    ("2024-03-01t12:00z", 1_709_294_400), ("2024-03-01", 1_709_251_200),
    ("1970-01-01T00:00:00Z", 0), ("1969-12-31T23:59:59Z", -1),
    ("0001-01-01T00:00:00Z", -62_135_596_800), ("9999-12-31T23:59:59Z", 253_402_300_799),
    ("2000-02-29T00:00:00Z", 951_782_400), ("1900-02-29T00:00:00Z", nil),
    ("54867-01-01T00:00:00Z", 1_669_268_131_200), ("2016-12-31T23:59:60Z", 1_483_228_799),
    ("APeRdw4AAAA=", 0), ("AOjl3A4AAAA=", 1_700_000_000), ("fziGd0kAAAA=", 253_402_300_799),
    ("AAAAAAAAAAA=", -62_135_596_800), ("AA==", -62_135_596_800), ("AOjl3A4=", 1_700_000_000),
    ("AOjl3A4AAAAA", 1_700_000_000), ("//////////8=", -62_135_596_801),
    ("", nil), ("now", nil), ("2024-13-01", nil), ("2024-00-01", nil), ("2024-01-32", nil),
    ("2024-03-01T24:00:00Z", nil), ("2024-03-01T12:60:00Z", nil), ("2024-03-01T12:00:00X", nil),
    ("2024-03-01T12:00:00Zx", nil), ("2024-03-01T", nil), ("AAAAAAAAAIA=", nil), ("A", nil),
  ]

  @Test(arguments: texts)
  func `both encodings are read, odd ones too`(text: String, seconds: Int64?) {
    #expect(VaultTime(text: Array(text.utf8).span)?.unixSeconds == seconds)
  }

  @Test(
    arguments: [
      0, -1, 1_700_000_000, -62_135_596_800, 253_402_300_799, 951_782_400, -2_203_977_600,
    ] as [Int64])
  func `what is written reads back`(seconds: Int64) {
    let time = VaultTime(unixSeconds: seconds)
    #expect(VaultTime(text: time.isoBytes.span) == time)
    #expect(VaultTime(text: time.text(for: .kdbx31).span) == time)
    #expect(VaultTime(text: time.text(for: .kdbx40).span) == time)
  }

  @Test func `each version has its encoding`() {
    let time = VaultTime(unixSeconds: 1_700_000_000)
    #expect(time.text(for: .kdbx31) == Array("2023-11-14T22:13:20Z".utf8))
    #expect(time.text(for: .kdbx41) == Array("AOjl3A4AAAA=".utf8))
  }

  @Test(arguments: [Int64.min, Int64.max, -62_135_596_801, 253_402_300_800])
  func `what KeePass can't take is held within what it can`(seconds: Int64) {
    let time = VaultTime(unixSeconds: seconds)
    let held = seconds < 0 ? VaultTime.earliest : VaultTime.latest
    #expect(time.text(for: .kdbx40) == held.text(for: .kdbx40))
    #expect(time.text(for: .kdbx31) == held.isoBytes)
    _ = time.isoBytes
  }

  @Test(arguments: 0..<20)
  func `every day has its date`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      let seconds = Int64.random(in: -62_135_596_800...253_402_300_799, using: &random)
      let time = VaultTime(unixSeconds: seconds)
      #expect(VaultTime(text: time.isoBytes.span) == time)
    }
  }
}
