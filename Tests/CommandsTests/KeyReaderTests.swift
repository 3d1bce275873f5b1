import Platform
import Secrets
import Testing

@testable import Commands

@Suite struct KeyReaderTests {
  static func kept(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    KeyReader.withoutLineEnd(bytes.span).withBytes { span in
      for index in span.indices { kept.append(span[index]) }
    }
    return kept
  }

  @Test(arguments: [
    ("", ""), ("pw", "pw"), ("pw\n", "pw"), ("pw\r\n", "pw"), ("pw\n\n", "pw\n"),
    ("pw\r", "pw\r"), ("\n", ""), ("\r\n", ""), ("\r\n\r\n", "\r\n"), (" p w ", " p w "),
    ("a\nb", "a\nb"), ("a\u{0}b\u{0}\n", "a\u{0}b\u{0}"),
  ])
  func `one line end is dropped, nothing else`(given: String, password: String) {
    // Compared as bytes: to a String, CR LF is one character.
    #expect(Self.kept(Array(given.utf8)) == Array(password.utf8))
  }

  @Test func `bytes that are no text are a password too`() {
    #expect(Self.kept([0xFF, 0xC0, 0x0A]) == [0xFF, 0xC0])
  }

  // MARK: - Sources

  static func sources(_ change: (inout KeySources) -> Void) -> KeySources {
    var sources = KeySources()
    change(&sources)
    return sources
  }

  /// The password that sources give.
  static func password(_ sources: KeySources) throws(Complaint) -> [UInt8]? {
    var keys = try KeyReader.read(sources, for: "vault.kdbx")
    guard let password = keys.password.take() else { return nil }
    var bytes: [UInt8] = []
    password.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
    return bytes
  }

  @Test func `a program gives it, without a shell`() throws {
    let words = ["printf", "%s\\n", "a b;$HOME'"].map { Array($0.utf8) }
    let given = try Self.password(Self.sources { $0.passwordProgram = words })
    #expect(given == Array("a b;$HOME'".utf8))
  }

  @Test func `none is something else than an empty one`() throws {
    #expect(try Self.password(Self.sources { $0.hasNoPassword = true }) == nil)
    let empty = try Self.password(Self.sources { $0.passwordFile = "/dev/null" })
    #expect(empty == [])
  }

  @Test(arguments: [
    sources { $0.passwordFile = "/nowhere/pw" },
    sources { $0.passwordFile = "/" },
    sources { $0.passwordProgram = [Array("false".utf8)] },
    sources { $0.passwordProgram = [Array("no-such-program".utf8)] },
    sources {
      $0.keyFile = "/nowhere/key"
      $0.hasNoPassword = true
    },
    sources {
      $0.keyFile = "/"
      $0.hasNoPassword = true
    },
  ])
  func `what can't be read is said`(sources: KeySources) {
    let complaint = #expect(throws: Complaint.self) { try Self.password(sources) }
    #expect(complaint?.exitCode == .noKeyMaterial)
  }

  @Test func `an empty key file is refused as a wrong one`() {
    let sources = Self.sources {
      $0.keyFile = "/dev/null"
      $0.hasNoPassword = true
    }
    let complaint = #expect(throws: Complaint.self) { try Self.password(sources) }
    #expect(complaint?.exitCode == .wrongKey)
  }
}
