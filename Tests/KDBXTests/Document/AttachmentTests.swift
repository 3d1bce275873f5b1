import ByteCoding
import Ciphers
import Secrets
import TestSupport
import Testing

@testable import KDBX

@Suite struct AttachmentTests {
  static func entry(_ references: [String], history: [String] = []) -> String {
    let binaries = { (references: [String]) in
      references.enumerated().map { index, reference in
        "<Binary><Key>f\(index)</Key><Value Ref=\"\(reference)\"/></Binary>"
      }.joined()
    }
    return
      "<Entry>\(binaries(references))<History><Entry>\(binaries(history))</Entry></History></Entry>"
  }

  static func xml(_ entries: [String], pool: String? = nil) -> String {
    """
    <KeePassFile><Meta>\(pool.map { "<Binaries>\($0)</Binaries>" } ?? "")</Meta><Root><Group>\
    \(entries.joined())</Group></Root></KeePassFile>
    """
  }

  static func contents(_ entry: Entry, _ document: Document) -> [String] {
    entry.attachments.map { attachment in
      (try? document.bytes(of: attachment.content)).map { String(decoding: $0, as: UTF8.self) }
        ?? "missing"
    }
  }

  static func binaries(_ names: [String]) -> [Make.Binary] {
    names.map { Make.Binary(content: Array($0.utf8)) }
  }

  @Test func `what is no longer referred to goes, what never was stays`() throws {
    var document = try Make.document(
      Self.xml([Self.entry(["0", "0"], history: ["1"]), Self.entry(["3"])]),
      binaries: Self.binaries(["A", "B", "never", "D", "alsonever"]))
    let ids = document.allEntries
    var second = document.entry(ids[1])
    second.removeAttachment(Array("f0".utf8))
    document.replace(ids[1], with: second)
    var first = document.entry(ids[0])
    let added = document.addBinary(
      document.values.source.sealingKey.seal(Array("new".utf8).span), isProtected: false)
    first.setAttachment(Array("f1".utf8), to: added)
    document.replace(ids[0], with: first)
    let again = try Make.reopened(document, seed: 2)
    let pool = try again.values.source.binaries.indices.map { index in
      String(
        decoding: try again.bytes(of: .pool(BinaryID(number: UInt32(index)))), as: UTF8.self)
    }
    #expect(pool == ["A", "B", "never", "alsonever", "new"])
    #expect(again.values.source.binaries.map(\.flags) == [1, 1, 1, 1, 0])
    let read = again.entry(again.allEntries[0])
    #expect(Self.contents(read, again) == ["A", "new"])
    #expect(Self.contents(read.history[0], again) == ["B"])
    #expect(document.hasSameContent(as: again))
  }

  @Test func `references in parts that weren't touched are renumbered too`() throws {
    var document = try Make.document(
      Self.xml([Self.entry(["0"]), Self.entry(["2", "1"], history: ["2"])]),
      binaries: Self.binaries(["A", "B", "C"]))
    document.remove(.entry(document.allEntries[0]))
    let again = try Make.reopened(document, seed: 2)
    #expect(again.values.source.binaries.count == 2)
    let read = again.entry(again.allEntries[0])
    #expect(Self.contents(read, again) == ["C", "B"])
    #expect(Self.contents(read.history[0], again) == ["C"])
  }

  @Test func `a reference that leads nowhere goes on doing so`() throws {
    var document = try Make.document(
      Self.xml([Self.entry(["0", "1", "x", "7"])]), binaries: Self.binaries(["A"]))
    let id = document.allEntries[0]
    var entry = document.entry(id)
    #expect(Self.contents(entry, document) == ["A", "missing", "missing", "missing"])
    for name in ["g", "h", "i"] {
      let content = document.addBinary(
        document.values.source.sealingKey.seal(Array(name.utf8).span), isProtected: true)
      entry.setAttachment(Array(name.utf8), to: content)
    }
    // One of them moves with an edit, the others stay in the source.
    entry.renameAttachment(from: Array("f1".utf8), to: Array("renamed".utf8))
    let missing = try #require(entry.attachment(Array("f3".utf8)))
    entry.setAttachment(Array("copy".utf8), to: missing.content)
    document.replace(id, with: entry)
    let again = try Make.reopened(document, seed: 2)
    #expect(
      Self.contents(again.entry(again.allEntries[0]), again)
        == ["A", "missing", "missing", "missing", "g", "h", "i", "missing"])
    #expect(document.hasSameContent(as: again))
  }

  @Test func `the same content with the same flag is stored once`() throws {
    var document = try Make.document(
      Self.xml([Self.entry(["0"])]), binaries: Self.binaries(["A"]))
    let seal = { (text: String) in
      document.values.source.sealingKey.seal(Array(text.utf8).span)
    }
    let sealed = [seal("A"), seal("A"), seal("B"), seal("B"), seal("B")]
    let contents = zip(sealed, [true, false, true, true, false]).map { bytes, isProtected in
      document.addBinary(bytes, isProtected: isProtected)
    }
    #expect(contents[0] == .pool(BinaryID(number: 0)))
    #expect(contents[1] != contents[0])
    #expect(contents[2] == contents[3])
    #expect(contents[4] != contents[3])
    #expect(document.addedBinaries.count == 3)
    // What nothing refers to isn't written.
    #expect(document.writePlan().binaries.count == 1)
  }

  @Test func `parts of a content are read, at any place`() throws {
    let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0 * 7) }
    let pool =
      "<Binary ID=\"4\">\(String(decoding: Base64.encode(content.span), as: UTF8.self))</Binary>"
    var document = try Make.document(
      Self.xml([Self.entry(["0", "4"])], pool: pool), binaries: [Make.Binary(content: content)])
    let added = document.addBinary(
      document.values.source.sealingKey.seal(Array(content.reversed()).span), isProtected: true)
    let contents = document.entry(document.allEntries[0]).attachments.map(\.content)
    var random = SeededGenerator(seed: 1)
    for (reference, bytes) in zip(contents + [added], [content, content, content.reversed()]) {
      #expect(try document.count(of: reference) == 1000)
      for _ in 0..<50 {
        let start = Int.random(in: 0...1100, using: &random)
        let range = start..<start + Int.random(in: 0...400, using: &random)
        var output = WipedBuffer()
        output.append(1)
        try document.open(reference, range: range, into: &output)
        #expect(Make.bytes(of: output) == [1] + bytes[range.clamped(to: 0..<1000)])
      }
    }
  }

  // MARK: - KDBX 3

  static func gzip(_ bytes: [UInt8]) -> String {
    var packed = WipedBuffer()
    var deflater = Deflater(level: 6)
    deflater.update(bytes.span, into: &packed)
    deflater.finish(into: &packed)
    return String(decoding: Base64.encode(Make.bytes(of: packed).span), as: UTF8.self)
  }

  /// Numbers with gaps, one twice, contents plain, packed, enciphered, with white space; and inline.
  static func version3() -> String {
    let pool = """
      <Binary ID="2">QQ==</Binary><Binary ID="9" Compressed="True">\(gzip(Array("B".utf8)))</Binary>\
      <Binary ID="5" Protected="True">\(Make.protected("CC", at: 0))</Binary>\
      <Binary ID="7">ZWFybGllcg==</Binary><Binary ID="7"> RE
       Q= </Binary><Binary ID="11">bmV2ZXI=</Binary><Binary ID="12" Compressed="True"/>
      """
    let inline = """
      <Binary><Key>i</Key><Value>SQ==</Value></Binary><Binary><Key>j</Key>\
      <Value Protected="True">\(Make.protected("JJJ", at: 2))</Value></Binary>\
      <Binary><Key>k</Key><Value Compressed="True">\(gzip(Array("K".utf8)))</Value></Binary>
      """
    return xml(
      [entry(["2", "9", "5", "7", "12", "1"]), "<Entry>\(inline)</Entry>"], pool: pool)
  }

  @Test func `the pool in Meta is read in all its forms`() throws {
    let document = try Make.document(Self.version3(), version: .kdbx31)
    let entries = document.allEntries.map { document.entry($0) }
    #expect(Self.contents(entries[0], document) == ["A", "B", "CC", "DD", "", "missing"])
    #expect(Self.contents(entries[1], document) == ["I", "JJJ", "K"])
    #expect(
      try entries[0].attachments.dropLast().map { try document.count(of: $0.content) }
        == [1, 1, 2, 2, 0])
    #expect(try Make.written(document) == Array(Self.version3().utf8))
  }

  @Test func `the pool in Meta is edited, and written in its own form`() throws {
    var document = try Make.document(Self.version3(), version: .kdbx31)
    let id = document.allEntries[0]
    var entry = document.entry(id)
    for name in ["f0", "f1", "f2"] { entry.removeAttachment(Array(name.utf8)) }
    for (name, isProtected) in [("plain", false), ("secret", true)] {
      let content = document.addBinary(
        document.values.source.sealingKey.seal(Array(name.utf8).span), isProtected: isProtected)
      entry.setAttachment(Array(name.utf8), to: content)
    }
    document.replace(id, with: entry)
    #expect(document.writePlan().binaries.isEmpty)
    let again = try Make.reopened(document, seed: 4, headerHash: [1, 2, 3])
    #expect(again.meta.headerHash == [1, 2, 3])
    let entries = again.allEntries.map { again.entry($0) }
    #expect(Self.contents(entries[0], again) == ["DD", "", "missing", "plain", "secret"])
    #expect(Self.contents(entries[1], again) == ["I", "JJJ", "K"])
    #expect(again.values.skeleton.pool.map(\.number) == [7, 7, 11, 12, 13, 14])
    #expect(document.hasSameContent(as: again))
  }

  @Test func `a pool in Meta of a KDBX 4 file shares its numbers`() throws {
    let pool = "<Binary ID=\"1\">TUVUQQ==</Binary>"
    var document = try Make.document(
      Self.xml([Self.entry(["0", "1"])], pool: pool), binaries: Self.binaries(["A", "shadowed"]))
    let id = document.allEntries[0]
    var entry = document.entry(id)
    #expect(Self.contents(entry, document) == ["A", "META"])
    let content = document.addBinary(
      document.values.source.sealingKey.seal(Array("new".utf8).span), isProtected: false)
    entry.setAttachment(Array("new".utf8), to: content)
    document.replace(id, with: entry)
    let again = try Make.reopened(document, seed: 4)
    #expect(Self.contents(again.entry(again.allEntries[0]), again) == ["A", "META", "new"])
    #expect(document.hasSameContent(as: again))
  }

  @Test(arguments: ["Q", "Q===", "Q?==", "<b/>"])
  func `a content that isn't base64 is an error, and kept`(text: String) throws {
    let xml = Self.xml([Self.entry(["1"])], pool: "<Binary ID=\"1\">\(text)</Binary>")
    let document = try Make.document(xml, version: .kdbx31)
    let content = document.entry(document.allEntries[0]).attachments[0].content
    if text != "<b/>" {
      #expect(throws: DocumentError.self) { try document.bytes(of: content) }
      #expect(throws: DocumentError.self) { try document.count(of: content) }
    }
    #expect(try Make.written(document) == Array(xml.utf8))
  }

  @Test func `a packed content that is damaged or cut is an error`() throws {
    let packed = Self.gzip(Array("hello, hello, hello".utf8))
    let cut = packed.prefix(packed.count / 8 * 4)
    for text in [String(cut), "QUFB"] {
      let document = try Make.document(
        Self.xml(
          [Self.entry(["1"])], pool: "<Binary ID=\"1\" Compressed=\"True\">\(text)</Binary>"),
        version: .kdbx31)
      let content = document.entry(document.allEntries[0]).attachments[0].content
      #expect(throws: DocumentError.self) { try document.bytes(of: content) }
    }
  }
}
