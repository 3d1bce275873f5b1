import ByteCoding
import Testing

@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("", ""), ("a b", "a b"), ("%41%62", "Ab"), ("%4a%4A", "JJ"), ("100%", "100%"), ("%4", "%4"),
    ("%zz%41", "%zzA"), ("%%41", "%A"), ("%2541", "%41"), ("a%0A", "a\n"),
  ])
  func `a percent sign and two digits are a byte, all else is itself`(text: String, plain: String) {
    var bytes: [UInt8] = []
    PercentEncoding.decode(Array(text.utf8).span) { bytes.append($0) }
    #expect(bytes == Array(plain.utf8))
  }
}
