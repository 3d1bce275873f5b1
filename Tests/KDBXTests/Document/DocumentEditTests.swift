import Ciphers
import Secrets
import TestSupport
import Testing

@testable import KDBX

/// Entries after any edits, against a model that is too simple to be wrong.
@Suite struct DocumentEditTests {
  static let now = VaultTime(unixSeconds: 1_700_000_000)

  struct Field: Equatable {
    var key: String
    var value: [UInt8]
    var isProtected: Bool
  }

  struct File: Equatable {
    var name: String
    var content: [UInt8]
  }

  struct Item: Equatable {
    var fields: [Field] = []
    var files: [File] = []
    var history: [Item] = []
    var tags = ""
  }

  static func item(_ entry: Entry, in document: Document) throws -> Item {
    Item(
      fields: entry.strings.map { field in
        var value = WipedBuffer()
        document.values.open(field.value, into: &value)
        #expect(document.values.count(of: field.value) == value.count)
        return Field(
          key: String(decoding: field.key, as: UTF8.self), value: Make.bytes(of: value),
          isProtected: field.isProtected)
      },
      files: try entry.attachments.map { attachment in
        File(
          name: String(decoding: attachment.name, as: UTF8.self),
          content: try document.bytes(of: attachment.content))
      },
      history: try entry.history.map { try item($0, in: document) },
      tags: String(decoding: entry.tags, as: UTF8.self))
  }

  static let keys = ["Title", "UserName", "Password", "URL", "Notes", "A&B", "<x>", "é", "", "PIN"]
  static let texts: [[UInt8]] = [
    [], Array(" ".utf8), Array("\n\t ".utf8), Array("a".utf8), Array("a & b < c > d".utf8),
    Array("]]>".utf8), Array("\r".utf8), Array("line\r\nline\rline\n".utf8),
    Array("é東🔑\u{FFFD}".utf8), Array(" outer blanks ".utf8), Array("&amp;&#13;".utf8),
    Array(repeating: 0x61, count: 5000), Array("\"quotes' ".utf8), [0xC3, 0xA9],
  ]
  /// What XML can't hold; it is protected, asked for or not.
  static let forbidden: [[UInt8]] = [[0x01], [0xFF, 0xFE], [0x61, 0x00], [0xED, 0xA0, 0x80]]

  /// A document with a few entries, whose values are spread over plain, protected and history.
  struct Vault {
    var document: Document
    var ids: [EntryID]
    var items: [Item]

    init(_ random: inout SeededGenerator) throws {
      var document = try Make.document(
        "<KeePassFile><Meta/>\n<Root><Group><Name>r</Name></Group></Root></KeePassFile>")
      var ids: [EntryID] = []
      var items: [Item] = []
      for _ in 0..<4 {
        ids.append(
          document.add(
            Entry(uuid: .random(), version: .kdbx41, at: DocumentEditTests.now),
            to: document.root))
        items.append(Item())
      }
      self.document = document
      self.ids = ids
      self.items = items
      for _ in 0..<30 { try change(&random) }
    }

    mutating func change(_ random: inout SeededGenerator) throws {
      let index = Int.random(in: ids.indices, using: &random)
      var entry = document.entry(ids[index])
      var item = items[index]
      try change(&entry, &item, &random)
      items[index] = item
      document.replace(ids[index], with: entry)
      #expect(try DocumentEditTests.item(document.entry(ids[index]), in: document) == items[index])
    }

    private mutating func change(
      _ entry: inout Entry, _ item: inout Item, _ random: inout SeededGenerator
    ) throws {
      let keys = DocumentEditTests.keys
      let key = keys[Int.random(in: keys.indices, using: &random)]
      switch Int.random(in: 0..<10, using: &random) {
      case 0...3: set(key, &entry, &item, &random)
      case 4:
        #expect(entry.removeString(Array(key.utf8)) == item.fields.contains { $0.key == key })
        item.fields.removeAll { $0.key == key }
      case 5:
        let new = keys[Int.random(in: keys.indices, using: &random)]
        guard !item.fields.contains(where: { $0.key == new }) else { return }
        entry.renameString(from: Array(key.utf8), to: Array(new.utf8))
        if let place = item.fields.firstIndex(where: { $0.key == key }) {
          item.fields[place].key = new
        }
      case 6: attach(key, &entry, &item, &random)
      case 7:
        entry.removeAttachment(Array(key.utf8))
        item.files.removeAll { $0.name == key }
      case 8:
        let old = entry.withoutHistory
        var oldItem = item
        oldItem.history = []
        entry.appendHistory(old)
        item.history.append(oldItem)
        if item.history.count > 3 {
          entry.removeHistory(at: [0, 2])
          item.history.remove(at: 2)
          item.history.remove(at: 0)
        }
      default:
        item.tags = "t\(Int.random(in: 0..<9, using: &random));&"
        entry.tags = Array(item.tags.utf8)
        entry.times.lastModification = DocumentEditTests.now
      }
    }

    private func set(
      _ key: String, _ entry: inout Entry, _ item: inout Item, _ random: inout SeededGenerator
    ) {
      var isProtected = Bool.random(using: &random)
      var texts = DocumentEditTests.texts
      if Int.random(in: 0..<5, using: &random) == 0 {
        texts = DocumentEditTests.forbidden
        isProtected = true
      }
      let text = texts[Int.random(in: texts.indices, using: &random)]
      let value: StoredText =
        Bool.random(using: &random) ? document.values.seal(text.span) : .plain(text)
      entry.set(Array(key.utf8), to: value, isProtected: isProtected)
      let field = Field(key: key, value: text, isProtected: isProtected)
      if let place = item.fields.lastIndex(where: { $0.key == key }) {
        item.fields[place] = field
      } else {
        item.fields.append(field)
      }
    }

    private mutating func attach(
      _ name: String, _ entry: inout Entry, _ item: inout Item, _ random: inout SeededGenerator
    ) {
      let content = [UInt8](
        repeating: .random(in: 0...3, using: &random), count: .random(in: 0...2, using: &random))
      let sealed = document.values.source.sealingKey.seal(content.span)
      let reference = document.addBinary(sealed, isProtected: Bool.random(using: &random))
      entry.setAttachment(Array(name.utf8), to: reference)
      if let place = item.files.lastIndex(where: { $0.name == name }) {
        item.files[place].content = content
      } else {
        item.files.append(File(name: name, content: content))
      }
    }
  }

  /// Edits, writes, reads back, edits again: three sessions, each on what the last one wrote.
  @Test(arguments: 0..<40)
  func `after any edits what is written reads as it was in memory`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var vault = try Vault(&random)
    for session in 0..<3 {
      let snapshot = vault.document
      for _ in 0..<Int.random(in: 0...12, using: &random) { try vault.change(&random) }
      if Bool.random(using: &random), let id = vault.ids.randomElement(using: &random) {
        let group = vault.document.add(
          Group(uuid: .random(), name: Array("g".utf8), version: .kdbx41, at: Self.now),
          to: vault.document.root)
        vault.document.move(.entry(id), to: group)
      }
      let again = try Make.reopened(vault.document, seed: UInt8(session + 20))
      #expect(vault.document.hasSameContent(as: again))
      if vault.document.entryCount != snapshot.entryCount { Issue.record("entries were lost") }
      // Moves change the order; items are found by what they are.
      let written = try again.allEntries.map { try Self.item(again.entry($0), in: again) }
      let expected = try vault.document.allEntries.map {
        try Self.item(vault.document.entry($0), in: vault.document)
      }
      #expect(written == expected)
      vault.ids = again.allEntries
      vault.items = written
      vault.document = again
    }
  }

  @Test(arguments: forbidden)
  func `what XML can't hold is never written unprotected`(text: [UInt8]) throws {
    var document = try Make.document("<KeePassFile><Root><Group/></Root></KeePassFile>")
    var entry = Entry(uuid: .random(), version: .kdbx41, at: Self.now)
    entry.set(Array("K".utf8), to: .plain(text), isProtected: false)
    _ = document.add(entry, to: document.root)
    let again = try Make.reopened(document, seed: 3)
    let field = try #require(again.entry(again.allEntries[0]).string(Array("K".utf8)))
    #expect(field.isProtected)
    #expect(again.values.bytes(of: field.value) == text)
  }

  @Test func `text is escaped as KeePass needs it`() throws {
    var document = try Make.document("<KeePassFile><Root><Group/></Root></KeePassFile>")
    var entry = Entry(uuid: .zero, version: .kdbx41, at: Self.now)
    entry.set(Array("a<".utf8), to: .plain(Array("<&>\r\n\"']]>".utf8)), isProtected: false)
    entry.set(Array("b".utf8), to: .plain(Array(" \n".utf8)), isProtected: false)
    entry.set(Array("c".utf8), to: .plain([]), isProtected: true)
    _ = document.add(entry, to: document.root)
    let text = String(decoding: try Make.written(document), as: UTF8.self)
    #expect(text.contains("<Key>a&lt;</Key><Value>&lt;&amp;&gt;&#13;\n\"']]&gt;</Value>"))
    #expect(text.contains("<Value xml:space=\"preserve\"> \n</Value>"))
    #expect(text.contains("<Key>c</Key><Value Protected=\"True\"/>"))
  }

  @Test func `an edit keeps the attributes and the parts that are unknown`() throws {
    var document = try Make.document(
      """
      <KeePassFile><Root><Group><Entry a='1'><!-- c --><String b='2'><Odd/><Key c='3'>K</Key>\
      <Value d='4' Protected="True" e='5'>\(Make.protected("x", at: 0))</Value></String>
      <Times f='6'><Odd/><CreationTime g='7'>2024-03-01T12:00:00.5Z</CreationTime>\
      <Expires>TRUE</Expires></Times><Odd>o</Odd></Entry></Group></Root></KeePassFile>
      """)
    let id = document.allEntries[0]
    var entry = document.entry(id)
    entry.set(Array("K".utf8), to: .plain(Array("new".utf8)), isProtected: false)
    entry.renameString(from: Array("K".utf8), to: Array("L".utf8))
    entry.times.lastModification = VaultTime(unixSeconds: 0)
    document.replace(id, with: entry)
    let text = String(decoding: try Make.written(document), as: UTF8.self)
    #expect(
      text.contains(
        """
        <Entry a='1'><!-- c --><String b='2'><Odd/><Key c='3'>L</Key>\
        <Value d='4' e='5'>new</Value></String>
        <Times f='6'><Odd/><CreationTime g='7'>2024-03-01T12:00:00.5Z</CreationTime>\
        <LastModificationTime>APeRdw4AAAA=</LastModificationTime>\
        <Expires>TRUE</Expires></Times><Odd>o</Odd></Entry>
        """))
  }

  @Test func `of fields with one key the last one counts, and all are kept`() throws {
    var document = try Make.document(
      """
      <KeePassFile><Root><Group><Entry><String><Key>K</Key><Value>1</Value></String>\
      <String><Key>K</Key><Value>2</Value></String></Entry></Group></Root></KeePassFile>
      """)
    let id = document.allEntries[0]
    var entry = document.entry(id)
    #expect(document.value("K", of: entry) == "2")
    entry.set(Array("K".utf8), to: .plain(Array("3".utf8)), isProtected: false)
    entry.renameString(at: 0, to: Array("J".utf8))
    document.replace(id, with: entry)
    let again = try Make.reopened(document, seed: 3)
    let read = again.entry(again.allEntries[0])
    #expect(again.value("J", of: read) == "1")
    #expect(again.value("K", of: read) == "3")
    #expect(read.strings.count == 2)
  }

  @Test func `setting what is there already changes no byte`() throws {
    let xml = DocumentRoundTripTests.sample()
    var document = try Make.document(xml)
    let id = document.allEntries[0]
    var entry = document.entry(id)
    entry.times = entry.times
    entry.tags = entry.tags
    entry.uuid = entry.uuid
    entry.previousParentGroup = entry.previousParentGroup
    entry.customIcon = entry.customIcon
    document.replace(id, with: entry)
    for groupID in document.allGroups {
      var group = document.group(groupID)
      group.name = group.name
      group.isExpanded = group.isExpanded
      document.replace(groupID, with: group)
    }
    var meta = document.meta
    meta.recycleBinEnabled = true
    document.meta = meta
    #expect(try Make.written(document) == Array(xml.utf8.dropFirst(3)))
  }

  @Test func `the same content is told from another`() throws {
    var document = try Make.document(DocumentRoundTripTests.sample())
    let entry = document.entry(document.allEntries[0])
    var other = entry
    other.times.lastModification = Self.now
    other.appendHistory(entry)
    #expect(entry.sameContent(as: other, values: document.values))
    other.set(
      Array("Password".utf8), to: document.values.seal(Array("abc".utf8).span), isProtected: true)
    #expect(entry.sameContent(as: other, values: document.values))
    other.set(
      Array("Password".utf8), to: document.values.seal(Array("abc".utf8).span), isProtected: false)
    #expect(!entry.sameContent(as: other, values: document.values))
    other = entry
    other.tags = Array("x".utf8)
    #expect(!entry.sameContent(as: other, values: document.values))
    other = entry
    other.setAttachment(
      Array("f".utf8),
      to: document.addBinary(
        document.values.source.sealingKey.seal([1].span), isProtected: false))
    #expect(!entry.sameContent(as: other, values: document.values))
  }
}
