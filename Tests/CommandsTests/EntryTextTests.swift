import Secrets
import Testing

@testable import Commands

@Suite struct EntryTextTests {
  struct Plain: Hashable {
    var name: String
    var isProtected: Bool
    var value: String

    init(_ name: String, _ value: String, _ isProtected: Bool = false) {
      self.name = name
      self.isProtected = isProtected
      self.value = value
    }

    init(_ field: EntryText.Field) {
      let value = field.value
      let bytes = value.bytes
      self.init(
        String(decoding: field.name, as: UTF8.self),
        String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self), field.isProtected)
    }

    var field: EntryText.Field {
      EntryText.Field(
        Array(name.utf8), isProtected: isProtected, WipedBuffer(copying: Array(value.utf8).span))
    }
  }

  static func written(_ fields: [Plain]) -> String {
    var text = WipedBuffer()
    EntryText.write(fields.map(\.field), comment: "one\ntwo", into: &text)
    let bytes = text.bytes
    return String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
  }

  static func read(_ text: String) -> Result<[Plain], EntryText.Fault> {
    Result { () throws(EntryText.Fault) in
      try EntryText.read(Array(text.utf8).span).map { Plain($0) }
    }
  }

  static let values = [
    "", "plain", "with: colon", "# no comment", "| no line", "two\nlines", "ends\n", "\n", "\n\n",
    " blanks ", "\ttab", "a\r\nb", "  \n  ", "größer & <besser>", "*", "\"", "|", "a\n| b\n#c",
  ]

  @Test(arguments: values)
  func `a value comes back as it was`(value: String) {
    let fields = [Plain("password", value, true), Plain("notes", value), Plain("z", "end")]
    #expect(Self.read(Self.written(fields)) == .success(fields))
  }

  @Test(arguments: [
    "a", "a b", "a:b", "a*", "#a", "\"a\"", " a ", "|", "\\", "a\\\"b", "über", "*",
  ])
  func `a name comes back as it was`(name: String) {
    let fields = [Plain(name, "x"), Plain(name + "2", "y\nz", true)]
    #expect(Self.read(Self.written(fields)) == .success(fields))
  }

  @Test func `it looks as the documents say`() {
    let text = Self.written([
      Plain("username", "alice"), Plain("password", "x y", true), Plain("url", ""),
      Plain("notes", "one\n\ntwo"), Plain("a:b", "c"),
    ])
    #expect(
      text == """
        # one
        # two
        username: alice
        password*: x y
        url:
        notes:
        | one
        |
        | two

        "a:b": c

        """)
  }

  @Test func `what people type is read`() {
    let text = "a:x\r\nb*:   y  \n\n# note\nc:\n|one\n| two\n|  three\n# note\n| four\n\nd: first"
    #expect(
      Self.read(text)
        == .success([
          Plain("a", "x"), Plain("b", "y", true), Plain("c", "one\ntwo\n three\nfour"),
          Plain("d", "first"),
        ]))
    #expect(Self.read("") == .success([]))
  }

  static let faults = [
    ("| x", 1, "a line of a value, but no field before it"),
    ("a:\n| x\n\n| y", 4, "a line of a value, but no field before it"),
    ("a: x\n| y", 2, "a line of a value, but the field before it has its value behind its name"),
    ("a: b\nc", 2, "no colon follows the name of a field"),
    ("\n: x", 2, "a field without a name"), ("\"a: x", 1, "a quote that doesn't end"),
    ("a: 1\nb: 2\na: 3", 3, "a second field of this name"),
    ("\"a\"b: c", 1, "no colon follows the name of a field"),
  ]

  @Test(arguments: faults)
  func `a fault is told with its line`(text: String, line: Int, reason: String) {
    #expect(Self.read(text) == .failure(EntryText.Fault(line: line, reason: reason)))
  }
}
