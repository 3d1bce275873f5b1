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
  package init?(text: Span<UInt8>) { fatalError("not yet") }

  /// `2026-01-31T09:15:00Z`; years outside 0…9999 take a sign or more digits.
  package var isoBytes: [UInt8] { fatalError("not yet") }

  /// The text that a file of `version` holds for it, held within what KeePass takes.
  package func text(for version: FormatVersion) -> [UInt8] { fatalError("not yet") }
}
