import Ciphers
import Secrets

@testable import KDBX

/// Bytes from hexadecimal digits; blanks are ignored.
func hex(_ text: String) -> [UInt8] {
  let digits = text.utf8.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}

/// The bytes of a secret, to be compared.
func revealed(_ secret: borrowing SecretBytes) -> [UInt8] {
  secret.withBytes { [UInt8](copying: $0) }
}

func littleEndian<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
  (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
}

extension CompositeKey {
  /// The key of a password alone.
  convenience init(password: String) {
    let bytes = [UInt8](password.utf8)
    self.init(Credentials(password: SecretBytes(copying: bytes.span), keyFileKey: nil))
  }
}

/// A header made by hand, field by field, so that tests don't take our own writer's word for it.
struct HandMadeHeader {
  var signature: [UInt8] = [0x03, 0xD9, 0xA2, 0x9A, 0x67, 0xFB, 0x4B, 0xB5]
  var minor: UInt16
  var major: UInt16
  var fields: [(id: UInt8, bytes: [UInt8])]
  var end: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A]

  static let aes: [UInt8] = hex("31C1F2E6BF714350BE5805216AFC5AFF")
  static let chaCha20: [UInt8] = hex("D6038A2B8B6F4CB5A524339A31DBB59A")
  static let twofish: [UInt8] = hex("AD68F29F576F4BB9A36AD47AF965346C")

  /// KDBX 4 with AES-KDF, one round.
  static func version4(
    minor: UInt16 = 0, cipher: [UInt8] = aes, compression: UInt32 = 1,
    kdf: [UInt8] = HandMadeDictionary.aesKDF(rounds: 1).bytes
  ) -> HandMadeHeader {
    HandMadeHeader(
      minor: minor, major: 4,
      fields: [
        (2, cipher), (3, littleEndian(compression)), (4, [UInt8](repeating: 0xA4, count: 32)),
        (11, kdf), (7, [UInt8](repeating: 0xA7, count: cipher == chaCha20 ? 12 : 16)),
      ])
  }

  /// KDBX 3 with one round.
  static func version3(
    minor: UInt16 = 1, cipher: [UInt8] = aes, compression: UInt32 = 1, stream: UInt32 = 2
  ) -> HandMadeHeader {
    HandMadeHeader(
      minor: minor, major: 3,
      fields: [
        (2, cipher), (3, littleEndian(compression)), (4, [UInt8](repeating: 0xA4, count: 32)),
        (5, [UInt8](repeating: 0xA5, count: 32)), (6, littleEndian(1 as UInt64)),
        (7, [UInt8](repeating: 0xA7, count: cipher == chaCha20 ? 12 : 16)),
        (8, [UInt8](repeating: 0xA8, count: 32)), (9, [UInt8](repeating: 0xA9, count: 32)),
        (10, littleEndian(stream)),
      ])
  }

  var bytes: [UInt8] {
    var bytes = signature + littleEndian(minor) + littleEndian(major)
    for field in fields + [(0, end)] {
      bytes.append(field.id)
      bytes +=
        major >= 4
        ? littleEndian(Int32(field.bytes.count)) : littleEndian(UInt16(field.bytes.count))
      bytes += field.bytes
    }
    return bytes
  }

  /// The header with its checksum, and room for a code that nothing has computed.
  var bytesWithChecksum: [UInt8] {
    let header = bytes
    return header + SHA256.hash(header.span)
  }

  mutating func set(_ id: UInt8, to bytes: [UInt8]) {
    fields = fields.map { $0.id == id ? (id, bytes) : $0 }
  }
}

/// A dictionary made by hand.
struct HandMadeDictionary {
  var version: [UInt8] = [0x00, 0x01]
  var items: [(type: UInt8, name: String, value: [UInt8])]

  var bytes: [UInt8] {
    var bytes = version
    for item in items {
      bytes.append(item.type)
      bytes += littleEndian(Int32(item.name.utf8.count)) + [UInt8](item.name.utf8)
      bytes += littleEndian(Int32(item.value.count)) + item.value
    }
    return bytes + [0]
  }

  static func aesKDF(
    rounds: UInt64, identifier: String = "C9D9F39A628A4460BF740D08C18A4FEA"
  ) -> HandMadeDictionary {
    HandMadeDictionary(items: [
      (0x42, "$UUID", hex(identifier)),
      (0x05, "R", littleEndian(rounds)),
      (0x42, "S", [UInt8](0..<32)),
    ])
  }

  static func argon2(
    memory: UInt64, iterations: UInt64 = 1, lanes: UInt32 = 1, version: UInt32 = 0x13,
    identifier: String = "EF636DDF8C29444B91F7A9A403E30A0C"
  ) -> HandMadeDictionary {
    HandMadeDictionary(items: [
      (0x42, "$UUID", hex(identifier)),
      (0x04, "V", littleEndian(version)),
      (0x42, "S", [UInt8](0..<32)),
      (0x05, "M", littleEndian(memory)),
      (0x05, "I", littleEndian(iterations)),
      (0x04, "P", littleEndian(lanes)),
    ])
  }

  mutating func set(_ name: String, type: UInt8? = nil, to value: [UInt8]) {
    items = items.map { $0.name == name ? (type ?? $0.type, name, value) : $0 }
  }
}
