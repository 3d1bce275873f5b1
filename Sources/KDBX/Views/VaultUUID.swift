import ByteCoding
import Ciphers

/// What names a group, an entry, an icon: 16 bytes, in the order in which they are stored.
package struct VaultUUID: Hashable, Sendable {
  /// The first eight bytes as stored, most significant first.
  package let high: UInt64
  /// The last eight bytes as stored, most significant first.
  package let low: UInt64

  /// The UUID that means "none".
  package static let zero = VaultUUID(high: 0, low: 0)

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  /// Takes 16 bytes in their stored order; `nil` for any other count.
  package init?(_ bytes: Span<UInt8>) {
    guard bytes.count == 16 else { return nil }
    var high: UInt64 = 0
    var low: UInt64 = 0
    for i in 0..<8 {
      high = high << 8 | UInt64(bytes[i])
      low = low << 8 | UInt64(bytes[i + 8])
    }
    self.init(high: high, low: low)
  }

  /// Reads the base64 text of the XML; `nil` if it isn't base64 or not 16 bytes.
  package init?(base64 text: Span<UInt8>) {
    guard let bytes = try? Base64.decode(text) else { return nil }
    self.init(bytes.span)
  }

  /// Makes one that nothing else has: version 4 of RFC 9562.
  package static func random() -> VaultUUID {
    var bytes = randomBytes(16)
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    return VaultUUID(bytes.span) ?? .zero
  }

  package var isZero: Bool { self == .zero }

  /// The 16 bytes in their stored order.
  package var bytes: [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: high >> UInt64(56 - 8 * $0)) }
      + (0..<8).map { UInt8(truncatingIfNeeded: low >> UInt64(56 - 8 * $0)) }
  }

  /// The text of the XML.
  package var base64: [UInt8] { Base64.encode(bytes.span) }

  /// 32 hex digits without dashes, upper case as in references, or lower case.
  package func hex(uppercase: Bool) -> [UInt8] { Hex.encode(bytes.span, uppercase: uppercase) }
}

extension VaultUUID: Comparable {
  /// Orders by the stored bytes.
  package static func < (left: VaultUUID, right: VaultUUID) -> Bool {
    left.high != right.high ? left.high < right.high : left.low < right.low
  }
}
