import Ciphers
import Secrets

@testable import KDBX

/// A key file gives a key or is refused, and what is no XML is never refused.
func testKeyFile(_ bytes: Span<UInt8>) {
  let legacy = KeyFile.keePass1Key(from: bytes)
  expect(legacy.count == 32, "KeePass 1 takes any file")
  do throws(KDBXError) {
    let key = try KeyFile.key(from: bytes)
    if XMLKeyFile(reading: bytes) == nil {
      expect(key.matches(legacy), "what is no XML is taken as KeePass 1 takes it")
    }
  } catch {
    guard case .badKeyFile = error.kind else { fatalError("a key file is refused as such") }
    expect(XMLKeyFile(reading: bytes) != nil, "only XML is refused")
  }
}
