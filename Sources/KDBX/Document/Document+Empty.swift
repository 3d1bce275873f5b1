import Ciphers
import Secrets

extension Document {
  /// A document of a root group without a name and nothing else: what stands where a vault's own has
  /// been wiped.
  package static func empty() -> Document {
    ofOurs("<KeePassFile><Meta/><Root><Group/></Root></KeePassFile>")
  }

  /// The document that a text of the program's own spells, without protected values; it must be one.
  static func ofOurs(_ xml: String) -> Document {
    let text = Array(xml.utf8)
    let source = DocumentSource(
      buffer: SharedBuffer(WipedBuffer(copying: text.span)),
      innerStream: InnerStream(.none, key: [UInt8]().span), sealingKey: SealingKey(), binaries: [])
    do throws(DocumentError) {
      return try Document(source: source, xml: 0..<text.count, version: .newest)
    } catch {
      preconditionFailure("a document of our own can't be read: \(error.kind)")
    }
  }
}
