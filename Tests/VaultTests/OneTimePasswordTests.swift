import ByteCoding
import Ciphers
import Secrets
import Testing
import Vault

@Suite struct Base32Tests {
  static func decode(_ text: String) -> [UInt8]? {
    var output = WipedBuffer()
    guard Base32.decode(Array(text.utf8).span, into: &output) else { return nil }
    return output.bytes.copied()
  }

  static func encode(_ text: String) -> String {
    var output = WipedBuffer()
    Base32.encode(Array(text.utf8).span, into: &output)
    return String(decoding: output.bytes.copied(), as: UTF8.self)
  }

  /// RFC 4648, section 10.
  static let vectors = [
    ("f", "MY"), ("fo", "MZXQ"), ("foo", "MZXW6"), ("foob", "MZXW6YQ"), ("fooba", "MZXW6YTB"),
    ("foobar", "MZXW6YTBOI"),
  ]

  @Test(arguments: vectors)
  func `the vectors of RFC 4648, without padding`(plain: String, text: String) {
    #expect(Self.encode(plain) == text)
    #expect(Self.decode(text) == Array(plain.utf8))
  }

  @Test(arguments: [
    "mzxw6ytboi", "MZXW 6YTB OI", "mzxw-6ytb-oi======", "MZXW6YTBOI\n", " MZXW+6YTBOI = ",
  ])
  func `untidy spelling doesn't matter`(text: String) {
    #expect(Self.decode(text) == Array("foobar".utf8))
  }

  @Test(arguments: ["", " = ", "M", "MZXW0", "MZXW1", "MZXW8", "MZXW_", "MZXÄ"])
  func `what is no base32, or spells no byte, is refused`(text: String) {
    #expect(Self.decode(text) == nil)
  }

  @Test func `what is refused leaves the buffer as it was`() {
    var output = WipedBuffer(copying: [7].span)
    let isGood = Base32.decode(Array("MZXW6YTB!".utf8).span, into: &output)
    let bytes = output.bytes.copied()
    #expect(!isGood)
    #expect(bytes == [7])
  }
}

@Suite struct OneTimePasswordTests {
  /// RFC 6238, appendix B: the key is as long as the hash, made of `1234567890` repeated.
  static func key(_ algorithm: HMAC.Algorithm) -> [UInt8] {
    let length =
      switch algorithm {
      case .sha1: 20
      case .sha256: 32
      case .sha512: 64
      }
    return (0..<length).map { UInt8(ascii: "0") + UInt8(($0 + 1) % 10) }
  }

  static let rfc6238: [(Int64, HMAC.Algorithm, String)] = [
    (59, .sha1, "94287082"), (59, .sha256, "46119246"), (59, .sha512, "90693936"),
    (1_111_111_109, .sha1, "07081804"), (1_111_111_109, .sha256, "68084774"),
    (1_111_111_109, .sha512, "25091201"), (1_111_111_111, .sha1, "14050471"),
    (1_111_111_111, .sha256, "67062674"), (1_111_111_111, .sha512, "99943326"),
    (1_234_567_890, .sha1, "89005924"), (1_234_567_890, .sha256, "91819424"),
    (1_234_567_890, .sha512, "93441116"), (2_000_000_000, .sha1, "69279037"),
    (2_000_000_000, .sha256, "90698825"), (2_000_000_000, .sha512, "38618901"),
    (20_000_000_000, .sha1, "65353130"), (20_000_000_000, .sha256, "77737706"),
    (20_000_000_000, .sha512, "47863826"),
  ]

  @Test(arguments: rfc6238)
  func `the vectors of RFC 6238`(time: Int64, algorithm: HMAC.Algorithm, code: String) {
    let password = OneTimePassword(
      key: WipedBuffer(copying: Self.key(algorithm).span), style: .decimal(digits: 8),
      algorithm: algorithm)
    let made = password.code(at: time)
    #expect(made.text == Array(code.utf8))
    #expect(made.secondsLeft == 30 - time % 30)
  }

  /// RFC 4226, appendix D.
  @Test(
    arguments: zip(
      0..<10,
      [
        "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
        "520489",
      ]))
  func `the vectors of RFC 4226`(counter: Int, code: String) {
    let password = OneTimePassword(
      key: WipedBuffer(copying: Self.key(.sha1).span), moment: .counter(UInt64(counter)))
    let made = password.code(at: 12345)
    #expect(made == OneTimeCode(text: Array(code.utf8), secondsLeft: nil))
  }

  @Test func `the vectors of docs/kdbx.md 12, Steam's too`() {
    for (style, code): (OneTimePassword.Style, String) in [
      (.decimal(digits: 6), "287082"), (.decimal(digits: 8), "94287082"), (.steam, "PV9M4"),
      (.decimal(digits: 10), "1094287082"), (.decimal(digits: 1), "2"),
    ] {
      let password = OneTimePassword(
        key: WipedBuffer(copying: Self.key(.sha1).span), style: style)
      let made = password.code(at: 59)
      #expect(made.text == Array(code.utf8))
    }
  }

  @Test func `a code of time counts down to the next one, before 1970 too`() {
    let password = OneTimePassword(
      key: WipedBuffer(copying: [1, 2, 3].span), moment: .time(period: 30))
    let codes: [Int64: OneTimeCode] = [
      59: password.code(at: 59), 60: password.code(at: 60), -1: password.code(at: -1),
      -30: password.code(at: -30), .min: password.code(at: .min), .max: password.code(at: .max),
    ]
    #expect(codes[59]?.secondsLeft == 1)
    #expect(codes[60]?.secondsLeft == 30)
    #expect(codes[59]?.text != codes[60]?.text)
    #expect(codes[-1]?.secondsLeft == 1)
    #expect(codes[-1]?.text == codes[-30]?.text)
    #expect(codes[-30]?.secondsLeft == 30)
  }
}

@Suite struct OneTimeAddressTests {
  /// What a text means, in one comparable value.
  struct Meaning: Hashable {
    var key: [UInt8] = Array(
      "Hello!\u{DE}\u{AD}\u{BE}\u{EF}".unicodeScalars.map { UInt8($0.value) })
    var moment = OneTimePassword.Moment.time(period: 30)
    var style = OneTimePassword.Style.decimal(digits: 6)
    var algorithm = HMAC.Algorithm.sha1
  }

  static func meaning(_ text: String) throws(OneTimeProblem) -> Meaning {
    let password = try OneTimePassword.parse(Array(text.utf8).span)
    return Meaning(
      key: password.key.bytes.copied(), moment: password.moment, style: password.style,
      algorithm: password.algorithm)
  }

  static let addresses: [(String, Meaning)] = [
    (
      "otpauth://totp/Example:sam?secret=JBSWY3DPEHPK3PXP&period=30&digits=6&issuer=Example",
      .init()
    ),
    ("otpauth://totp?secret=JBSWY3DPEHPK3PXP", .init()),
    ("OTPAUTH://TOTP/x?SECRET=jbswy3dpehpk3pxp", .init()),
    ("otpauth://totp/x?secret=jbsw%20y3dp%20ehpk%203pxp", .init()),
    ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP%3D%3D%3D\n", .init()),
    (
      "otpauth://totp/a%3Ab:c@d?issuer=a&secret=JBSWY3DPEHPK3PXP&digits=&period=&algorithm=",
      .init()
    ),
    ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP#digits=8", .init()),
    ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&secret=AAAAAAAA", .init()),
    (
      "otpauth://totp/b?algorithm=SHA512&secret=JBSWY3DPEHPK3PXP&digits=10&period=10&image=x",
      .init(moment: .time(period: 10), style: .decimal(digits: 10), algorithm: .sha512)
    ),
    ("otpauth://totp/b?secret=JBSWY3DPEHPK3PXP&algorithm=hmac-sha-256", .init(algorithm: .sha256)),
    ("otpauth://totp/s?secret=JBSWY3DPEHPK3PXP&encoder=steam", .init(style: .steam)),
    ("otpauth://steam/s?secret=JBSWY3DPEHPK3PXP", .init(style: .steam)),
    ("otpauth://hotp/s?secret=JBSWY3DPEHPK3PXP&counter=7", .init(moment: .counter(7))),
    ("otpauth://hotp/s?secret=JBSWY3DPEHPK3PXP", .init(moment: .counter(0))),
    ("key=JBSWY3DPEHPK3PXP&step=30&size=6", .init()),
    ("key=JBSWY3DPEHPK3PXP%3d%3D", .init()),
    (
      "key=JBSWY3DPEHPK3PXP&type=Totp&otpHashMode=Sha256&size=8&step=60",
      .init(moment: .time(period: 60), style: .decimal(digits: 8), algorithm: .sha256)
    ),
    ("key=JBSWY3DPEHPK3PXP&type=Steam&size=5", .init(style: .steam)),
    ("type=Hotp&key=JBSWY3DPEHPK3PXP&counter=3", .init(moment: .counter(3))),
    ("key=48656c6c6f21deadbeef&encoding=Hex", .init()),
    ("key=SGVsbG8h3q2%2B7w%3D%3D&encoding=Base64", .init()),
    ("key=Hello&encoding=UTF8", .init(key: Array("Hello".utf8))),
    ("JBSWY3DPEHPK3PXP", .init()),
    ("jbsw y3dp ehpk 3pxp\n", .init()),
  ]

  @Test(arguments: addresses)
  func `every form of the field otp is read`(text: String, meaning: Meaning) throws {
    #expect(try Self.meaning(text) == meaning)
  }

  static let broken: [(String, OneTimeProblem)] = [
    ("", .noSecret), ("hello world!", .unknownForm), ("otpauth:totp", .unknownForm),
    ("https://example.org/", .unknownForm),
    ("otpauth://", .noSecret), ("otpauth://totp/x", .noSecret),
    ("otpauth://totp/x?secret=", .noSecret), ("otpauth://totp/x?secret=%20", .noSecret),
    ("otpauth://totp/x?secret=JBSWY0", .malformedSecret),
    ("otpauth://totp/x?secret==", .malformedSecret),
    ("otpauth://motp/x?secret=JBSWY3DP", .unknownType),
    ("otpauth://totp/x?secret=JBSWY3DP&algorithm=MD5", .unknownAlgorithm),
    ("otpauth://totp/x?secret=JBSWY3DP&digits=0", .malformedDigits),
    ("otpauth://totp/x?secret=JBSWY3DP&digits=11", .malformedDigits),
    ("otpauth://totp/x?secret=JBSWY3DP&digits=six", .malformedDigits),
    ("otpauth://totp/x?secret=JBSWY3DP&period=0", .malformedPeriod),
    ("otpauth://totp/x?secret=JBSWY3DP&period=-30", .malformedPeriod),
    ("otpauth://totp/x?secret=JBSWY3DP&period=99999999999999999999", .malformedPeriod),
    ("otpauth://hotp/x?secret=JBSWY3DP&counter=x", .malformedCounter),
    ("key=&step=30", .noSecret), ("key=JBSWY3DP&encoding=rot13", .malformedSecret),
    ("key=abc&encoding=Hex", .malformedSecret), ("key=%%%&encoding=Base64", .malformedSecret),
  ]

  @Test(arguments: broken)
  func `what gives no code says why`(text: String, problem: OneTimeProblem) {
    #expect(throws: problem) { try Self.meaning(text) }
    #expect(!problem.summary.isEmpty)
  }

  static let written: [(String, OneTimeText)] = [
    ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP\n", .address), ("otpauth://totp/x", .other),
    ("JBSWY3DPEHPK3PXP\n", .key), ("gezd gnbv gy3t qojq", .key), ("2345672345672345", .key),
    ("234567\n", .code), ("01234567", .code), ("1234567890", .code), ("12345678901", .other),
    ("PV9M4", .code), ("PVVMY", .code), ("hello", .other), ("password", .other), ("", .other),
    ("\n", .other), ("two words", .other), ("not a secret!", .other), ("key=JBSWY3DP", .other),
  ]

  @Test(arguments: written)
  func `a text written to totp is told from a code`(text: String, kind: OneTimeText) {
    #expect(OneTimeText(Array(text.utf8).span) == kind)
  }
}

extension Span where Element == UInt8 {
  func copied() -> [UInt8] {
    var bytes: [UInt8] = []
    for i in indices { bytes.append(self[i]) }
    return bytes
  }
}
