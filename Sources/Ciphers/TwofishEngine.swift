import CNettle
import CPlatform
import Secrets

/// Twofish in CBC, from nettle, without padding.
@safe
final class TwofishEngine: CipherEngine {
  /// On the heap, so that the key schedule has one place, and is overwritten there.
  private let context: UnsafeMutablePointer<twofish_ctx>
  private let direction: CipherDirection
  /// The last block of cipher text; nettle keeps it up to date.
  private var chain: [UInt8]

  init(_ direction: CipherDirection, key: Span<UInt8>, iv: Span<UInt8>) {
    unsafe context = .allocate(capacity: 1)
    unsafe context.initialize(to: twofish_ctx())
    self.direction = direction
    chain = iv.indices.map { iv[$0] }
    let context = unsafe context
    unsafe key.withCBytes { key, count in
      unsafe nettle_twofish_set_key(context, count, key)
    }
  }

  deinit {
    unsafe platform_wipe(context, MemoryLayout<twofish_ctx>.size)
    unsafe context.deallocate()
  }

  func process(_ input: Span<UInt8>, into output: inout WipedBuffer) {
    let context = unsafe context
    // nettle works on a block in variables of its own.
    defer { platform_wipe_stack() }
    output.append(atMost: input.count) { out in
      unsafe out.withUnsafeMutableBytes { out, initialized in
        let target = unsafe out.baseAddress?.assumingMemoryBound(to: UInt8.self)
        unsafe input.withCBytes { base, count in
          switch direction {
          case .encrypt:
            unsafe nettle_cbc_encrypt(
              context, Self.encryptBlocks, 16, &chain, count, target, base)
          case .decrypt:
            unsafe nettle_cbc_decrypt(
              context, Self.decryptBlocks, 16, &chain, count, target, base)
          }
          initialized = count
        }
      }
    }
  }

  // nettle's CBC takes any cipher, whose context it doesn't know.
  private typealias Blocks =
    @convention(c) (
      UnsafeRawPointer?, Int, UnsafeMutablePointer<UInt8>?, UnsafePointer<UInt8>?
    ) -> Void

  private static let encryptBlocks: Blocks = { context, count, target, source in
    unsafe nettle_twofish_encrypt(
      context?.assumingMemoryBound(to: twofish_ctx.self), count, target, source)
  }

  private static let decryptBlocks: Blocks = { context, count, target, source in
    unsafe nettle_twofish_decrypt(
      context?.assumingMemoryBound(to: twofish_ctx.self), count, target, source)
  }
}
