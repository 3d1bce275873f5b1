package import KDBX

/// The file `expires`: when an entry expires, as text.
package enum ExpiryText {
  /// `2026-01-31T09:15:00Z`, or nothing for an entry that never expires.
  package static func fileText(_ times: Times) -> [UInt8] {
    guard times.expires, let expiry = times.expiry else { return [] }
    return expiry.isoBytes
  }

  /// What was written to the file.
  package enum Expiry: Hashable, Sendable {
    /// Empty: the entry never expires.
    case never
    case at(VaultTime)
  }

  /// Reads `2026-01-31T09:15:00Z` or `2026-01-31`, the day's first second.
  ///
  /// Blanks around it don't matter. Nil for anything else, days that don't exist included.
  package static func parse(_ text: Span<UInt8>) -> Expiry? {
    let text = text.extracting(text.trimmedRange)
    if text.isEmpty { return .never }
    guard text.count == 10 || text.count == 20, let day = day(text.extracting(0..<10)) else {
      return nil
    }
    guard text.count == 20 else { return .at(VaultTime(unixSeconds: day * 86400)) }
    guard let second = second(text.extracting(10..<20)) else { return nil }
    return .at(VaultTime(unixSeconds: day * 86400 + second))
  }

  /// The days from 1970-01-01 to the date `yyyy-mm-dd`.
  private static func day(_ text: Span<UInt8>) -> Int64? {
    guard text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-"),
      let year = text.extracting(0..<4).decimal, year >= 1,
      let month = text.extracting(5..<7).decimal, (1...12).contains(month),
      let day = text.extracting(8..<10).decimal, (1...length(of: month, in: year)).contains(day)
    else { return nil }
    // Days from civil, after Howard Hinnant: years begin in March, so that February's end is last.
    let shifted = month <= 2 ? year - 1 : year
    let era = shifted / 400
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  private static func length(of month: Int64, in year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// The seconds of `Thh:mm:ssZ`.
  private static func second(_ text: Span<UInt8>) -> Int64? {
    guard text[0] == UInt8(ascii: "T"), text[3] == UInt8(ascii: ":"), text[6] == UInt8(ascii: ":"),
      text[9] == UInt8(ascii: "Z"),
      let hour = text.extracting(1..<3).decimal, hour < 24,
      let minute = text.extracting(4..<6).decimal, minute < 60,
      let second = text.extracting(7..<9).decimal, second < 60
    else { return nil }
    return hour * 3600 + minute * 60 + second
  }
}
