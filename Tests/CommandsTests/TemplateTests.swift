import Testing

@testable import Commands

@Suite struct TemplateTests {
  /// A template with its fields in `<>`, as it is to be taken.
  static func shown(_ text: String) -> Result<String, Template.Failure> {
    Result { () throws(Template.Failure) in
      let bytes = Array(text.utf8)
      return try Template(bytes.span).pieces.map { piece in
        switch piece {
        case .text(let range): String(decoding: bytes[range], as: UTF8.self)
        case .field(let name, let line): "<\(line) \(String(decoding: name, as: UTF8.self))>"
        }
      }.joined()
    }
  }

  @Test(arguments: [
    ("", ""), ("plain { } }} \\n {", "plain { } }} \\n {"), ("{{a/b}}", "<1 a/b>"),
    ("x={{ a b/c }}\ny={{\td}}{{e}}z", "x=<1 a b/c>\ny=<2 d><2 e>z"),
    ("\\{{ a }} {{ b }}", "{{ a }} <1 b>"), ("{{{a}}}", "<1 {a>}"), ("\\\\{{ a }}", "\\{{ a }}"),
  ])
  func `fields stand between braces`(text: String, pieces: String) {
    #expect(Self.shown(text) == .success(pieces))
  }

  @Test(arguments: [
    ("a\n{{ b\n}}", Template.Failure.unended(line: 2)), ("{{", .unended(line: 1)),
    ("{{ a }", .unended(line: 1)), ("\n\n{{ }}", .empty(line: 3)), ("{{}}", .empty(line: 1)),
  ])
  func `what is no template is told with its line`(text: String, failure: Template.Failure) {
    #expect(Self.shown(text) == .failure(failure))
  }
}
