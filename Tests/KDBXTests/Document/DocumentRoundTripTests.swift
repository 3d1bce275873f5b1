import Ciphers
import KDBX
import Secrets
import Testing

@Suite struct DocumentRoundTripTests {
  /// A document with what a document can have, in KeePass's shape.
  static func sample() -> String {
    let second = Make.protected("päss<&>\u{1}", at: 3)
    return """
      \u{FEFF}<?xml version="1.0" encoding="utf-8" standalone="yes"?>
      <!-- a comment <Group> -->
      <KeePassFile>
      \t<Meta>
      \t\t<Generator>test &amp; more</Generator>
      \t\t<RecycleBinEnabled>True</RecycleBinEnabled>
      \t\t<HistoryMaxItems>10</HistoryMaxItems>
      \t\t<Future at="1"><x/></Future>
      \t</Meta>
      \t<Root>
      \t\t<Group>
      \t\t\t<UUID>AAECAwQFBgcICQoLDA0ODw==</UUID>
      \t\t\t<Name>Top &lt;&#x41;&gt;</Name>
      \t\t\t<Entry odd='1'>
      \t\t\t\t<UUID>EBESExQVFhcYGRobHB0eHw==</UUID>
      \t\t\t\t<String><Key>Title</Key><Value>One</Value></String>
      \t\t\t\t<String><Key>Password</Key><Value Protected="True">\(Make.protected("abc", at: 0))</Value></String>
      \t\t\t\t<Unknown>kept</Unknown>
      \t\t\t\t<String><Value Protected="True">\(second)</Value><Key>Pin</Key></String>
      \t\t\t\t<History/>
      \t\t\t</Entry>
      \t\t\t<?pi kept?>
      \t\t\t<Group>
      \t\t\t\t<Name><![CDATA[Sub & <group>]]></Name>
      \t\t\t</Group>
      \t\t</Group>
      \t\t<DeletedObjects />
      \t</Root>
      </KeePassFile>
      <!-- end -->
      """
  }

  @Test func `what isn't edited goes back as it came`() throws {
    let xml = Array(Self.sample().utf8)
    let document = try Make.document(xml)
    #expect(try Make.written(document) == Array(xml.dropFirst(3)))
  }

  @Test func `a default namespace changes nothing`() throws {
    let xml = Self.sample().replacing("<KeePassFile>", with: "<KeePassFile xmlns=\"urn:x\">")
    let document = try Make.document(xml)
    #expect(document.value("Title", of: document.entry(document.allEntries[0])) == "One")
    #expect(try Make.written(document) == Array(xml.utf8.dropFirst(3)))
  }

  @Test func `values are read as they are meant`() throws {
    let document = try Make.document(Self.sample())
    let entry = document.entry(document.allEntries[0])
    #expect(document.value("Title", of: entry) == "One")
    #expect(document.value("Password", of: entry) == "abc")
    #expect(document.value("Pin", of: entry) == "päss<&>\u{1}")
    #expect(document.group(document.root).name == Array("Top <A>".utf8))
    #expect(document.group(document.allGroups[1]).name == Array("Sub & <group>".utf8))
    #expect(document.entryCount == 1)
    #expect(document.groupCount == 2)
  }

  @Test func `under another stream the same values are written`() throws {
    let document = try Make.document(Self.sample())
    let other = Make.stream(9)
    let again = try Make.document(
      try Make.written(document, innerStream: other), innerStream: other)
    let entry = again.entry(again.allEntries[0])
    #expect(again.value("Password", of: entry) == "abc")
    #expect(again.value("Pin", of: entry) == "päss<&>\u{1}")
    #expect(document.hasSameContent(as: again))
  }

  @Test func `an edit changes its element and nothing else`() throws {
    var document = try Make.document(Self.sample())
    let id = document.allEntries[0]
    var entry = document.entry(id)
    entry.set(
      Array("Password".utf8), to: document.values.seal(Array("new & better".utf8).span),
      isProtected: true)
    document.replace(id, with: entry)
    let other = Make.stream(9)
    let text = try Make.written(document, innerStream: other)
    let again = try Make.document(text, innerStream: other)
    let read = again.entry(again.allEntries[0])
    #expect(again.value("Password", of: read) == "new & better")
    #expect(again.value("Pin", of: read) == "päss<&>\u{1}")
    #expect(document.hasSameContent(as: again))
    let shape = String(decoding: text, as: UTF8.self)
    #expect(shape.contains("<Unknown>kept</Unknown>"))
    #expect(shape.contains("<Entry odd='1'>"))
    #expect(shape.contains("<History/>"))
  }
}
