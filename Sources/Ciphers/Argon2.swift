import CArgon2
import CPlatform
package import Secrets

/// The variants of Argon2 that KDBX knows.
package enum Argon2Variant: Hashable, Sendable {
  case d, id
}

extension KeyDerivation {
  /// The most threads that a derivation gets: the number of lanes comes from the file.
  static let mostThreads: UInt32 = 16

  /// Argon2 (RFC 9106), 32 bytes.
  ///
  /// Blocks for as long as the parameters ask for, on as many threads as there are lanes, up to 16.
  /// Its memory lies in huge pages where the kernel has them, which is worth a third of the time, and
  /// never in a core file.
  package static func argon2(
    _ variant: Argon2Variant, version: UInt32, password: Span<UInt8>, salt: Span<UInt8>,
    secret: Span<UInt8>, associatedData: Span<UInt8>, memoryKiB: UInt32, iterations: UInt32,
    lanes: UInt32
  ) throws(KDFError) -> SecretBytes {
    guard
      [password.count, salt.count, secret.count, associatedData.count].allSatisfy({
        $0 <= Int(UInt32.max)
      })
    else { throw .parameters(code: ARGON2_INCORRECT_PARAMETER.rawValue) }
    return try SecretBytes(zeroed: 32) { (out) throws(KDFError) in
      // SAFETY: libargon2 only reads its inputs (no flag asks it to clear them), and all of them
      // outlive the call. It wipes its memory before it gives it to `free_cbk`.
      let code = unsafe out.withUnsafeMutableBufferPointer { out in
        unsafe password.withCBytes { password, passwordCount in
          unsafe salt.withCBytes { salt, saltCount in
            unsafe secret.withCBytes { secret, secretCount in
              unsafe associatedData.withCBytes { associated, associatedCount in
                var context = unsafe argon2_context(
                  out: out.baseAddress, outlen: 32,
                  pwd: UnsafeMutablePointer(mutating: password), pwdlen: UInt32(passwordCount),
                  salt: UnsafeMutablePointer(mutating: salt), saltlen: UInt32(saltCount),
                  secret: UnsafeMutablePointer(mutating: secret), secretlen: UInt32(secretCount),
                  ad: UnsafeMutablePointer(mutating: associated), adlen: UInt32(associatedCount),
                  t_cost: iterations, m_cost: memoryKiB, lanes: lanes,
                  threads: min(lanes, mostThreads), version: version,
                  allocate_cbk: mapMemory, free_cbk: unmapMemory, flags: 0)
                return unsafe run(&context, variant)
              }
            }
          }
        }
      }
      switch code {
      case ARGON2_OK.rawValue: return
      case ARGON2_MEMORY_ALLOCATION_ERROR.rawValue: throw .outOfMemory(kibibytes: memoryKiB)
      default: throw .parameters(code: code)
      }
    }
  }

  private static func run(
    _ context: UnsafeMutablePointer<argon2_context>, _ variant: Argon2Variant
  ) -> Int32 {
    let type = variant == .d ? Argon2_d : Argon2_id
    let code = unsafe argon2_ctx(context, type)
    guard code == ARGON2_THREAD_FAIL.rawValue else { return code }
    // Where no more threads may be made, one gives the same key.
    unsafe context.pointee.threads = 1
    return unsafe argon2_ctx(context, type)
  }

  private static let mapMemory:
    @convention(c) (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?, Int) -> CInt = {
      target, count in
      let memory = unsafe platform_map(count, 1)
      unsafe target?.pointee = memory?.assumingMemoryBound(to: UInt8.self)
      return unsafe memory == nil ? -1 : 0
    }

  private static let unmapMemory: @convention(c) (UnsafeMutablePointer<UInt8>?, Int) -> Void = {
    memory, count in
    guard let memory = unsafe memory else { return }
    unsafe platform_unmap(memory, count)
  }
}
