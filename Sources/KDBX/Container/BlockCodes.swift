import ByteCoding
import Ciphers
import Secrets

/// The authentication codes of KDBX 4: one for the header, one a block, each under a key of its own
/// (`docs/kdbx.md` 1.4).
struct BlockCodes: ~Copyable {
  /// The size of a code, in bytes.
  static let byteCount = 32
  /// The number that the header's code counts as.
  private static let headerIndex = UInt64.max

  /// 64 bytes that all keys come from.
  private let macKey: SecretBytes
  private var hmac: HMAC

  init(macKey: consuming SecretBytes) {
    hmac = macKey.withBytes { HMAC(.sha256, key: $0) }
    self.macKey = macKey
  }

  /// The code of the header, which is all bytes from the signature to the end field.
  mutating func code(ofHeader header: Span<UInt8>) -> [UInt8] {
    restart(for: Self.headerIndex)
    hmac.update(header)
    return hmac.code()
  }

  /// The code of block number `index`.
  mutating func code(ofBlock data: Span<UInt8>, index: UInt64) -> [UInt8] {
    restart(for: index)
    var prefix = ByteWriter()
    prefix.appendUInt64(index)
    prefix.appendInt32(Int32(clamping: data.count))
    hmac.update(prefix.bytes.span)
    hmac.update(data)
    return hmac.code()
  }

  /// Begins a code under the key of block number `index`.
  private mutating func restart(for index: UInt64) {
    var number = ByteWriter()
    number.appendUInt64(index)
    var hash = SHA512()
    hash.update(number.bytes.span)
    macKey.withBytes { hash.update($0) }
    let key = hash.finalizeSecret()
    key.withBytes { hmac.restart(key: $0) }
  }
}
