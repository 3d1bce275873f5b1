import Ciphers
import KDBX
import Secrets

/// The ways in which programs keep the secret of one-time codes, the one that counts most first.
enum OneTimeForm: CaseIterable {
  /// `otp`: an otpauth URI, KeeOtp's query, or a bare base32 key.
  case otp
  /// `TimeOtp-Secret…`, of KeePass 2.47 and later.
  case timeOtp
  /// `TOTP Seed` and `TOTP Settings`, of KeeTrayTOTP.
  case tray
  /// `HmacOtp-Secret…`, of KeePass.
  case hmacOtp

  /// Where KeePass keeps a secret: the ending of the field's name, in the order that it looks.
  static let secretEndings: [(ending: String, encoding: OneTimeEncoding)] = [
    ("", .text), ("-Hex", .hex), ("-Base32", .base32), ("-Base64", .base64),
  ]

  /// The fields that may hold the secret, in the order in which they count.
  var secretFields: [(key: [UInt8], encoding: OneTimeEncoding)] {
    switch self {
    case .otp: [(FieldKey.otp, .text)]
    case .tray: [(FieldKey.totpSeed, .base32)]
    case .timeOtp:
      Self.secretEndings.map { (Array("TimeOtp-Secret\($0.ending)".utf8), $0.encoding) }
    case .hmacOtp:
      Self.secretEndings.map { (Array("HmacOtp-Secret\($0.ending)".utf8), $0.encoding) }
    }
  }

  /// The field that holds the secret in `entry`; an empty field is none.
  func secretField(
    in entry: Entry, values: ValueSource
  ) -> (key: [UInt8], encoding: OneTimeEncoding)? {
    secretFields.first { field in
      entry.string(field.key).map { values.count(of: $0.value) > 0 } ?? false
    }
  }

  func isPresent(in entry: Entry, values: ValueSource) -> Bool {
    secretField(in: entry, values: values) != nil
  }

  /// Reads the secret and its parameters.
  func read(from entry: Entry, values: ValueSource) throws(OneTimeFailure) -> OneTimePassword {
    guard let field = secretField(in: entry, values: values) else {
      throw OneTimeFailure(.noSecret, in: secretFields[0].key)
    }
    do throws(OneTimeProblem) {
      let text = Self.text(of: field.key, in: entry, values)
      switch self {
      case .otp: return try OneTimePassword.parse(text.bytes)
      case .tray: return try Self.readTray(seed: text, entry, values)
      case .timeOtp:
        return try Self.readTimeOtp(key: try field.encoding.decode(text.bytes), entry, values)
      case .hmacOtp:
        let counter = Self.text(of: Array("HmacOtp-Counter".utf8), in: entry, values)
        return OneTimePassword(
          key: try field.encoding.decode(text.bytes),
          moment: .counter(try OneTimeParameters.counter(counter.bytes)))
      }
    } catch {
      throw OneTimeFailure(error, in: field.key)
    }
  }

  /// Reads KeeTrayTOTP's form.
  ///
  /// `TOTP Settings` is `period;digits[;address of a clock]`, digits `S` for Steam; it may be missing,
  /// as KeeTrayTOTP lets it. We have the machine's clock.
  private static func readTray(
    seed: borrowing WipedBuffer, _ entry: Entry, _ values: ValueSource
  ) throws(OneTimeProblem) -> OneTimePassword {
    let key = try OneTimeParameters.base32(seed.bytes)
    let settings = text(of: FieldKey.totpSettings, in: entry, values)
    let bytes = settings.bytes
    let first = bytes.firstIndex(of: UInt8(ascii: ";"), in: bytes.indices) ?? bytes.count
    let start = min(first + 1, bytes.count)
    let second = bytes.firstIndex(of: UInt8(ascii: ";"), in: start..<bytes.count) ?? bytes.count
    let period = try OneTimeParameters.period(bytes.extracting(0..<first))
    let digits = bytes.extracting(start..<second)
    if digits.extracting(digits.trimmedRange).equalsIgnoringCase("S") {
      return OneTimePassword(key: key, moment: .time(period: period), style: .steam)
    }
    return OneTimePassword(
      key: key, moment: .time(period: period),
      style: .decimal(digits: try OneTimeParameters.digits(digits)))
  }

  private static func readTimeOtp(
    key: consuming WipedBuffer, _ entry: Entry, _ values: ValueSource
  ) throws(OneTimeProblem) -> OneTimePassword {
    let period = text(of: Array("TimeOtp-Period".utf8), in: entry, values)
    let digits = text(of: Array("TimeOtp-Length".utf8), in: entry, values)
    let algorithm = text(of: Array("TimeOtp-Algorithm".utf8), in: entry, values)
    return OneTimePassword(
      key: key, moment: .time(period: try OneTimeParameters.period(period.bytes)),
      style: .decimal(digits: try OneTimeParameters.digits(digits.bytes)),
      algorithm: try OneTimeParameters.algorithm(algorithm.bytes))
  }

  /// The value of a field, empty when there is none.
  static func text(of key: [UInt8], in entry: Entry, _ values: ValueSource) -> WipedBuffer {
    var text = WipedBuffer()
    if let field = entry.string(key) { values.open(field.value, into: &text) }
    return text
  }
}
