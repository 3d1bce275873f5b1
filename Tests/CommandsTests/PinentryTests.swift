import Secrets
import Testing

@testable import Commands

@Suite struct PinentryTests {
  static func answer(_ said: String) -> String? {
    let bytes = Array(said.utf8)
    return Pinentry.answer(in: bytes.span)?.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
  }

  @Test(
    arguments: [
      ("OK hello\nOK\nOK\nOK\nD a%25b%0Ac%zz%\nOK\nOK closing\n", "a%b\nc%zz%"),
      ("OK\nOK\nOK\nOK\nOK\nOK\n", ""),
      ("OK\nOK\nOK\nOK\n# comment\nS PASSWORD_FROM_CACHE\nD x\nOK\n", "x"),
      ("OK\nOK\nOK\nOK\nERR 83886179 Operation cancelled\nOK\n", nil), ("OK\n", nil), ("", nil),
    ] as [(String, String?)])
  func `what it says is understood`(said: String, password: String?) {
    #expect(Self.answer(said) == password)
  }

  @Test func `a name can't end the line, nor be code`() {
    #expect(Pinentry.escaped("50%0A") == "50%250A")
  }
}
