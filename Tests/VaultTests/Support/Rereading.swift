import Ciphers
import KDBX
import Secrets
import Vault

extension Document {
  /// The document as it is read back from what is written of it: with another source, another key
  /// stream and other numbers.
  func reread() throws -> Document {
    let plan = writePlan()
    let sealingKey = SealingKey()
    var buffer = WipedBuffer()
    var binaries: [InnerBinary] = []
    for binary in plan.binaries {
      let start = buffer.count
      try open(binary.content, into: &buffer)
      let end = buffer.count
      var bytes = buffer.mutableBytes
      var content = bytes._mutatingExtracting(start..<end)
      binaries.append(
        InnerBinary(
          flags: binary.flags, content: start..<end, nonce: sealingKey.sealInPlace(&content)))
    }
    let start = buffer.count
    let key = SecretBytes.random(64)
    let stream = key.withBytes { InnerStream(.chaCha20, key: $0) }
    try writeXML(plan, innerStream: stream, headerHash: nil, into: &buffer)
    let end = buffer.count
    return try Document(
      source: DocumentSource(
        buffer: SharedBuffer(buffer), innerStream: stream, sealingKey: sealingKey,
        binaries: binaries),
      xml: start..<end, version: version)
  }
}
