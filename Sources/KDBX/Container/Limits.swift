/// What a file may ask of us before we know that its owner wrote it.
///
/// The header is read before any key can vouch for it, so it could ask for a week of work or all
/// memory of the machine.
package struct Limits: Hashable, Sendable {
  /// The most memory that Argon2 may take, in KiB.
  package var argon2MemoryKiB: UInt64
  /// The most work that Argon2 may do: memory times passes, in KiB.
  package var argon2WorkKiB: UInt64
  /// The most rounds of AES-KDF.
  package var aesRounds: UInt64
  /// The most bytes that the content may have, decompressed.
  package var contentBytes: Int

  package init(
    argon2MemoryKiB: UInt64, argon2WorkKiB: UInt64, aesRounds: UInt64, contentBytes: Int
  ) {
    self.argon2MemoryKiB = argon2MemoryKiB
    self.argon2WorkKiB = argon2WorkKiB
    self.aesRounds = aesRounds
    self.contentBytes = contentBytes
  }

  /// What any honest vault stays within.
  ///
  /// - Memory: 2 GiB, the most that KeePass can set.
  /// - Argon2's work: 256 GiB, some minutes; programs offer at most five seconds by themselves.
  /// - Rounds: 2^31, the most that KeePassXC can set, under a minute.
  /// - Content: 2 GiB, as all sizes in the format are signed 32-bit.
  package static let standard = Limits(
    argon2MemoryKiB: 2 << 20, argon2WorkKiB: 1 << 28, aesRounds: 1 << 31,
    contentBytes: 1 << 31)

  /// The same, but that neither the key derivation nor the content may take more than `bytes`.
  package func withMemory(atMost bytes: Int) -> Limits {
    var limits = self
    limits.argon2MemoryKiB = UInt64(max(0, bytes)) / 1024
    limits.contentBytes = max(0, bytes)
    return limits
  }

  /// What a file asked for, and what it may have.
  package enum Excess: Hashable, Sendable {
    case memory(kib: UInt64, limit: UInt64)
    case work(kib: UInt64, limit: UInt64)
    case rounds(UInt64, limit: UInt64)
    /// Within the limits, but the machine hasn't got it.
    case unavailableMemory(kib: UInt64)
  }
}
