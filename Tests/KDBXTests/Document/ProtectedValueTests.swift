import ByteCoding
import Ciphers
import Secrets
import Testing

@testable import KDBX

/// Protected values: who takes which part of the key stream, and what is written.
@Suite struct ProtectedValueTests {
  static func entry(_ fields: String) -> String {
    "<KeePassFile><Root><Group><Entry>\(fields)</Entry></Group></Root></KeePassFile>"
  }

  static func field(_ key: String, _ value: String, attributes: String = "Protected=\"True\"")
    -> String
  {
    "<String><Key>\(key)</Key><Value \(attributes)>\(value)</Value></String>"
  }

  static func values(_ document: Document) -> [String] {
    document.allEntries.map { document.entry($0) }.flatMap { entry in
      (entry.strings + entry.history.flatMap(\.strings)).map { document.text($0.value) }
    }
  }

  @Test func `the key stream is taken in document order, whatever takes it`() throws {
    let document = try Make.document(
      """
      <KeePassFile><Meta><Odd Protected="True">\(Make.protected("11", at: 0))</Odd></Meta><Root>\
      <Group><Name Protected="True">\(Make.protected("name", at: 2))</Name><Entry>\
      \(Self.field("a", Make.protected("A", at: 6)))<Odd><In Protected="True">\
      \(Make.protected("odd", at: 7))</In></Odd>\(Self.field("e", ""))\
      \(Self.field("b", Make.protected("BB", at: 10)))<History><Entry>\
      \(Self.field("c", Make.protected("CCC", at: 12)))</Entry></History></Entry></Group></Root>\
      </KeePassFile>
      """)
    #expect(Self.values(document) == ["A", "", "BB", "CCC"])
    #expect(document.group(document.root).name == Array("name".utf8))
    let again = try Make.reopened(document, seed: 9)
    #expect(Self.values(again) == ["A", "", "BB", "CCC"])
    #expect(again.group(again.root).name == Array("name".utf8))
    // KeePassXC passes over unknown elements without taking key stream: they are written plain.
    let text = String(decoding: try Make.written(document), as: UTF8.self)
    #expect(text.contains("<Odd>11</Odd>"))
    #expect(text.contains("<In>odd</In>"))
  }

  @Test func `an unknown element that XML can't hold plain stays protected`() throws {
    let document = try Make.document(
      Self.entry(
        "<Odd Protected=\"True\">\(Make.protected("\u{1}", at: 0))</Odd>"
          + Self.field("a", Make.protected("A", at: 1))))
    let again = try Make.reopened(document, seed: 9)
    #expect(Self.values(again) == ["A"])
    let text = String(decoding: try Make.written(document), as: UTF8.self)
    #expect(text.contains("<Odd Protected=\"True\">"))
  }

  @Test(arguments: ["true", "TRUE", "1", "&#84;rue"])
  func `other spellings are taken for what they mean, and written as KeePass needs it`(
    spelling: String
  ) throws {
    let document = try Make.document(
      Self.entry(
        Self.field("a", Make.protected("A", at: 0), attributes: "x='y' Protected='\(spelling)'")
          + Self.field("b", Make.protected("B", at: 1))))
    #expect(Self.values(document) == ["A", "B"])
    #expect(document.entry(document.allEntries[0]).strings[0].isProtected)
    let text = String(decoding: try Make.written(document), as: UTF8.self)
    #expect(spelling.hasPrefix("&") || text.contains("<Value x='y' Protected='True'>"))
    #expect(Self.values(try Make.reopened(document, seed: 9)) == ["A", "B"])
  }

  @Test func `another spelling over a text that isn't base64 means nothing`() throws {
    let document = try Make.document(
      Self.entry(
        Self.field("a", "plain text!", attributes: "Protected='true'")
          + Self.field("b", Make.protected("B", at: 0))))
    #expect(Self.values(document) == ["plain text!", "B"])
    #expect(!document.entry(document.allEntries[0]).strings[0].isProtected)
    let text = String(decoding: try Make.written(document), as: UTF8.self)
    #expect(text.contains("<Value>plain text!</Value>"))
  }

  @Test(arguments: ["False", "false", "no", "", " True"])
  func `what doesn't say yes isn't protected`(spelling: String) throws {
    let document = try Make.document(
      Self.entry(
        Self.field("a", "QUJD", attributes: "Protected='\(spelling)'")
          + Self.field("b", Make.protected("B", at: 0))))
    #expect(Self.values(document) == ["QUJD", "B"])
  }

  @Test func `base64 may be spread, commented and escaped`() throws {
    let whole = Make.protected("ABCDEF", at: 0)
    let spread =
      "\n \(whole.prefix(3))<!-- x -->&#\(whole.utf8.dropFirst(3).first ?? 0);"
      + "<![CDATA[\(whole.dropFirst(4))]]>\r\n"
    let document = try Make.document(
      Self.entry(Self.field("a", spread) + Self.field("b", Make.protected("B", at: 6))))
    #expect(Self.values(document) == ["ABCDEF", "B"])
    #expect(Self.values(try Make.reopened(document, seed: 9)) == ["ABCDEF", "B"])
  }

  @Test(arguments: ["A", "A===", "!!!!", "QUJD="])
  func `a protected value that isn't base64 is refused`(text: String) {
    let error = #expect(throws: DocumentError.self) {
      try Make.document(Self.entry(Self.field("a", text)))
    }
    #expect(error?.kind == .badProtectedValue)
  }

  @Test(arguments: [InnerStream.Kind.salsa20, .chaCha20, .arcFourVariant])
  func `every stream is entered anywhere`(kind: InnerStream.Kind) throws {
    let stream = InnerStream(kind, key: [UInt8](0..<32).span)
    let texts = (0..<200).map { String(repeating: "x\($0)", count: $0 % 17) }
    var offset: UInt64 = 0
    var fields = ""
    for (index, text) in texts.enumerated() {
      fields += Self.field("\(index)", Make.protected(text, at: offset, innerStream: stream))
      offset += UInt64(text.utf8.count)
    }
    let document = try Make.document(Self.entry(fields), innerStream: stream)
    #expect(Self.values(document) == texts)
    let strings = document.entry(document.allEntries[0]).strings
    for index in strings.indices.reversed() {
      #expect(document.text(strings[index].value) == texts[index])
    }
    #expect(Self.values(try Make.reopened(document, seed: 9)) == texts)
  }

  @Test func `many large values are enciphered in batches that fit`() throws {
    let texts = (0..<300).map { String(repeating: "abcdefg\($0)", count: $0 * 7 % 400) }
    var offset: UInt64 = 0
    var fields = ""
    for (index, text) in texts.enumerated() {
      fields += Self.field("\(index)", Make.protected(text, at: offset))
      offset += UInt64(text.utf8.count)
    }
    var document = try Make.document(Self.entry(fields))
    #expect(Self.values(try Make.reopened(document, seed: 9)) == texts)
    // An edit in the middle moves all that follows in the stream.
    let id = document.allEntries[0]
    var entry = document.entry(id)
    entry.set(
      Array("150".utf8), to: document.values.seal(Array("short".utf8).span), isProtected: true)
    document.replace(id, with: entry)
    var expected = texts
    expected[150] = "short"
    let again = try Make.reopened(document, seed: 9)
    #expect(Self.values(again) == expected)
    #expect(document.hasSameContent(as: again))
  }

  @Test func `a value moves to another entry, enciphered or not`() throws {
    var document = try Make.document(
      Self.entry(
        Self.field("a", Make.protected("secret", at: 0))
          + Self.field("b", Make.protected("B", at: 6))
          + "<String><Key>c</Key><Value>plain &amp; text</Value></String>"))
    let source = document.entry(document.allEntries[0])
    var copy = Entry(uuid: .random(), version: .kdbx41, at: VaultTime(unixSeconds: 0))
    for field in source.strings.reversed() {
      copy.set(field.key, to: field.value, isProtected: !field.isProtected)
    }
    _ = document.add(copy, to: document.root)
    document.remove(.entry(document.allEntries[0]))
    let again = try Make.reopened(document, seed: 9)
    let strings = again.entry(again.allEntries[0]).strings
    #expect(strings.map { again.text($0.value) } == ["plain & text", "B", "secret"])
    #expect(strings.map(\.isProtected) == [true, false, false])
    #expect(document.hasSameContent(as: again))
  }

  @Test func `a document that was written otherwise isn't taken for the same`() throws {
    let document = try Make.document(DocumentRoundTripTests.sample())
    let stream = Make.stream(9)
    let written = try Make.written(document, innerStream: stream)
    #expect(
      document.hasSameContent(as: try Make.document(written, innerStream: stream)))
    #expect(
      !document.hasSameContent(as: try Make.document(written, innerStream: Make.stream(10))))
    for (old, new) in [("One", "Two"), ("kept", "Kept"), ("<History/>", "<History></History>")] {
      let text = String(decoding: written, as: UTF8.self)
      let place = try #require(text.range(ofText: old))
      let changed = text.replacingCharacters(in: place, with: new)
      #expect(
        !document.hasSameContent(as: try Make.document(changed, innerStream: stream)))
    }
  }
}

extension String {
  /// Where `text` stands for the first time.
  fileprivate func range(ofText text: String) -> Range<String.Index>? {
    indices.first { self[$0...].hasPrefix(text) }.map { $0..<index($0, offsetBy: text.count) }
  }

  fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
