import Ciphers
import Secrets
import Testing

@testable import KDBX

/// A KeePass 1 file made by hand, step by step as `docs/kdbx.md` 11 has it.
struct HandMadeKDB {
  var flags: UInt32 = 3
  var version: UInt32 = 0x0003_0004
  var rounds: UInt32 = 2
  var groups: [[UInt8]] = []
  var entries: [[UInt8]] = []
  /// What the header counts; as many as there are where `nil`.
  var groupCount: UInt32?
  /// What follows the entries.
  var trailer: [UInt8] = []
  /// 32 bytes.
  var key = SHA256.hash([UInt8]("test".utf8).span)
  /// Whether the header has another checksum.
  var hasWrongHash = false

  // MARK: - Records

  static func field(_ id: UInt16, _ bytes: [UInt8]) -> [UInt8] {
    littleEndian(id) + littleEndian(UInt32(bytes.count)) + bytes
  }

  static func text(_ id: UInt16, _ text: String) -> [UInt8] { field(id, Array(text.utf8) + [0]) }

  static let end = field(0xFFFF, [])
  /// 2023-11-14 22:13:20, as `docs/kdbx.md` 12 has it.
  static let time = hex("1f9edd6354")
  static let never = hex("2EDF397EFB")

  static func group(
    _ number: UInt32, _ name: String, level: UInt16 = 0, created: [UInt8] = time
  ) -> [UInt8] {
    var bytes = field(1, littleEndian(number))
    bytes += text(2, name)
    bytes += field(3, created)
    for id: UInt16 in [4, 5] { bytes += field(id, time) }
    bytes += field(6, never)
    bytes += field(7, littleEndian(UInt32(48)))
    bytes += field(8, littleEndian(level))
    return bytes + field(9, littleEndian(UInt32(1))) + end
  }

  /// An entry; `texts` are title, URL, user name, password, notes.
  static func entry(
    _ uuid: UInt8, in group: UInt32, _ texts: [String], expiry: [UInt8] = never, icon: UInt32 = 0,
    attachment: (name: String, content: [UInt8]) = ("", [])
  ) -> [UInt8] {
    var bytes = field(1, [UInt8](repeating: uuid, count: 16))
    bytes += field(2, littleEndian(group))
    bytes += field(3, littleEndian(icon))
    for (index, value) in texts.enumerated() { bytes += text(UInt16(4 + index), value) }
    for id: UInt16 in [9, 10, 11] { bytes += field(id, time) }
    bytes += field(12, expiry)
    return bytes + text(13, attachment.name) + field(14, attachment.content) + end
  }

  // MARK: - The file

  var plain: [UInt8] { groups.flatMap(\.self) + entries.flatMap(\.self) + trailer }

  private var header: [UInt8] {
    let plain = plain
    let hash = hasWrongHash ? [UInt8](repeating: 7, count: 32) : SHA256.hash(plain.span)
    var bytes = hex("03D9A29A 65FB4BB5")
    for number in [flags, version] { bytes += littleEndian(number) }
    bytes += [UInt8](repeating: 0xA4, count: 16)
    bytes += [UInt8](repeating: 0xA7, count: 16)
    bytes += littleEndian(groupCount ?? UInt32(groups.count))
    bytes += littleEndian(UInt32(entries.count))
    bytes += hash
    bytes += [UInt8](repeating: 0xA5, count: 32)
    return bytes + littleEndian(rounds)
  }

  var bytes: [UInt8] {
    get throws {
      let header = header
      let plain = plain
      let seed = [UInt8](repeating: 0xA5, count: 32)
      let transformed = KeyDerivation.aes(
        composite: key.span, seed: seed.span, rounds: UInt64(rounds))
      let cipherKey = SHA256.hash(
        ([UInt8](repeating: 0xA4, count: 16) + revealed(transformed)).span)
      let iv = [UInt8](repeating: 0xA7, count: 16)
      var output = WipedBuffer()
      var encryptor = try Encryptor(
        flags & 2 != 0 ? .aes256CBC : .twofish256CBC, key: cipherKey.span, iv: iv.span)
      try encryptor.update(plain.span, into: &output)
      try encryptor.finish(into: &output)
      return header + [UInt8](copying: output.bytes)
    }
  }
}
