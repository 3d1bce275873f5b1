import Testing

@testable import KDBX

@Suite struct MetaTests {
  static let now = VaultTime(unixSeconds: 1_700_000_000)
  static let uuid = VaultUUID(high: 1, low: 2)

  static func text(_ document: Document, headerHash: [UInt8]? = nil) throws -> String {
    String(decoding: try Make.written(document, headerHash: headerHash), as: UTF8.self)
  }

  @Test func `what the file doesn't say is as KeePass has it`() throws {
    let document = try Make.document("<KeePassFile><Root><Group/></Root></KeePassFile>")
    let meta = document.meta
    #expect(meta.recycleBinEnabled)
    #expect(meta.recycleBinUUID.isZero)
    #expect(meta.historyMaxItems == nil)
    #expect(meta.historyMaxSize == nil)
    #expect(meta.memoryProtection == MemoryProtection())
    #expect(meta.headerHash == nil)
    #expect(document.deletedObjects.isEmpty)
    let group = document.group(document.root)
    #expect(group.uuid.isZero)
    #expect(group.iconID == 48)
    #expect(group.isExpanded)
    #expect(group.enableSearching == nil)
    #expect(group.notes == nil)
  }

  @Test func `what it says is read, odd spellings too`() throws {
    let document = try Make.document(
      """
      <KeePassFile><Meta><Generator>g</Generator><RecycleBinEnabled>FALSE</RecycleBinEnabled>\
      <HistoryMaxItems>-1</HistoryMaxItems><HistoryMaxSize>6291456</HistoryMaxSize>\
      <MemoryProtection><ProtectTitle>true</ProtectTitle><ProtectPassword>False</ProtectPassword>\
      <ProtectURL/></MemoryProtection><DatabaseName>a&amp;b</DatabaseName></Meta><Root><Group>\
      <EnableSearching>Null</EnableSearching><EnableAutoType>false</EnableAutoType></Group>\
      </Root></KeePassFile>
      """)
    let meta = document.meta
    #expect(!meta.recycleBinEnabled)
    #expect(meta.historyMaxItems == -1)
    #expect(meta.historyMaxSize == 6_291_456)
    #expect(meta.databaseName == Array("a&b".utf8))
    #expect(meta.generator == Array("g".utf8))
    #expect(meta.memoryProtection.title)
    #expect(!meta.memoryProtection.password)
    #expect(!meta.memoryProtection.url)
    #expect(document.group(document.root).enableSearching == nil)
    #expect(document.group(document.root).enableAutoType == false)
  }

  @Test func `the recycle bin is set, and nothing else changes`() throws {
    var document = try Make.document(
      """
      <KeePassFile><Meta>
       <Generator>g</Generator><!-- c -->
       <Odd/>
      </Meta><Root><Group/></Root></KeePassFile>
      """)
    document.meta.recycleBinUUID = Self.uuid
    document.meta.recycleBinChanged = Self.now
    #expect(
      try Self.text(document) == """
        <KeePassFile><Meta>
         <Generator>g</Generator>
         <RecycleBinUUID>AAAAAAAAAAEAAAAAAAAAAg==</RecycleBinUUID>
         <RecycleBinChanged>AOjl3A4AAAA=</RecycleBinChanged><!-- c -->
         <Odd/>
        </Meta><Root><Group/></Root></KeePassFile>
        """)
    #expect(document.meta.recycleBinUUID == Self.uuid)
  }

  @Test func `Meta and DeletedObjects are made where there are none`() throws {
    var document = try Make.document("<KeePassFile><Root><Group/></Root></KeePassFile>")
    document.meta.recycleBinEnabled = false
    document.addDeletedObject(Self.uuid, at: Self.now)
    #expect(
      try Self.text(document)
        == "<KeePassFile><Meta><RecycleBinEnabled>False</RecycleBinEnabled></Meta><Root><Group/>"
        + "<DeletedObjects><DeletedObject><UUID>AAAAAAAAAAEAAAAAAAAAAg==</UUID>"
        + "<DeletionTime>AOjl3A4AAAA=</DeletionTime></DeletedObject></DeletedObjects></Root>"
        + "</KeePassFile>")
  }

  @Test(arguments: ["<DeletedObjects/>", "<DeletedObjects></DeletedObjects>"])
  func `records of what was deleted are added and removed`(list: String) throws {
    let old = "<DeletedObject><UUID>AAAAAAAAAAMAAAAAAAAABA==</UUID><Odd/></DeletedObject>"
    for start in [list, "<DeletedObjects a='1'>\(old)</DeletedObjects>"] {
      var document = try Make.document(
        "<KeePassFile><Root><Group/>\(start)</Root></KeePassFile>")
      let before = document.deletedObjects
      document.addDeletedObject(Self.uuid, at: Self.now)
      document.addDeletedObject(Self.uuid, at: Self.now)
      let record = DeletedObject(uuid: Self.uuid, deletionTime: Self.now)
      #expect(document.deletedObjects == before + [record, record])
      let again = try Make.reopened(document, seed: 3)
      #expect(again.deletedObjects == before + [record, record])
      document.removeDeletedObject(Self.uuid)
      #expect(document.deletedObjects == before)
      if !before.isEmpty { #expect(try Self.text(document).contains(old)) }
    }
  }

  @Test func `the header's hash is kept in KDBX 3 and left out in KDBX 4`() throws {
    let xml = """
      <KeePassFile><Meta><Generator>g</Generator><HeaderHash>AQID</HeaderHash><Odd/></Meta>\
      <Root><Group/></Root></KeePassFile>
      """
    let document = try Make.document(xml)
    #expect(document.meta.headerHash == [1, 2, 3])
    #expect(try Self.text(document, headerHash: [1, 2, 3]) == xml)
    #expect(
      try Self.text(document, headerHash: [4, 5, 6]).contains(
        "<Generator>g</Generator><HeaderHash>BAUG</HeaderHash><Odd/>"))
    #expect(
      try Self.text(document).contains("<Meta><Generator>g</Generator><Odd/></Meta>"))
    for meta in ["<Meta/>", "<Meta></Meta>", "<Meta><Generator>g</Generator></Meta>"] {
      let bare = try Make.document("<KeePassFile>\(meta)<Root><Group/></Root></KeePassFile>")
      #expect(try Self.text(bare) == "<KeePassFile>\(meta)<Root><Group/></Root></KeePassFile>")
      let text = try Self.text(bare, headerHash: [1, 2, 3])
      #expect(text.contains("<HeaderHash>AQID</HeaderHash>"))
      #expect(try Make.document(text).meta.headerHash == [1, 2, 3])
    }
  }

  @Test(arguments: [
    ("<a/>", DocumentError.Fault.rootElement),
    ("<keePassFile><Root><Group/></Root></keePassFile>", .rootElement),
    ("<KeePassFile/>", .rootGroup), ("<KeePassFile><Root/></KeePassFile>", .rootGroup),
    ("<KeePassFile><Group/></KeePassFile>", .rootGroup),
    ("<KeePassFile><Root><Group/><Group/></Root></KeePassFile>", .secondRootGroup),
    ("<KeePassFile><Root><Group/></Root><Root><Group/></Root></KeePassFile>", .secondRootGroup),
  ])
  func `what isn't a KeePass document is refused`(xml: String, fault: DocumentError.Fault) {
    let error = #expect(throws: DocumentError.self) { try Make.document(xml) }
    #expect(error?.kind == .notADocument(fault))
  }

  @Test func `control characters are passed over in KDBX 3, and refused in KDBX 4`() throws {
    let value = Make.protected("abc", at: 0)
    let xml = """
      <KeePassFile><Root><Group><Entry><String><Key>a\u{1}</Key><Value>\u{2}x\u{10}&amp;\u{1F}\
      </Value></String><String><Key>b</Key><Value Protected="True">\(value.prefix(2))\u{3}\
      \(value.dropFirst(2))</Value></String></Entry></Group></Root></KeePassFile>
      """
    let document = try Make.document(xml, version: .kdbx31)
    #expect(document.droppedControlCount == 5)
    let entry = document.entry(document.allEntries[0])
    #expect(document.value("a", of: entry) == "x&")
    #expect(document.value("b", of: entry) == "abc")
    let again = try Make.reopened(document, seed: 3)
    #expect(again.droppedControlCount == 0)
    #expect(again.value("a", of: again.entry(again.allEntries[0])) == "x&")
    #expect(again.value("b", of: again.entry(again.allEntries[0])) == "abc")
    #expect(document.hasSameContent(as: again))
    let error = #expect(throws: DocumentError.self) { try Make.document(xml) }
    #expect(error?.kind == .malformed(.forbiddenCharacter(1)))
    for attack in ["<a b='\u{1}'/>", "<!--\u{1}-->", "<![CDATA[\u{1}]]>", "&#1;", "<\u{1}/>"] {
      #expect(throws: DocumentError.self) {
        try Make.document(
          "<KeePassFile><Root><Group>\(attack)</Group></Root></KeePassFile>", version: .kdbx31)
      }
    }
  }

  @Test func `group and entry elsewhere are nothing of ours`() throws {
    let document = try Make.document(
      """
      <KeePassFile><Meta><Group><Entry/></Group></Meta><Root><Odd><Group/></Odd><Group>\
      <Odd><Entry/><Group/></Odd><Entry><Group/><Entry/></Entry><Times><Group/></Times></Group>\
      </Root><Group/></KeePassFile>
      """)
    #expect(document.entryCount == 1)
    #expect(document.groupCount == 1)
  }

  @Test func `a group's properties may stand anywhere among its children`() throws {
    var document = try Make.document(
      """
      <KeePassFile><Root><Group>
       <Entry/>
       <Name>n</Name>
       <Group/>
       <!-- c -->
       <UUID>AAAAAAAAAAEAAAAAAAAAAg==</UUID>
      </Group></Root></KeePassFile>
      """)
    var group = document.group(document.root)
    #expect(group.name == Array("n".utf8))
    #expect(group.uuid == Self.uuid)
    #expect(document.summary(of: .group(document.root)).uuid == Self.uuid)
    group.name = Array("m".utf8)
    document.replace(document.root, with: group)
    let entry = document.children(of: document.root)[0]
    document.remove(entry)
    #expect(
      try Self.text(document) == """
        <KeePassFile><Root><Group>
         <Name>m</Name>
         <Group/>
         <!-- c -->
         <UUID>AAAAAAAAAAEAAAAAAAAAAg==</UUID>
        </Group></Root></KeePassFile>
        """)
  }

  @Test func `a summary says what the views say`() throws {
    let document = try Make.document(
      """
      <KeePassFile><Root><Group><Name>a&amp;b</Name><Times><CreationTime>AOjl3A4AAAA=\
      </CreationTime></Times><Entry><UUID>AAAAAAAAAAEAAAAAAAAAAg==</UUID><String><Key>Title</Key>\
      <Value>1</Value></String><String><Value>2</Value><Key>T&#105;tle</Key></String><History>\
      <Entry><UUID/><String><Key>Title</Key><Value>old</Value></String></Entry></History></Entry>\
      <Entry/></Group></Root></KeePassFile>
      """)
    let ids = document.allEntries
    #expect(
      document.summary(of: .entry(ids[0]))
        == NodeSummary(uuid: Self.uuid, name: Array("2".utf8), created: nil))
    #expect(
      document.summary(of: .entry(ids[1])) == NodeSummary(uuid: .zero, name: [], created: nil))
    #expect(
      document.summary(of: .group(document.root))
        == NodeSummary(uuid: .zero, name: Array("a&b".utf8), created: Self.now))
  }
}
