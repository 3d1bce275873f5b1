import CLibcrypto
import Secrets

/// A cipher of OpenSSL's, without its padding.
@safe
final class EVPEngine: CipherEngine {
  private let context: OpaquePointer
  private let direction: CipherDirection
  /// The most bytes in one call, a multiple of any block: OpenSSL counts in 32 bits.
  private static let mostAtOnce = 1 << 30

  init(
    _ algorithm: FetchedAlgorithm, _ direction: CipherDirection, key: Span<UInt8>,
    iv: Span<UInt8>
  ) {
    guard let context = unsafe EVP_CIPHER_CTX_new() else {
      preconditionFailure("no memory for a cipher")
    }
    unsafe self.context = context
    self.direction = direction
    unsafe key.withCBytes { key, _ in
      unsafe iv.withCBytes { iv, _ in
        let encrypts: CInt = direction == .encrypt ? 1 : 0
        demand(
          unsafe EVP_CipherInit_ex2(context, algorithm.pointer, key, iv, encrypts, nil),
          "begin a cipher")
      }
    }
    demand(unsafe EVP_CIPHER_CTX_set_padding(context, 0), "begin a cipher")
  }

  deinit { unsafe EVP_CIPHER_CTX_free(context) }

  func process(_ input: Span<UInt8>, into output: inout WipedBuffer) {
    var rest = input
    while !rest.isEmpty {
      let piece = rest.extracting(first: min(rest.count, Self.mostAtOnce))
      rest = rest.extracting(droppingFirst: piece.count)
      let context = unsafe context
      output.append(atMost: piece.count) { out in
        unsafe out.withUnsafeMutableBytes { out, initialized in
          let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self)
          unsafe piece.withCBytes { base, count in
            var written: CInt = 0
            // SAFETY: without padding and with whole blocks just `count` bytes come out.
            demand(
              unsafe EVP_CipherUpdate(context, target, &written, base, CInt(count)),
              "go on with a cipher")
            initialized = Int(written)
          }
        }
      }
    }
  }
}
