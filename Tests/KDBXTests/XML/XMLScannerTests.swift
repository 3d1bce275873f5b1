import KDBX
import TestSupport
import Testing

@Suite struct XMLScannerTests {
  /// XML, and what is wrong with it; the problem `nil` is none.
  struct Vector: Sendable, CustomTestStringConvertible {
    var xml: [UInt8]
    var problem: XMLError.Problem?
    var testDescription: String { String(decoding: xml.prefix(60), as: UTF8.self) }

    init(_ xml: String, _ problem: XMLError.Problem? = nil) {
      self.init(bytes: Array(xml.utf8), problem)
    }

    init(bytes: [UInt8], _ problem: XMLError.Problem? = nil) {
      xml = bytes
      self.problem = problem
    }
  }

  static func scan(_ bytes: [UInt8]) throws(XMLError) -> [String] {
    var scanner = try XMLScanner(bytes.span)
    var events: [String] = []
    while true {
      let token = try scanner.next()
      let name = String(decoding: bytes[scanner.name], as: UTF8.self)
      switch token {
      case .start: events.append("<\(name)>")
      case .end:
        events.append("\(String(decoding: bytes[scanner.content], as: UTF8.self))</\(name)>")
      case .finished: return events
      }
    }
  }

  static let accepted = [
    Vector("<a/>"), Vector("<a></a>"), Vector("<a ></a >"), Vector("<a b='1' c=\"2\"/>"),
    Vector("<a b = '1'/>"), Vector("<a b='\"' c=\"'\"/>"), Vector("<a b='>'/>"),
    Vector("<?xml version=\"1.0\"?><a/>"), Vector("<?xml version='1.0' encoding='UTF-8'?><a/>"),
    Vector("<?xml version='1.0' encoding='utf-8' standalone='no' ?>\n<a/>\n"),
    Vector("<?xml version='1.1'?><a/>"), Vector("<?xml version='1.23' encoding='Utf-8'?><a/>"),
    Vector("\u{FEFF}<a/>"), Vector("\u{FEFF}<?xml version='1.0'?><a/>"),
    Vector("<!-- c --><?p?><?p q?><a/><!----><?p ??>"), Vector("<a><!-- <b> & --></a>"),
    Vector("<a><![CDATA[<b>&]]]]></a>"), Vector("<a>]] ></a>"), Vector("<a>> ]]</a>"),
    Vector("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x41;&#x1F511;&#013;</a>"),
    Vector("<a b='&lt;&#10;'/>"), Vector("<a>é 東京 🔑 \u{FFFD}\u{7F}\u{85}</a>"),
    Vector("<é:ö-1·/>"), Vector("<_/>"), Vector("<:/>"), Vector("<a\n\tb='1'\r\n/>"),
    Vector("<a>\t\r\n</a>"), Vector("<xmlfoo/>"), Vector("<a><?xml-style x?></a>"),
    Vector("<a xml:space='preserve'> </a>"), Vector("<aaaaaaaa>12345678</aaaaaaaa>"),
    Vector("<a>1234567&#65;890</a>"), Vector("<a>12345678\n12345678\t</a>"),
  ]

  static let refused = [
    Vector("", .truncated), Vector("<", .truncated), Vector("<a", .truncated),
    Vector("<a>", .truncated), Vector("<a></a", .truncated), Vector("<a><b></b>", .truncated),
    Vector("<a b", .truncated), Vector("<a b=", .truncated), Vector("<a b='", .truncated),
    Vector("<a/", .truncated), Vector("<a><!-- ", .truncated), Vector("<a><![CDATA[", .truncated),
    Vector("<a><?p ", .truncated), Vector("x", .unexpected(0x78)),
    Vector("<a/>x", .unexpected(0x78)), Vector("<a/><", .truncated),
    Vector("x<a/>", .unexpected(0x78)), Vector("<a/>x ", .unexpected(0x78)),
    Vector("<a/><b/>", .unexpected(0x3C)), Vector("<a></a></a>", .unexpected(0x3C)),
    Vector("<a></b>", .tagMismatch), Vector("<a></ab>", .tagMismatch),
    Vector("<ab></a>", .tagMismatch), Vector("<a><b></a></b>", .tagMismatch),
    Vector("<a></A>", .tagMismatch), Vector("<a></a b>", .tagMismatch),
    Vector("<a>&</a>", .badReference), Vector("<a>&b;</a>", .badReference),
    Vector("<a>&nbsp;</a>", .badReference), Vector("<a>&lt</a>", .badReference),
    Vector("<a>&#;</a>", .badReference), Vector("<a>&#x;</a>", .badReference),
    Vector("<a>&#xG;</a>", .badReference), Vector("<a>&#X41;</a>", .badReference),
    Vector("<a>&#0;</a>", .forbiddenCharacter(0)), Vector("<a>&#1;</a>", .forbiddenCharacter(1)),
    Vector("<a>&#xD800;</a>", .forbiddenCharacter(0xD800)),
    Vector("<a>&#xFFFF;</a>", .forbiddenCharacter(0xFFFF)),
    Vector("<a>&#99999999999999999999;</a>", .forbiddenCharacter(0x110000)),
    Vector("<a>\u{1}</a>", .forbiddenCharacter(1)),
    Vector("<a b='\u{2}'/>", .forbiddenCharacter(2)),
    Vector("<a>12345678\u{B}</a>", .forbiddenCharacter(0xB)),
    Vector("<a>\u{0}</a>", .forbiddenCharacter(0)),
    Vector("<a><!--\u{3}--></a>", .forbiddenCharacter(3)),
    Vector("<a><![CDATA[\u{4}]]></a>", .forbiddenCharacter(4)),
    Vector("<a>\u{FFFE}</a>", .forbiddenCharacter(0xFFFE)),
    Vector("<a>]]></a>", .cdataEndInText), Vector("<a>1234567890]]></a>", .cdataEndInText),
    Vector("<a><!-- -- --></a>", .badComment), Vector("<!-- ---><a/>", .badComment),
    Vector("<a><?xml x?></a>", .badInstruction), Vector("<a><?XML x?></a>", .badInstruction),
    Vector("<a><??></a>", .unexpected(0x3F)), Vector("<a><?p+?></a>", .badInstruction),
    Vector("<a b='1' b='2'/>", .repeatedAttribute), Vector("<a b='1'c='2'/>", .unexpected(0x63)),
    Vector("<a b/>", .unexpected(0x2F)), Vector("<a b=1/>", .unexpected(0x31)),
    Vector("<a b='<'/>", .unexpected(0x3C)), Vector("<a b='&x;'/>", .badReference),
    Vector("<a/ >", .unexpected(0x2F)), Vector("< a/>", .unexpected(0x20)),
    Vector("<1/>", .unexpected(0x31)), Vector("<-a/>", .unexpected(0x2D)),
    Vector("<a;/>", .unexpected(0x3B)), Vector("<a><b+/></a>", .unexpected(0x2B)),
    Vector("<·/>", .unexpected(0xC2)), Vector("<a\u{D7}/>", .unexpected(0xC3)),
    Vector("<!DOCTYPE a><a/>", .documentType),
    Vector("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY x 'y'>]><a>&x;</a>", .documentType),
    Vector("<![CDATA[x]]><a/>", .unexpected(0x21)), Vector("<a/><![CDATA[x]]>", .unexpected(0x21)),
    Vector("<a><!ELEMENT b></a>", .unexpected(0x21)),
    Vector("<?xml?><a/>", .badInstruction), Vector("<?xml version='2.0'?><a/>", .badDeclaration),
    Vector("<?xml encoding='utf-8'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0' encoding='utf-16'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0' encoding='latin1'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0' standalone='x'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0' x='y'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0x'?><a/>", .badDeclaration),
    Vector("<?xml version='1.'?><a/>", .badDeclaration),
    Vector("<?xml VERSION='1.0'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0' ENCODING='utf-8'?><a/>", .badDeclaration),
    Vector("<?xml version='1.0' standalone='YES'?><a/>", .badDeclaration),
    Vector(" <?xml version='1.0'?><a/>", .badInstruction),
    Vector(bytes: [0x3C, 0x61, 0x3E, 0xFF], .notUTF8),
    // A name that begins as UTF-8 does and goes on in ASCII.
    Vector(bytes: [0x3C, 0xFF] + Array("e/>".utf8), .notUTF8),
    Vector(bytes: [0x3C, 0xC3] + Array("></".utf8) + [0xC3] + Array(">".utf8), .notUTF8),
    Vector(bytes: Array("<a><".utf8) + [0xA8] + Array("c b='1'/></a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0x80] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0xC0, 0x80] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0xE0, 0x80, 0x80] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0xED, 0xA0, 0x80] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0xF4, 0x90, 0x80, 0x80] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0xF0, 0x8F, 0x80, 0x80] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a>".utf8) + [0xC3] + Array("</a>".utf8), .notUTF8),
    Vector(bytes: Array("<a b='".utf8) + [0xC3] + Array("'/>".utf8), .notUTF8),
    Vector(bytes: [0xFF, 0xFE, 0x3C, 0x00], .unexpected(0xFF)),
  ]

  @Test(arguments: accepted)
  func `what XML allows is taken`(vector: Vector) throws {
    _ = try Self.scan(vector.xml)
  }

  @Test(arguments: refused)
  func `what XML forbids is refused, and named`(vector: Vector) {
    let error = #expect(throws: XMLError.self) { try Self.scan(vector.xml) }
    #expect(error?.problem == vector.problem)
  }

  @Test func `tags come in order, with what lies between them`() throws {
    let events = try Self.scan(Array("<a><b x='1'>t&amp;u</b><c/><d><!-- x --></d></a>".utf8))
    #expect(
      events == [
        "<a>", "<b>", "t&amp;u</b>", "<c>", "</c>", "<d>", "<!-- x --></d>",
        "<b x='1'>t&amp;u</b><c/><d><!-- x --></d></a>",
      ])
  }

  @Test func `the offset of a fault is told`() {
    let error = #expect(throws: XMLError.self) {
      try Self.scan(Array("<a>\n<b>\u{2}</b></a>".utf8))
    }
    #expect(error == XMLError(.forbiddenCharacter(2), at: 7))
  }

  @Test func `attributes are read with their references resolved`() throws {
    let bytes = Array("<a b='x&amp;&#121;&lt;' c=\"1\n2\"/>".utf8)
    var scanner = try XMLScanner(bytes.span)
    _ = try scanner.next()
    let values = (scanner.attribute("b"), scanner.attribute("c"), scanner.attribute("d"))
    #expect(values.0 == Array("x&y<".utf8))
    #expect(values.1 == Array("1 2".utf8))
    #expect(values.2 == nil)
  }

  @Test func `elements nest as deep as the limit and no deeper`() throws {
    let limit = XMLScanner.depthLimit
    func nested(_ count: Int) -> [UInt8] {
      Array((String(repeating: "<a>", count: count) + String(repeating: "</a>", count: count)).utf8)
    }
    #expect(try Self.scan(nested(limit)).count == 2 * limit)
    let error = #expect(throws: XMLError.self) { try Self.scan(nested(limit + 2)) }
    #expect(error?.problem == .tooDeep(limit: limit))
    #expect(throws: XMLError.self) { try Self.scan(Array(repeating: 0x3C, count: 100_000)) }
  }

  @Test func `a tag has as many attributes as the limit and no more`() throws {
    func tag(_ count: Int) -> [UInt8] {
      Array(("<a" + (0..<count).map { " b\($0)=''" }.joined() + "/>").utf8)
    }
    _ = try Self.scan(tag(XMLScanner.attributeLimit))
    #expect(throws: XMLError.self) { try Self.scan(tag(XMLScanner.attributeLimit + 1)) }
  }

  /// Cut anywhere, a document is no document; nothing is read beyond its end.
  @Test func `no cut of a document is taken`() throws {
    let whole = Array(
      "<?xml version='1.0'?><a b='&#65;'><![CDATA[x]]><!--é-->1234567890<b/>&lt;</a>".utf8)
    _ = try Self.scan(whole)
    for count in 0..<whole.count {
      #expect(throws: XMLError.self) { try Self.scan(Array(whole[..<count])) }
    }
  }

  /// Damaged bytes are refused or read, and never stop the process.
  @Test(arguments: 0..<50)
  func `damage never goes past the end`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let whole = Array(
      "<?xml version='1.0'?><a b='&#65;'><![CDATA[x]]><!--é-->1234567890<b/>&lt;</a>".utf8)
    for _ in 0..<200 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(
          in: 0...255, using: &random)
      }
      _ = try? Self.scan(bytes)
    }
  }
}
