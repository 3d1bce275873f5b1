import ByteCoding

/// A time as a vault stores it: whole seconds, UTC.
package struct VaultTime: Hashable, Comparable, Sendable {
  /// Seconds since 1970-01-01T00:00:00Z.
  package let unixSeconds: Int64

  /// From 0001-01-01T00:00:00Z to 1970-01-01T00:00:00Z, in seconds: KDBX 4 counts from the former.
  package static let secondsBeforeUnix: Int64 = 62_135_596_800

  /// The earliest time that KeePass takes: 0001-01-01T00:00:00Z.
  package static let earliest = VaultTime(unixSeconds: -secondsBeforeUnix)
  /// The latest time that KeePass takes: 9999-12-31T23:59:59Z.
  package static let latest = VaultTime(unixSeconds: 253_402_300_799)

  package init(unixSeconds: Int64) {
    self.unixSeconds = unixSeconds
  }

  package static func < (left: VaultTime, right: VaultTime) -> Bool {
    left.unixSeconds < right.unixSeconds
  }

  /// Reads either encoding: ISO 8601 with an optional fraction and offset, or base64 of a 64-bit
  /// count of seconds since year 1.
  ///
  /// A fraction is cut off. A short base64 text is filled up with zero bytes, as KeePass does;
  /// an empty text and one that is neither is no time.
  package init?(text: Span<UInt8>) {
    if let seconds = ISOTime.seconds(of: text) {
      self.init(unixSeconds: seconds)
      return
    }
    guard let bytes = try? Base64.decode(text), !bytes.isEmpty else { return nil }
    var value: UInt64 = 0
    for (i, byte) in bytes.prefix(8).enumerated() { value |= UInt64(byte) << UInt64(8 * i) }
    let (seconds, overflow) = Int64(bitPattern: value)
      .subtractingReportingOverflow(Self.secondsBeforeUnix)
    guard !overflow else { return nil }
    self.init(unixSeconds: seconds)
  }

  /// Whether `text` is a time in ISO 8601, as KDBX 3 writes it.
  static func isText(_ text: Span<UInt8>) -> Bool { ISOTime.seconds(of: text) != nil }

  /// `2026-01-31T09:15:00Z`; years outside 0…9999 take a sign or more digits.
  package var isoBytes: [UInt8] { ISOTime.text(of: unixSeconds) }

  /// The text that a file of `version` holds for it, held within what KeePass takes.
  package func text(for version: FormatVersion) -> [UInt8] {
    let held = min(max(self, .earliest), .latest)
    guard version.major >= 4 else { return held.isoBytes }
    let value = UInt64(held.unixSeconds + Self.secondsBeforeUnix)
    let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
    return Base64.encode(bytes.span)
  }
}

/// ISO 8601 as it stands in vaults: `2026-01-31T09:15:00Z` and its relatives.
private enum ISOTime {
  /// Seconds since 1970; `nil` if it is no such time.
  static func seconds(of text: Span<UInt8>) -> Int64? {
    var reader = DigitReader(text)
    let isNegative = reader.take("-")
    if !isNegative { _ = reader.take("+") }
    guard let year = reader.number(digits: 4...9), reader.take("-"),
      let month = reader.number(digits: 1...2), (1...12).contains(month), reader.take("-"),
      let day = reader.number(digits: 1...2), day >= 1,
      day <= daysInMonth(month, year: isNegative ? -year : year)
    else { return nil }
    var seconds = days(year: isNegative ? -year : year, month: month, day: day) * 86_400
    if reader.isAtEnd { return seconds }
    guard reader.take("T") || reader.take("t") || reader.take(" "),
      let hour = reader.number(digits: 1...2), hour < 24, reader.take(":"),
      let minute = reader.number(digits: 1...2), minute < 60
    else { return nil }
    seconds += hour * 3600 + minute * 60
    if reader.take(":") {
      guard let second = reader.number(digits: 1...2), second <= 60 else { return nil }
      seconds += min(second, 59)
      if reader.take(".") || reader.take(",") {
        guard reader.number(digits: 1...30) != nil else { return nil }
      }
    }
    if reader.isAtEnd || reader.take("Z") || reader.take("z") {
      return reader.isAtEnd ? seconds : nil
    }
    let isWest = reader.take("-")
    guard isWest || reader.take("+"), let offset = offset(&reader), reader.isAtEnd else {
      return nil
    }
    return isWest ? seconds + offset : seconds - offset
  }

  /// `hh`, `hhmm` or `hh:mm`, in seconds.
  private static func offset(_ reader: inout DigitReader) -> Int64? {
    guard let hours = reader.number(digits: 2...2), hours < 24 else { return nil }
    if reader.isAtEnd { return hours * 3600 }
    _ = reader.take(":")
    guard let minutes = reader.number(digits: 2...2), minutes < 60 else { return nil }
    return hours * 3600 + minutes * 60
  }

  private static func isLeap(_ year: Int64) -> Bool {
    year % 4 == 0 && year % 100 != 0 || year % 400 == 0
  }

  private static func daysInMonth(_ month: Int64, year: Int64) -> Int64 {
    switch month {
    case 4, 6, 9, 11: 30
    case 2: isLeap(year) ? 29 : 28
    default: 31
    }
  }

  /// Days since 1970-01-01 in the proleptic Gregorian calendar.
  private static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    // Years begin in March, so that the leap day ends one; 400 of them are an era of 146,097 days.
    let year = month <= 2 ? year - 1 : year
    let era = (year >= 0 ? year : year - 399) / 400
    let yearOfEra = year - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
    return era * 146_097 + dayOfEra - 719_468
  }

  static func text(of seconds: Int64) -> [UInt8] {
    var days = seconds / 86_400
    var rest = seconds % 86_400
    if rest < 0 {
      rest += 86_400
      days -= 1
    }
    // From -719,468 on, the count of days starts at 0000-03-01; see `days(year:month:day:)`.
    let shifted = days + 719_468
    let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
    let dayOfEra = shifted - era * 146_097
    let yearOfEra =
      (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    var text: [UInt8] = year < 0 ? [UInt8(ascii: "-")] : []
    append(year.magnitude, digits: 4, to: &text)
    for (mark, value) in [
      ("-", month), ("-", day), ("T", rest / 3600), (":", rest / 60 % 60), (":", rest % 60),
    ] {
      text += mark.utf8
      append(value.magnitude, digits: 2, to: &text)
    }
    text += "Z".utf8
    return text
  }

  private static func append(_ value: UInt64, digits: Int, to text: inout [UInt8]) {
    let written = Array(String(value).utf8)
    text += repeatElement(UInt8(ascii: "0"), count: max(0, digits - written.count))
    text += written
  }
}

/// Takes digits and marks off the front of a text.
private struct DigitReader: ~Escapable {
  private let text: Span<UInt8>
  private var offset = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) {
    self.text = text
  }

  var isAtEnd: Bool { offset == text.count }

  @_lifetime(self: copy self)
  mutating func take(_ mark: Unicode.Scalar) -> Bool {
    guard offset < text.count, text[offset] == UInt8(ascii: mark) else { return false }
    offset += 1
    return true
  }

  /// A number of as many digits as there are, if they are as many as may be.
  @_lifetime(self: copy self)
  mutating func number(digits: ClosedRange<Int>) -> Int64? {
    var value: Int64 = 0
    let start = offset
    while offset < text.count, offset - start < digits.upperBound,
      text[offset] >= 0x30, text[offset] <= 0x39
    {
      // Only a fraction has more digits than fit, and its value isn't asked for.
      value = value &* 10 &+ Int64(text[offset] - 0x30)
      offset += 1
    }
    return digits.contains(offset - start) ? value : nil
  }
}
