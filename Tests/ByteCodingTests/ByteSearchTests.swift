import ByteCoding
import Testing

struct ByteSearchTests {
  @Test(
    "a text is found where it stands first",
    arguments: [
      ("(a) (b) ", ") ", 2), ("aab", "ab", 1), ("abc", "abc", 0), ("abc", "", 0),
    ])
  func found(text: String, part: String, place: Int) {
    #expect(Array(text.utf8).firstPlace(of: part) == place)
    // The places of a slice are those of what it was cut from.
    #expect(Array("xx\(text)".utf8)[2...].firstPlace(of: part) == place + 2)
  }

  @Test(
    "a text that isn't there has no place", arguments: [("", "a"), ("ab", "abc"), ("abab", "ac")])
  func missing(text: String, part: String) {
    #expect(Array(text.utf8).firstPlace(of: part) == nil)
  }
}
