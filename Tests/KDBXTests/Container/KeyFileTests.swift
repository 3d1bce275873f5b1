import Ciphers
import TestSupport
import Testing

@testable import KDBX

@Suite struct KeyFileTests {
  static let key = [UInt8](0..<32)
  static let digits = "000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F"
  static let base64 = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="

  static func key(_ file: [UInt8]) -> Result<[UInt8], KDBXError> {
    Result { () throws(KDBXError) in revealed(try KeyFile.key(from: file.span)) }
  }

  static func version2(_ data: String, version: String = "2.0", hash: String? = "630DCD29")
    -> String
  {
    let attribute = hash.map { " Hash=\"\($0)\"" } ?? ""
    return """
      <?xml version="1.0" encoding="utf-8"?>
      <KeyFile>
      \t<Meta><Version>\(version)</Version></Meta>
      \t<Key><Data\(attribute)>\(data)</Data></Key>
      </KeyFile>
      """
  }

  static func version1(_ data: String, version: String = "1.00") -> String {
    version2(data, version: version, hash: nil)
  }

  struct Good: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: [UInt8]
    /// nil: the hash of the file.
    var key: [UInt8]?

    init(_ description: String, _ file: String, _ key: [UInt8]?) {
      testDescription = description
      self.file = [UInt8](file.utf8)
      self.key = key
    }
  }

  static let good: [Good] = {
    var groups = stride(from: 0, to: 64, by: 8).map { String(digits.dropFirst($0).prefix(8)) }
    var good = [
      Good("version 2 in one piece", version2(digits), key),
      Good("version 2 in groups", version2("\n\t\t" + groups.joined(separator: " ") + "\r\n"), key),
      Good(
        "version 2 with no-break spaces", version2(groups.joined(separator: "\u{A0}\u{3000}")), key),
      Good("version 2 in lower case", version2(digits.lowercased(), hash: "630dcd29"), key),
      Good("version 2.00", version2(digits, version: "2.00"), key),
      Good("version 2", version2(digits, version: " 2 "), key),
      Good("version 2 without checksum", version2(digits, hash: nil), key),
      Good("version 2 with an empty checksum", version2(digits, hash: ""), key),
      Good("version 2, a short key", version2("00FF", hash: nil), [0, 255]),
      Good(
        "version 2, CDATA, comment, reference",
        version2("<![CDATA[\(groups[0])]]><!-- 1 -->&#48;\(digits.dropFirst(9))"), key),
      Good("version 1.00", version1(base64), key),
      Good(
        "version 1.0 in two lines",
        version1("AAECAwQFBgcICQoL\n  DA0ODxAREhMUFRYXGBkaGxwdHh8=", version: "1.0"), key),
      Good("version 1, a short key", version1("AP8="), [0, 255]),
      Good("a byte order mark before XML", "\u{FEFF}" + version2(digits), key),
      Good(
        "elements nobody knows",
        version2(digits).replacing("<Meta>", with: "<X><Data>7</Data></X><Meta><Y/>"), key),
      Good("64 digits", digits, key),
      Good("64 digits in lower case", digits.lowercased(), key),
      Good("64 digits and a line end", digits + "\n", nil),
      Good("64 digits after a byte order mark", "\u{FEFF}" + digits, nil),
      Good("63 digits and a letter", digits.dropLast() + "G", nil),
      Good(
        "32 letters", "abcdefghijklmnopqrstuvwxyz012345",
        [UInt8]("abcdefghijklmnopqrstuvwxyz012345".utf8)),
      Good("31 letters", "abcdefghijklmnopqrstuvwxyz01234", nil),
      Good("nothing", "", nil),
      Good("blank before XML", " " + version2(digits), nil),
      Good("broken XML", String(version2(digits).dropLast()), nil),
      Good("two roots", version2(digits) + "<KeyFile/>", nil),
      Good("another root", version2(digits).replacing("KeyFile>", with: "keyfile>"), nil),
      Good(
        "a document type",
        version2(digits).replacing("<KeyFile>", with: "<!DOCTYPE KeyFile><KeyFile>"), nil),
    ]
    let all = [UInt8](0...255)
    good.append(Good("bytes that are no text", "", nil))
    good[good.count - 1].file = all
    return good
  }()

  @Test(arguments: good)
  func `any file is a key file`(good: Good) {
    #expect(Self.key(good.file) == .success(good.key ?? SHA256.hash(good.file.span)))
  }

  struct Bad: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var file: String
    var problem: KeyFile.Problem

    init(_ description: String, _ file: String, _ problem: KeyFile.Problem) {
      testDescription = description
      self.file = file
      self.problem = problem
    }
  }

  static let bad = [
    Bad("wrong checksum", version2(digits, hash: "630DCD28"), .badChecksum),
    Bad("checksum that is no hex", version2(digits, hash: "invalid"), .badChecksum),
    Bad("checksum too long", version2(digits, hash: "630DCD29D9"), .badChecksum),
    Bad("a changed digit", version2("1" + digits.dropFirst()), .badChecksum),
    Bad("digits that are none", version2("xx" + digits.dropFirst(2)), .badKey),
    Bad("an odd digit", version2(digits + "0"), .badKey),
    Bad("base64 that is none", version1("AAEC*"), .badKey),
    Bad("base64 without padding", version1(String(base64.dropLast())), .badKey),
    Bad("no key", version2("", hash: nil), .missingKey),
    Bad("a blank key", version1("  "), .missingKey),
    Bad("elements in the key", version2("<X>\(digits)</X>"), .missingKey),
    Bad("nothing in it", "<KeyFile/>", .missingVersion),
    Bad("no Data", "<KeyFile><Meta><Version>2.0</Version></Meta><Key/></KeyFile>", .missingKey),
    Bad(
      "no version", version2(digits).replacing("<Version>2.0</Version>", with: ""), .missingVersion),
    Bad("version 3.0", version2(digits, version: "3.0"), .unsupportedVersion),
    Bad("version 10.0", version2(digits, version: "10.0"), .unsupportedVersion),
    Bad("version 2x", version2(digits, version: "2x"), .unsupportedVersion),
    Bad("empty version", version2(digits, version: ""), .unsupportedVersion),
  ]

  @Test(arguments: bad)
  func `an XML key file with a fault is refused, not hashed`(bad: Bad) {
    let file = [UInt8](bad.file.utf8)
    #expect(Self.key(file) == .failure(KDBXError(.badKeyFile(bad.problem), in: .keyFile)))
  }

  @Test func `no cut of an XML key file is taken for one`() {
    let file = [UInt8](Self.version2(Self.digits).utf8)
    for length in 0..<file.count {
      let cut = Array(file.prefix(length))
      let expected = length == 32 ? cut : SHA256.hash(cut.span)
      #expect(Self.key(cut) == .success(expected), "cut to \(length) bytes")
    }
  }

  @Test(
    .enabled(if: SharedFolder.isThere, "\(SharedFolder.hint)"), arguments: SharedVaults.keyFiles)
  func `key files of other programs give the key that they give there`(
    keyFile: SharedVaults.LoneKeyFile
  ) {
    let file = SharedVaults.file(keyFile.file)
    switch Self.key(file) {
    case .success(let key): #expect(key == keyFile.key)
    case .failure(let error):
      #expect(keyFile.key == nil)
      guard case .badKeyFile = error.kind else {
        Issue.record("refused as \(error.kind)")
        return
      }
    }
  }
}
