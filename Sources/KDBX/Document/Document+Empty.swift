import Ciphers
import Secrets

extension Document {
  /// A document of a root group without a name and nothing else: what stands where a vault's own has
  /// been wiped.
  package static func empty() -> Document {
    let text = Array("<KeePassFile><Meta/><Root><Group/></Root></KeePassFile>".utf8)
    let source = DocumentSource(
      buffer: SharedBuffer(WipedBuffer(copying: text.span)),
      innerStream: InnerStream(.none, key: [UInt8]().span), sealingKey: SealingKey(), binaries: [])
    do throws(DocumentError) {
      return try Document(source: source, xml: 0..<text.count, version: .newest)
    } catch {
      preconditionFailure("the empty document can't be read: \(error.kind)")
    }
  }
}
