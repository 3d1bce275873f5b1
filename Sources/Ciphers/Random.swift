import CPlatform
package import Secrets

/// Random bytes for what becomes public: seeds, IVs, identifiers.
package func randomBytes(_ count: Int) -> [UInt8] {
  unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
    unsafe fillAtRandom(UnsafeMutableRawBufferPointer(buffer))
    written = count
  }
}

extension SecretBytes {
  /// Random bytes for keys.
  package static func random(_ count: Int) -> SecretBytes {
    SecretBytes(zeroed: count) { span in
      unsafe span.withUnsafeMutableBytes { buffer in unsafe fillAtRandom(buffer) }
    }
  }
}

/// Fills with what the kernel's generator gives: no state of one lies in our memory, and none has to be
/// set up.
private func fillAtRandom(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let base = buffer.baseAddress else { return }
  precondition(unsafe platform_random(base, buffer.count) == 0, "the kernel has no random bytes")
}
