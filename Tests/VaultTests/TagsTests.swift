import Testing
import Vault

@Suite struct TagsTests {
  /// The spellings of case 022 and a few more.
  static let spellings: [(raw: String, file: String)] = [
    ("one;two", "one\ntwo"), ("one,two", "one\ntwo"), ("web:site;x", "web:site\nx"),
    (" two words ; three", "two words\nthree"), ("a;;b,", "a\nb"), ("", ""), (" ; ,", ""),
    ("\tx\u{0B};y\n", "x\ny"), ("ä;😀", "ä\n😀"),
  ]

  @Test(arguments: spellings)
  func `the file shows one tag a line`(raw: String, file: String) {
    #expect(Tags.fileText(Array(raw.utf8)) == Array(file.utf8))
  }

  @Test(arguments: spellings)
  func `writing what is read leaves the spelling alone`(raw: String, file: String) throws {
    let stored = try Tags.stored(writing: Array(file.utf8), over: Array(raw.utf8))
    #expect(stored == nil)
  }

  @Test func `other tags are stored with semicolons`() throws {
    let stored = try Tags.stored(writing: Array("b\n\na b\n".utf8), over: Array("x,y".utf8))
    #expect(stored == Array("b;a b".utf8))
    let none = try Tags.stored(writing: [], over: Array("x".utf8))
    #expect(none == [])
  }

  static let refused: [(String, Tags.Problem)] = [
    ("a,b", .separator), ("ok\na;b", .separator), (" a", .outerBlank), ("a ", .outerBlank),
    ("a\tb", .control), ("a\r\nb", .control), ("\u{7F}", .control),
  ]

  @Test(arguments: refused)
  func `a line that would come back otherwise is refused`(text: String, problem: Tags.Problem) {
    #expect(throws: problem) { try Tags.parse(fileText: Array(text.utf8)) }
  }
}
