import Ciphers
import Secrets

@testable import KDBX

/// A whole KeePass 1 file, and the same bytes as what is behind its encryption: the first two say how
/// many groups and entries there are.
func testKeePass1(_ bytes: Span<UInt8>) {
  _ = try? KDBFile.header(of: bytes)
  guard bytes.count >= 2 else { return }
  let plain = bytes.extracting(droppingFirst: 2)
  guard
    let content = try? KDBContent(
      plain, groupCount: Int(bytes[0]), entryCount: Int(bytes[1]))
  else { return }
  let shown = content.groups.reduce(content.strayEntries.count) { $0 + $1.entries.count }
  expect(content.groups.count == Int(bytes[0]), "all groups are there")
  let document: Document
  do throws(KDBXError) {
    document = try KDBTranslator.document(of: content, in: plain)
  } catch {
    // Only what is nested too deep can't be said in XML.
    expect(Int(bytes[0]) > 200, "what is read can be translated")
    return
  }
  expect(document.entryCount == shown, "all entries are there")
  expect(document.groupCount == content.groups.count + 1, "all groups are there, below a root")
  walk(document)
}
