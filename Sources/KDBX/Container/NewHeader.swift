import ByteCoding
package import Ciphers
package import Secrets

extension KDFParameters {
  /// Argon2 as a new vault has it, with a fresh salt of 32 bytes.
  ///
  /// - Precondition: the numbers are ones that Argon2 takes.
  package static func argon2(
    _ variant: Argon2Variant, memoryKiB: UInt32, iterations: UInt32, lanes: UInt32
  ) -> KDFParameters {
    // The types matter: KeePass refuses a vault whose passes are 32 bits wide.
    new([
      .init(
        type: .bytes, name: [UInt8]("$UUID"),
        value: variant == .d ? argon2dIdentifier : argon2idIdentifier),
      .init(type: .bytes, name: [UInt8]("S"), value: randomBytes(32)),
      .init(type: .uint32, name: [UInt8]("P"), value: littleEndianBytes(lanes)),
      .init(type: .uint64, name: [UInt8]("M"), value: littleEndianBytes(UInt64(memoryKiB) * 1024)),
      .init(type: .uint64, name: [UInt8]("I"), value: littleEndianBytes(UInt64(iterations))),
      .init(type: .uint32, name: [UInt8]("V"), value: littleEndianBytes(UInt32(0x13))),
    ])
  }

  /// AES-KDF as a KDBX 4 header has it, with a fresh seed.
  package static func aes(rounds: UInt64) -> KDFParameters {
    new([
      .init(type: .bytes, name: [UInt8]("$UUID"), value: aesIdentifier),
      .init(type: .uint64, name: [UInt8]("R"), value: littleEndianBytes(rounds)),
      .init(type: .bytes, name: [UInt8]("S"), value: randomBytes(32)),
    ])
  }

  private static func new(_ items: [VariantDictionary.Item]) -> KDFParameters {
    do throws(KDBXError) {
      return try KDFParameters(VariantDictionary(items: items))
    } catch {
      preconditionFailure("new parameters can't be read: \(error.kind)")
    }
  }

  private static func littleEndianBytes<Number: FixedWidthInteger>(_ value: Number) -> [UInt8] {
    (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: value >> Number(8 * $0)) }
  }
}

extension OuterHeader {
  /// The header of a new vault: KDBX 4.1, compressed; what is fresh in each file is made when it is
  /// written.
  package static func new(_ cipher: OuterCipher, _ kdf: KDFParameters) -> OuterHeader {
    var writer = ByteWriter()
    writer.append(Signature.kdbx)
    writer.append(Signature.release)
    writer.appendUInt16(FormatVersion.newest.minor)
    writer.appendUInt16(FormatVersion.newest.major)
    func append(_ id: FieldID, _ bytes: [UInt8]) {
      writer.append(id.rawValue)
      writer.appendInt32(Int32(clamping: bytes.count))
      writer.append(bytes)
    }
    append(.cipher, cipher.identifier)
    append(.compression, [1, 0, 0, 0])
    append(.masterSeed, randomBytes(32))
    append(.encryptionIV, randomBytes(cipher.ivSize))
    append(.kdfParameters, kdf.dictionaryToWrite?.bytes ?? [])
    append(.end, [0x0D, 0x0A, 0x0D, 0x0A])
    let header = writer.bytes
    let file = header + SHA256.hash(header.span)
    do throws(KDBXError) {
      return try read(file)
    } catch {
      preconditionFailure("a new header can't be read: \(error.kind)")
    }
  }

  /// Read as any header is, so that a new one is one that we read.
  private static func read(_ file: [UInt8]) throws(KDBXError) -> OuterHeader {
    var reader = FileReader(file.span, in: .signature)
    return try OuterHeader(reading: &reader, of: file.span)
  }
}

extension KDBXFile {
  /// Appends a whole new file that holds `document` under another key, derived with `parameters`; gives
  /// what was derived.
  ///
  /// Blocks for as long as the parameters ask for, and for the answers of a hardware key that
  /// `composite` has. `old` is what the vault was opened with: in KDBX 3 its answer does where there
  /// is none to a new seed.
  package static func write(
    _ document: Document, as header: OuterHeader, newKey composite: CompositeKey,
    _ parameters: KDFParameters, after old: DerivedKey? = nil, into output: inout WipedBuffer
  ) throws(KDBXError) -> DerivedKey {
    let derived = try DerivedKey(from: composite, with: parameters)
    let key = derived.with(composite.responder == nil ? nil : old?.answer)
    return try write(
      document, as: header, key: key, renewingSaltWith: nil,
      askingForNewSeed: composite.responder, into: &output
    ).key
  }
}
