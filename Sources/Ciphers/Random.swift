import CLibcrypto
package import Secrets

/// Random bytes for what becomes public: seeds, IVs, identifiers.
package func randomBytes(_ count: Int) -> [UInt8] {
  Libcrypto.begin()
  return unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    unsafe demand(RAND_bytes(buffer.baseAddress, CInt(count)), "make random bytes")
    written = count
  }
}

extension SecretBytes {
  /// Random bytes for keys, from a generator that never shows any of its output.
  package static func random(_ count: Int) -> SecretBytes {
    Libcrypto.begin()
    return SecretBytes(zeroed: count) { span in
      unsafe span.withUnsafeMutableBufferPointer { buffer in
        unsafe demand(RAND_priv_bytes(buffer.baseAddress, CInt(count)), "make random bytes")
      }
    }
  }
}
