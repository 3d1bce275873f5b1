import ByteCoding
import Ciphers
import Testing

@testable import KDBX

@Suite struct DocumentExaminerTests {
  static let one = "AAECAwQFBgcICQoLDA0ODw=="
  static let two = "EBESExQVFhcYGRobHB0eHw=="
  static let three = "ICEiIyQlJicoKSorLC0uLw=="
  static let none = "AAAAAAAAAAAAAAAAAAAAAA=="
  static let times = """
    <Times><CreationTime>AOjl3A4AAAA=</CreationTime><LastModificationTime>APeRdw4AAAA=\
    </LastModificationTime><Expires>False</Expires></Times>
    """

  /// A document with one entry, which `inner` stands in.
  static func xml(_ inner: String, meta: String = "", root: String = "") -> String {
    """
    <KeePassFile><Meta>\(meta)</Meta><Root><Group><UUID>\(one)</UUID>\(times)\
    <Entry><UUID>\(two)</UUID>\(times)\(inner)</Entry>\(root)</Group></Root></KeePassFile>
    """
  }

  struct Sample: Sendable, CustomTestStringConvertible {
    var inner: String
    var meta = ""
    var root = ""
    var version = FormatVersion.kdbx41
    var faults: [Fault]
    /// What the mended document has in place of `inner`; nil where it keeps it.
    var mended: String?

    init(
      _ inner: String = "", meta: String = "", root: String = "",
      version: FormatVersion = .kdbx41, _ faults: [Fault], _ mended: String? = nil
    ) {
      self.inner = inner
      self.meta = meta
      self.root = root
      self.version = version
      self.faults = faults
      self.mended = mended
    }

    var testDescription: String { inner + meta + root }
  }

  static let fields = [
    Sample("<String><Key>Title</Key><Value>a</Value></String>", []),
    Sample(
      "<String><Key>a</Key><Value>1</Value></String><String><Key>a</Key><Value>2</Value></String>",
      [.repeatedField],
      "<String><Key>a (2)</Key><Value>1</Value></String><String><Key>a</Key><Value>2</Value></String>"
    ),
    Sample(
      "<String><Key>a</Key></String>", [.incompleteField],
      "<String><Key>a</Key><Value/></String>"),
    Sample(
      "<String><Value>v</Value></String>", [.incompleteField, .unnamedField],
      "<String><Key/><Value>v</Value></String>"),
    Sample("<String><Key/><Value>v</Value></String>", [.unnamedField]),
    Sample(
      "<String><Key>a</Key><Value> \n</Value></String>", [.blankValue],
      "<String><Key>a</Key><Value xml:space=\"preserve\"> \n</Value></String>"),
    Sample(
      "<String><Key>a</Key><Value>&#32;</Value></String>", [.blankValue],
      "<String><Key>a</Key><Value xml:space=\"preserve\"> </Value></String>"),
    Sample("<String><Key>a</Key><Value xml:space=\"preserve\"> </Value></String>", []),
    Sample("<String><Key>a</Key><Value><![CDATA[ ]]></Value></String>", []),
    Sample("<String><Key>a</Key><Value> x </Value></String>", []),
  ]

  static let parts = [
    Sample(
      "<Binary><Key>a</Key></Binary>", [.incompleteAttachment],
      "<Binary><Key>a</Key><Value/></Binary>"),
    Sample(
      "<Binary><Value>aGk=</Value></Binary>", [.incompleteAttachment],
      "<Binary><Key>unnamed</Key><Value>aGk=</Value></Binary>"),
    Sample(
      "<Binary><Key/><Value>aGk=</Value></Binary>", [.unnamedAttachment],
      "<Binary><Key>unnamed</Key><Value>aGk=</Value></Binary>"),
    Sample(
      "<Binary><Key>a</Key><Value>aGk=</Value></Binary><Binary><Key>a</Key><Value/></Binary>",
      [.repeatedAttachment],
      "<Binary><Key>a (2)</Key><Value>aGk=</Value></Binary><Binary><Key>a</Key><Value/></Binary>"),
    Sample("<Binary><Key>a</Key><Value Ref=\"7\"/></Binary>", [.missingContent]),
    Sample("<Binary><Key>a</Key><Value>?</Value></Binary>", [.damagedContent]),
    Sample(
      "<AutoType><Enabled>True</Enabled><Association><Window>w</Window></Association></AutoType>",
      [.incompleteAssociation],
      "<AutoType><Enabled>True</Enabled><Association><Window>w</Window><KeystrokeSequence/></Association></AutoType>"
    ),
    Sample(
      "<CustomData><Item><Key>k</Key></Item></CustomData>", [.incompleteItem],
      "<CustomData><Item><Key>k</Key><Value/></Item></CustomData>"),
    Sample(
      "<CustomData><Item><Key>k</Key><Value>1</Value></Item><Item><Key>k</Key><Value>2</Value></Item></CustomData>",
      [.repeatedItem],
      "<CustomData><Item><Key>k (2)</Key><Value>1</Value></Item><Item><Key>k</Key><Value>2</Value></Item></CustomData>"
    ),
    Sample("<CustomIconUUID>\(three)</CustomIconUUID>", [.missingIcon]),
    Sample(
      "<CustomIconUUID>\(three)</CustomIconUUID>",
      meta: "<CustomIcons><Icon><UUID>\(three)</UUID><Data>aGk=</Data></Icon></CustomIcons>", []),
    Sample("<Future at=\"1\"><Expires>x</Expires></Future>", [.unknownElement]),
    Sample("<QualityCheck>False</QualityCheck>", version: .kdbx40, [.elementOfVersion41]),
  ]

  @Test(arguments: fields + parts)
  func `a fault is found, and mended where it is`(sample: Sample) throws {
    let xml = Self.xml(sample.inner, meta: sample.meta, root: sample.root)
    let document = try Make.document(xml, version: sample.version)
    let examination = document.examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == sample.faults)
    let wanted = Self.xml(sample.mended ?? sample.inner, meta: sample.meta, root: sample.root)
    #expect(try String(decoding: Make.written(examination.mended), as: UTF8.self) == wanted)
    // To look changes nothing.
    #expect(try String(decoding: Make.written(document), as: UTF8.self) == xml)
  }

  @Test func `settings are mended in their place`() throws {
    let meta =
      "<HistoryMaxSize>99999999999</HistoryMaxSize><RecycleBinEnabled>false</RecycleBinEnabled>"
    let document = try Make.document(Self.xml("", meta: meta))
    let examination = document.examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.badInteger, .booleanSpelling])
    #expect(examination.findings.map(\.element) == ["HistoryMaxSize", "RecycleBinEnabled"])
    let mended =
      "<HistoryMaxSize>2147483647</HistoryMaxSize><RecycleBinEnabled>False</RecycleBinEnabled>"
    #expect(
      try String(decoding: Make.written(examination.mended), as: UTF8.self)
        == Self.xml("", meta: mended))
  }

  @Test func `icons that lack a part are mended`() throws {
    let meta =
      "<CustomIcons><Icon><UUID>\(Self.three)</UUID></Icon><Icon><Data>aGk=</Data></Icon></CustomIcons>"
    let document = try Make.document(Self.xml("", meta: meta))
    let examination = document.examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.incompleteIcon, .incompleteIcon])
    let again = examination.mended.examine(headerHash: [])
    #expect(again.findings.isEmpty)
    let written = try String(decoding: Make.written(examination.mended), as: UTF8.self)
    #expect(written.contains("<Data>aGk=</Data>"))
    #expect(!written.contains(Self.three))
  }

  // MARK: - What names things

  @Test func `of several with one UUID the first keeps it, and old versions follow their entry`()
    throws
  {
    let twin = """
      <Group><UUID>\(Self.one)</UUID>\(Self.times)<Entry><UUID>\(Self.two)</UUID>\(Self.times)\
      <History><Entry><UUID>\(Self.two)</UUID>\(Self.times)</Entry></History></Entry></Group>
      """
    let document = try Make.document(Self.xml("", root: twin))
    let examination = document.examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.repeatedGroupUUID, .repeatedEntryUUID])
    let mended = examination.mended
    let entries = mended.allEntries.map { mended.entry($0) }
    #expect(entries[0].uuid.base64 == Array(Self.two.utf8))
    #expect(entries[1].uuid.base64 != Array(Self.two.utf8))
    #expect(entries[1].history.map(\.uuid) == [entries[1].uuid])
    #expect(mended.group(mended.root).uuid.base64 == Array(Self.one.utf8))
    #expect(mended.examine(headerHash: []).findings.isEmpty)
  }

  @Test(arguments: [
    ("", Fault.missingUUID), ("<UUID/>", .missingUUID),
    ("<UUID>\(DocumentExaminerTests.none)</UUID>", .missingUUID), ("<UUID>AAAA</UUID>", .badUUID),
  ])
  func `what has no UUID gets one`(uuid: String, fault: Fault) throws {
    let root = "<Entry>\(uuid)\(Self.times)</Entry>"
    let examination = try Make.document(Self.xml("", root: root)).examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [fault])
    let mended = examination.mended
    #expect(mended.entry(mended.allEntries[1]).uuid.isZero == false)
    #expect(mended.examine(headerHash: []).findings.isEmpty)
  }

  @Test func `an entry that lost its UUID takes that of its old versions`() throws {
    let root = """
      <Entry><UUID>AAAA</UUID>\(Self.times)<History><Entry><UUID>\(Self.three)</UUID>\(Self.times)\
      </Entry></History></Entry>
      """
    let examination = try Make.document(Self.xml("", root: root)).examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.badUUID])
    let mended = examination.mended
    #expect(mended.entry(mended.allEntries[1]).uuid.base64 == Array(Self.three.utf8))
  }

  @Test func `old versions of an old version come before it`() throws {
    func version(_ name: String, _ inner: String = "", uuid: String = Self.two) -> String {
      "<Entry><UUID>\(uuid)</UUID>\(Self.times)<Tags>\(name)</Tags>\(inner)</Entry>"
    }
    let history = """
      <History>\(version("c", "<History>\(version("a"))\(version("b", "<History/>"))</History>"))\
      \(version("d", uuid: Self.three))</History>
      """
    let document = try Make.document(Self.xml(history))
    let examination = document.examine(headerHash: [])
    #expect(
      examination.findings.map(\.fault) == [.nestedHistory, .nestedHistory, .historyUUID])
    let entry = examination.mended.entry(examination.mended.allEntries[0])
    #expect(
      entry.history.map { String(decoding: $0.tags, as: UTF8.self) } == ["a", "b", "c", "d"])
    #expect(entry.history.allSatisfy { $0.uuid == entry.uuid && $0.historyCount == 0 })
    #expect(examination.mended.examine(headerHash: []).findings.isEmpty)
  }

  @Test func `a deleted object that is there is told, and stays`() throws {
    let xml = Self.xml("").replacing(
      "</Group></Root>",
      with: """
        </Group><DeletedObjects><DeletedObject><UUID>\(Self.two)</UUID><DeletionTime>AOjl3A4AAAA=\
        </DeletionTime></DeletedObject></DeletedObjects></Root>
        """)
    let examination = try Make.document(xml).examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.deletedAlive])
    #expect(try String(decoding: Make.written(examination.mended), as: UTF8.self) == xml)
  }

  // MARK: - Protection

  @Test func `a compressed attachment in an entry goes to the pool`() throws {
    // gzip of `hi`.
    let packed = "H4sIAAAAAAACA8vIBACsKpPYAgAAAA=="
    let inner = "<Binary><Key>a</Key><Value Compressed=\"True\">\(packed)</Value></Binary>"
    let examination = try Make.document(Self.xml(inner)).examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.compressedInline])
    let again = try Make.reopened(examination.mended, seed: 9)
    let content = try #require(again.entry(again.allEntries[0]).attachments.first?.content)
    #expect(try again.bytes(of: content) == Array("hi".utf8))
    #expect(again.examine(headerHash: []).findings.isEmpty)
  }

  @Test func `protection that a program misreads is told, with the entry around it`() throws {
    let inner = """
      <String><Key>a</Key><Value Protected="true">\(Make.protected("abc", at: 0))</Value></String>\
      <Odd Protected="True">\(Make.protected("xyz", at: 3))</Odd>
      """
    let document = try Make.document(Self.xml(inner))
    let found = document.examine(headerHash: []).findings
    #expect(found.map(\.fault) == [.protectedSpelling, .protectedUnknown, .unknownElement])
    #expect(found.prefix(2).allSatisfy { $0.place == .entry(document.allEntries[0]) })
    #expect(
      try Make.reopened(document, seed: 3).examine(headerHash: []).findings.map(\.fault) == [
        .unknownElement
      ])
  }

  @Test func `a value that is no UTF-8 is told and kept`() throws {
    var bytes: [UInt8] = [0x61, 0xFF]
    var span = bytes.mutableSpan
    Make.stream().apply(at: 0, to: &span)
    let text = String(decoding: Base64.encode(bytes.span), as: UTF8.self)
    let inner = "<String><Key>a</Key><Value Protected=\"True\">\(text)</Value></String>"
    let examination = try Make.document(Self.xml(inner)).examine(headerHash: [])
    #expect(examination.findings.map(\.fault) == [.badText])
    #expect(
      try String(decoding: Make.written(examination.mended), as: UTF8.self) == Self.xml(inner))
  }

  @Test func `the hash of another header is told in KDBX 4`() throws {
    let hash = [UInt8](repeating: 1, count: 32)
    let meta =
      "<HeaderHash>\(String(decoding: Base64.encode(hash.span), as: UTF8.self))</HeaderHash>"
    let document = try Make.document(Self.xml("", meta: meta))
    #expect(document.examine(headerHash: hash).findings.isEmpty)
    #expect(document.examine(headerHash: [2]).findings.map(\.fault) == [.headerHash])
  }

  @Test(arguments: [
    (InnerStream.Kind.arcFourVariant, FormatVersion.kdbx41, [Fault.innerStream]),
    (.arcFourVariant, .kdbx31, [.innerStream]), (.chaCha20, .kdbx31, [.innerStream]),
    // All programs read it.
    (.salsa20, .kdbx41, []),
  ])
  func `an inner stream that its version doesn't have is told`(
    kind: InnerStream.Kind, version: FormatVersion, faults: [Fault]
  ) throws {
    let key = Make.key
    let document = try Make.document(
      Self.xml("").replacing(Self.times, with: ""), version: version,
      innerStream: InnerStream(kind, key: key.span))
    let found = document.examine(headerHash: []).findings.filter { $0.fault.level == .fault }
    #expect(found.map(\.fault) == faults)
  }

  // MARK: - The faults

  @Test(arguments: Fault.allCases)
  func `each fault says what it is`(fault: Fault) {
    #expect(!fault.explanation.isEmpty)
    #expect(fault.level == .fault || !fault.isMendable)
    // A fault is one because of somebody.
    #expect(fault.level == .note || !fault.consequences.isEmpty)
  }
}
