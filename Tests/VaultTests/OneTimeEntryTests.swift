import Ciphers
import KDBX
import Secrets
import Testing
import Vault

@Suite struct OneTimeEntryTests {
  /// A vault of one entry with these fields.
  static func vault(_ fields: [(String, String)]) throws -> (Vault, Entry) {
    let vault = try TestVault.make { $0.entry(10, fields) }
    return (vault, vault.document.entry(try vault.entryID(10)))
  }

  static let rfcKey = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"

  /// Forms of one key, whose code at 59 is 287082 or 94287082.
  static let forms: [[(String, String)]] = [
    [("*otp", "otpauth://totp/x?secret=\(rfcKey)")],
    [("*otp", "key=\(rfcKey)&step=30&size=6")],
    [("*otp", rfcKey)],
    [("*TOTP Seed", rfcKey), ("TOTP Settings", "30;6")],
    [("*TOTP Seed", rfcKey)],
    [
      ("*TOTP Seed", "gezd gnbv gy3t qojq gezd gnbv gy3t qojq\n"),
      ("TOTP Settings", "30;6;http://t/"),
    ],
    [("*TimeOtp-Secret", "12345678901234567890")],
    [("*TimeOtp-Secret-Hex", "3132333435363738393031323334353637383930")],
    [("*TimeOtp-Secret-Base32", rfcKey), ("TimeOtp-Period", "30"), ("TimeOtp-Length", "6")],
    [
      ("*TimeOtp-Secret-Base64", "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA="),
      ("TimeOtp-Algorithm", "HMAC-SHA-1"),
    ],
    // What stands first in KeePass' order counts; an empty field is none.
    [
      ("*TimeOtp-Secret-Base64", "AAAA"), ("*TimeOtp-Secret-Base32", rfcKey),
      ("TimeOtp-Secret", ""),
    ],
    // Of several forms `otp` counts, unless it gives no code.
    [("*otp", "otpauth://totp/x?secret=\(rfcKey)"), ("*TimeOtp-Secret", "other")],
    [("*otp", "broken!"), ("*TimeOtp-Secret-Base32", rfcKey), ("*TOTP Seed", "AAAA")],
  ]

  @Test(arguments: forms.indices)
  func `every form gives the code`(index: Int) throws {
    let (vault, entry) = try Self.vault(Self.forms[index])
    let code = OneTimeCode(text: Array("287082".utf8), secondsLeft: 1)
    #expect(vault.oneTimeCode(of: entry, at: 59) == .code(code))
    #expect(vault.counterCode(of: entry) == .absent)
    #expect(vault.hasOneTimeSecret(.time, in: entry))
    #expect(!vault.hasOneTimeSecret(.counter, in: entry))
  }

  @Test func `Steam's codes`() throws {
    for fields in [
      [("*otp", "otpauth://totp/x?secret=\(Self.rfcKey)&encoder=steam")],
      [("*TOTP Seed", Self.rfcKey), ("TOTP Settings", "30;S")],
    ] {
      let (vault, entry) = try Self.vault(fields)
      let code = OneTimeCode(text: Array("PV9M4".utf8), secondsLeft: 1)
      #expect(vault.oneTimeCode(of: entry, at: 59) == .code(code))
    }
  }

  @Test func `codes of a counter don't count it up`() throws {
    for fields in [
      [("*HmacOtp-Secret", "12345678901234567890"), ("HmacOtp-Counter", "7")],
      [("*HmacOtp-Secret-Base32", Self.rfcKey), ("HmacOtp-Counter", "7")],
      [("*otp", "otpauth://hotp/x?secret=\(Self.rfcKey)&counter=7")],
      [("*otp", "key=\(Self.rfcKey)&type=Hotp&counter=7")],
    ] {
      let (vault, entry) = try Self.vault(fields)
      let code = OneTimeCode(text: Array("162583".utf8), secondsLeft: nil)
      #expect(vault.counterCode(of: entry) == .code(code))
      #expect(vault.counterCode(of: entry) == .code(code))
      #expect(vault.oneTimeCode(of: entry, at: 59) == .absent)
    }
  }

  static let failures: [(fields: [(String, String)], field: String, problem: OneTimeProblem)] = [
    ([("*otp", "not a secret")], "otp", .unknownForm),
    ([("*otp", "otpauth://totp/x?secret=1")], "otp", .malformedSecret),
    ([("*TOTP Seed", "18")], "TOTP Seed", .malformedSecret),
    ([("*TOTP Seed", rfcKey), ("TOTP Settings", "30;12")], "TOTP Seed", .malformedDigits),
    ([("*TOTP Seed", rfcKey), ("TOTP Settings", "x;6")], "TOTP Seed", .malformedPeriod),
    ([("*TimeOtp-Secret-Hex", "zz")], "TimeOtp-Secret-Hex", .malformedSecret),
    (
      [("*TimeOtp-Secret", "x"), ("TimeOtp-Algorithm", "MD5")], "TimeOtp-Secret", .unknownAlgorithm
    ),
    ([("*otp", "broken!"), ("*TOTP Seed", "18")], "otp", .unknownForm),
  ]

  @Test(arguments: failures.indices)
  func `a secret that gives no code says why`(index: Int) throws {
    let (fields, field, problem) = Self.failures[index]
    let (vault, entry) = try Self.vault(fields)
    let failure = OneTimeFailure(problem, in: Array(field.utf8))
    #expect(vault.oneTimeCode(of: entry, at: 59) == .failure(failure))
    #expect(vault.counterCode(of: entry) == .absent)
  }

  @Test func `an entry without a secret has no code`() throws {
    for fields in [[], [("Title", "x"), ("otp", "")], [("TOTP Settings", "30;6")]] {
      let (vault, entry) = try Self.vault(fields)
      #expect(vault.oneTimeCode(of: entry, at: 59) == .absent)
      #expect(vault.counterCode(of: entry) == .absent)
      #expect(!vault.hasOneTimeSecret(.time, in: entry))
    }
  }

  // MARK: - Setting

  static let newKey = "JBSWY3DPEHPK3PXP"

  /// An entry's fields, what is written to `totp`, and the fields after.
  static let settings: [(before: [(String, String)], text: String, after: [(String, String)])] = [
    (
      [("Title", "GitHub & Co"), ("UserName", "sam@x")], "jbsw y3dp ehpk 3pxp\n",
      [
        ("Title", "GitHub & Co"), ("UserName", "sam@x"),
        (
          "*otp",
          "otpauth://totp/GitHub%20%26%20Co:sam%40x?secret=\(newKey)&period=30&digits=6"
            + "&issuer=GitHub%20%26%20Co"
        ),
      ]
    ),
    ([], newKey, [("*otp", "otpauth://totp/none?secret=\(newKey)&period=30&digits=6")]),
    (
      [], "otpauth://totp/a:b?secret=\(newKey)&digits=8\n",
      [("*otp", "otpauth://totp/a:b?secret=\(newKey)&digits=8")]
    ),
    (
      [("otp", "otpauth://totp/a?digits=8&secret=\(rfcKey)&issuer=x")], newKey,
      [("otp", "otpauth://totp/a?digits=8&secret=\(newKey)&issuer=x")]
    ),
    ([("*otp", "otpauth://totp/a")], newKey, [("*otp", "otpauth://totp/a?secret=\(newKey)")]),
    ([("*otp", rfcKey)], newKey, [("*otp", newKey)]),
    (
      [("*otp", "key=\(rfcKey)&step=60&size=8&x=y")], newKey,
      [("*otp", "key=\(newKey)&step=60&size=8&x=y")]
    ),
    (
      [("*otp", "key=\(rfcKey)&step=60&size=8")],
      "otpauth://totp/a?secret=\(newKey)&algorithm=SHA256",
      [("*otp", "key=\(newKey)&step=30&size=6&otpHashMode=Sha256")]
    ),
    (
      [("*TOTP Seed", rfcKey), ("TOTP Settings", "60;8;http://t/")], newKey,
      [("*TOTP Seed", newKey), ("TOTP Settings", "60;8;http://t/")]
    ),
    (
      [("*TOTP Seed", rfcKey), ("TOTP Settings", "60;8;http://t/")],
      "otpauth://totp/a?secret=\(newKey)&encoder=steam",
      [("*TOTP Seed", newKey), ("TOTP Settings", "30;S;http://t/")]
    ),
    (
      [("*TimeOtp-Secret-Hex", "00"), ("*otp", rfcKey)], newKey,
      [("*TimeOtp-Secret-Hex", "48656C6C6F21DEADBEEF"), ("*otp", newKey)]
    ),
    (
      [("*TimeOtp-Secret", "x"), ("TimeOtp-Length", "8")],
      "otpauth://totp/a?secret=MFRGGZDFMZTWQ2LK&period=60",
      [("*TimeOtp-Secret", "abcdefghij"), ("TimeOtp-Length", "6"), ("*TimeOtp-Period", "60")]
    ),
    (
      [("*TimeOtp-Secret", "x"), ("Other", "y")], newKey,
      [("Other", "y"), ("*TimeOtp-Secret-Base32", newKey)]
    ),
  ]

  @Test(arguments: settings.indices)
  func `a secret that is written keeps the entry's form`(index: Int) throws {
    let (before, text, after) = Self.settings[index]
    let (vault, original) = try Self.vault(before)
    var entry = original
    try vault.setOneTimeSecret(Array(text.utf8).span, kind: .time, in: &entry)
    #expect(
      entry.strings.map { ($0.isProtected ? "*" : "") + String(decoding: $0.key, as: UTF8.self) }
        == after.map { $0.0 })
    for (name, value) in after {
      #expect(vault.text(name.hasPrefix("*") ? String(name.dropFirst()) : name, of: entry) == value)
    }
  }

  static let refusals: [(fields: [(String, String)], text: String, problem: OneTimeProblem)] = [
    ([], "otpauth://totp/x", .noSecret), ([], "not base32", .malformedSecret),
    (
      [("*TOTP Seed", rfcKey)], "otpauth://totp/a?secret=\(newKey)&algorithm=SHA256",
      .unknownAlgorithm
    ),
    (
      [("*otp", rfcKey), ("*TimeOtp-Secret", "x")],
      "otpauth://totp/a?secret=\(newKey)&encoder=steam", .unknownType
    ),
  ]

  @Test(arguments: refusals.indices)
  func `what a form can't hold is refused whole`(index: Int) throws {
    let (fields, text, problem) = Self.refusals[index]
    let (vault, original) = try Self.vault(fields)
    var entry = original
    do throws(OneTimeProblem) {
      try vault.setOneTimeSecret(Array(text.utf8).span, kind: .time, in: &entry)
      Issue.record("\(text) was taken")
    } catch {
      #expect(error == problem)
    }
    #expect(entry.sameContent(as: original, values: vault.document.values))
  }
}
