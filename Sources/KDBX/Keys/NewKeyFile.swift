import ByteCoding
import Ciphers
package import Secrets

extension KeyFile {
  /// The bytes in a group of digits, as KeePass sets them out.
  private static let groupSize = 4

  /// A new key file: XML of version 2.0 (`docs/kdbx.md` 3.2), a random key of 32 bytes in hexadecimal
  /// with its checksum.
  package static func new() -> WipedBuffer {
    let key = SecretBytes.random(32)
    var file = WipedBuffer(capacity: 512)
    file.append(
      """
      <?xml version="1.0" encoding="utf-8"?>
      <KeyFile>
      \t<Meta>
      \t\t<Version>2.0</Version>
      \t</Meta>
      \t<Key>
      \t\t<Data Hash="
      """)
    key.withBytes { bytes in
      // No secret: it stands in the file to tell a damaged key.
      let checksum = Array(SHA256.hash(bytes).prefix(groupSize))
      file.append(Hex.encode(checksum.span, uppercase: true).span)
      file.append("\">")
      for start in stride(from: 0, to: bytes.count, by: groupSize) {
        file.append(start % 16 == 0 ? "\n\t\t\t" : " ")
        for i in start..<start + groupSize {
          file.append(digit(bytes[i] >> 4))
          file.append(digit(bytes[i] & 15))
        }
      }
    }
    file.append(
      """

      \t\t</Data>
      \t</Key>
      </KeyFile>

      """)
    return file
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
