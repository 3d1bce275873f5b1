package import Ciphers
import Secrets

/// How a vault makes its key from the composite key, and how dear that is (`docs/kdbx.md` 2).
package struct KDFParameters: Hashable, Sendable {
  package enum Algorithm: Hashable, Sendable {
    case aes(rounds: UInt64)
    case argon2(Argon2)
  }

  package struct Argon2: Hashable, Sendable {
    package let variant: Argon2Variant
    /// 0x10 or 0x13; the two give different keys.
    package let version: UInt32
    package let memoryKiB: UInt32
    package let iterations: UInt32
    package let lanes: UInt32
    /// `K`: a key of its own, which no program sets but KeePass honours.
    package let secret: [UInt8]
    /// `A`: data that is mixed in, likewise.
    package let associatedData: [UInt8]
  }

  package let algorithm: Algorithm
  /// `S`, in KDBX 3 the transform seed.
  package let salt: [UInt8]
  /// What a KDBX 4 header says in full, items included that we don't know; nil in KDBX 3.
  package let dictionary: VariantDictionary?

  /// What a KDBX 3 header says in two fields.
  package init(transformSeed: [UInt8], rounds: UInt64) {
    algorithm = .aes(rounds: rounds)
    salt = transformSeed
    dictionary = nil
  }

  private init(algorithm: Algorithm, salt: [UInt8], dictionary: VariantDictionary?) {
    self.algorithm = algorithm
    self.salt = salt
    self.dictionary = dictionary
  }

  /// Reads what a KDBX 4 header says.
  package init(_ dictionary: VariantDictionary) throws(KDBXError) {
    guard let identifier = dictionary.bytes("$UUID") else { throw Self.missing("$UUID") }
    switch identifier {
    case Self.aesIdentifier, Self.alternativeAESIdentifier:
      guard let rounds = dictionary.unsigned("R") else { throw Self.missing("R") }
      algorithm = .aes(rounds: rounds)
    case Self.argon2dIdentifier:
      algorithm = .argon2(try Argon2(.d, dictionary))
    case Self.argon2idIdentifier:
      algorithm = .argon2(try Argon2(.id, dictionary))
    default:
      throw KDBXError(.unsupported(.keyDerivation), in: .header)
    }
    guard let salt = dictionary.bytes("S") else { throw Self.missing("S") }
    self.salt = salt
    self.dictionary = dictionary
  }

  static func missing(_ name: String) -> KDBXError {
    KDBXError(
      .damaged, in: .header, cause: .text("the key derivation has no parameter \(name)"))
  }
}

extension KDFParameters.Argon2 {
  fileprivate init(
    _ variant: Argon2Variant, _ dictionary: VariantDictionary
  ) throws(KDBXError) {
    func number<Number: FixedWidthInteger>(_ name: StaticString) throws(KDBXError) -> Number {
      guard let value = dictionary.unsigned(name) else {
        throw KDFParameters.missing("\(name)")
      }
      // No program can have derived a key with more.
      guard let number = Number(exactly: value) else {
        throw KDBXError(
          .damaged, in: .header,
          cause: .text("the key derivation's parameter \(name) is \(value)"))
      }
      return number
    }
    let memory: UInt64 = try number("M")
    self.variant = variant
    version = try number("V")
    memoryKiB = UInt32(clamping: memory / 1024)
    iterations = try number("I")
    lanes = try number("P")
    secret = dictionary.bytes("K") ?? []
    associatedData = dictionary.bytes("A") ?? []
    guard version == 0x10 || version == 0x13 else {
      throw KDBXError(.unsupported(.keyDerivation), in: .header)
    }
  }
}

// MARK: - Identifiers

extension KDFParameters {
  /// The one that all programs write.
  static let aesIdentifier: [UInt8] = [
    0xC9, 0xD9, 0xF3, 0x9A, 0x62, 0x8A, 0x44, 0x60, 0xBF, 0x74, 0x0D, 0x08, 0xC1, 0x8A, 0x4F, 0xEA,
  ]
  /// The same algorithm under a name that KeePass refuses: read, never written.
  static let alternativeAESIdentifier: [UInt8] = [
    0x7C, 0x02, 0xBB, 0x82, 0x79, 0xA7, 0x4A, 0xC0, 0x92, 0x7D, 0x11, 0x4A, 0x00, 0x64, 0x82, 0x38,
  ]
  static let argon2dIdentifier: [UInt8] = [
    0xEF, 0x63, 0x6D, 0xDF, 0x8C, 0x29, 0x44, 0x4B, 0x91, 0xF7, 0xA9, 0xA4, 0x03, 0xE3, 0x0A, 0x0C,
  ]
  static let argon2idIdentifier: [UInt8] = [
    0x9E, 0x29, 0x8B, 0x19, 0x56, 0xDB, 0x47, 0x73, 0xB2, 0x3D, 0xFC, 0x3E, 0xC6, 0xF0, 0xA1, 0xE6,
  ]
}

// MARK: - Writing

extension KDFParameters {
  /// The same with another salt, of the same length unless another is asked for.
  package func withFreshSalt(count: Int? = nil) -> KDFParameters {
    let fresh = randomBytes(count ?? salt.count)
    var dictionary = dictionary
    dictionary?.replace("S", with: fresh)
    return KDFParameters(algorithm: algorithm, salt: fresh, dictionary: dictionary)
  }

  /// The same with its numbers in the given widths.
  func withNumberTypes(
    _ types: [(StaticString, VariantDictionary.ItemType)]
  ) -> KDFParameters {
    var dictionary = dictionary
    for (name, type) in types { dictionary?.widen(name, to: type) }
    return KDFParameters(algorithm: algorithm, salt: salt, dictionary: dictionary)
  }

  /// Whether both make the same key of the same composite key.
  func derivesSameKey(as other: KDFParameters) -> Bool {
    algorithm == other.algorithm && salt == other.salt
  }

  /// Whether they are of a KDBX 4 header.
  var isOfVersion4: Bool { dictionary != nil }

  /// The dictionary for a KDBX 4 header, under an identifier that all programs read.
  var dictionaryToWrite: VariantDictionary? {
    guard var dictionary else { return nil }
    if dictionary.bytes("$UUID") == Self.alternativeAESIdentifier {
      dictionary.replace("$UUID", with: Self.aesIdentifier)
    }
    return dictionary
  }
}

// MARK: - Deriving

extension KDFParameters {
  /// Refuses what costs more than `limits` allow.
  ///
  /// To be called before ``derive(from:)``: nothing vouches for the parameters until the key that
  /// they make has been tried.
  package func check(against limits: Limits) throws(KDBXError) {
    switch algorithm {
    case .aes(let rounds):
      guard rounds <= limits.aesRounds else {
        throw KDBXError(
          .tooExpensive(.rounds(rounds, limit: limits.aesRounds)), in: .keyDerivation)
      }
    case .argon2(let argon2):
      let memory = UInt64(argon2.memoryKiB)
      guard memory <= limits.argon2MemoryKiB else {
        throw KDBXError(
          .tooExpensive(.memory(kib: memory, limit: limits.argon2MemoryKiB)), in: .keyDerivation)
      }
      // Both have 32 bits, so the product fits.
      let work = memory * UInt64(argon2.iterations)
      guard work <= limits.argon2WorkKiB else {
        throw KDBXError(
          .tooExpensive(.work(kib: work, limit: limits.argon2WorkKiB)), in: .keyDerivation)
      }
    }
  }

  /// Derives the key; blocks for as long as the parameters ask for.
  func derive(from composite: Span<UInt8>) throws(KDBXError) -> SecretBytes {
    switch algorithm {
    case .aes(let rounds):
      // KeePass hashes a seed of another length, KeePassXC refuses it.
      let seed = salt.count == 32 ? salt : SHA256.hash(salt.span)
      return KeyDerivation.aes(composite: composite, seed: seed.span, rounds: rounds)
    case .argon2(let argon2):
      do throws(KDFError) {
        return try KeyDerivation.argon2(
          argon2.variant, version: argon2.version, password: composite, salt: salt.span,
          secret: argon2.secret.span, associatedData: argon2.associatedData.span,
          memoryKiB: argon2.memoryKiB, iterations: argon2.iterations, lanes: argon2.lanes)
      } catch {
        throw KDBXError(error)
      }
    }
  }
}
