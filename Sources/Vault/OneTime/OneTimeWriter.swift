import Ciphers
import KDBX
import Secrets

/// Writes a secret into an entry, in the forms that the entry has.
struct OneTimeWriter: ~Copyable {
  private var entry: Entry
  private var written: Set<[UInt8]> = []
  private let values: ValueSource
  /// The otpauth URI as it was given, sealed.
  private let address: StoredText
  /// Whether there is one; a bare key leaves the parameters alone.
  private let hasParameters: Bool

  init(entry: Entry, values: ValueSource, text: Span<UInt8>, isAddress: Bool) {
    self.entry = entry
    self.values = values
    address = values.seal(text)
    hasParameters = isAddress
  }

  /// The entry, and the keys of the fields that were set in it.
  consuming func finish() -> (entry: Entry, written: Set<[UInt8]>) { (entry, written) }

  mutating func write(
    _ password: borrowing OneTimePassword, as form: OneTimeForm
  ) throws(OneTimeProblem) {
    switch form {
    case .otp: try writeOtp(password)
    case .tray: try writeTray(password)
    case .timeOtp: try writeTimeOtp(password)
    case .hmacOtp: try writeHmacOtp(password)
    }
  }

  // MARK: - otp

  /// Makes `otp`: the URI as it was given, or one that names the entry.
  mutating func create(_ password: borrowing OneTimePassword, kind: OneTimeKind) {
    guard !hasParameters else { return set(FieldKey.otp, to: address) }
    var text = WipedBuffer()
    text.append(kind == .time ? "otpauth://totp/" : "otpauth://hotp/")
    let title = OneTimeForm.text(of: FieldKey.title, in: entry, values)
    var userName = OneTimeForm.text(of: FieldKey.userName, in: entry, values)
    if title.count == 0, userName.count == 0 { userName.append("none") }
    if title.count > 0 {
      text.append(percentEncoding: title.bytes)
      text.append(UInt8(ascii: ":"))
    }
    text.append(percentEncoding: userName.bytes)
    text.append("?secret=")
    Base32.encode(password.key.bytes, into: &text)
    text.append(kind == .time ? "&period=30&digits=6" : "&counter=0&digits=6")
    if title.count > 0 {
      text.append("&issuer=")
      text.append(percentEncoding: title.bytes)
    }
    set(FieldKey.otp, text.bytes)
  }

  private mutating func writeOtp(
    _ password: borrowing OneTimePassword
  ) throws(OneTimeProblem) {
    let stored = OneTimeForm.text(of: FieldKey.otp, in: entry, values)
    let old = WipedBuffer(copying: stored.bytes.extracting(stored.bytes.trimmedRange))
    switch OneTimePassword.form(of: old.bytes) {
    case .key where !hasParameters:
      var text = WipedBuffer()
      Base32.encode(password.key.bytes, into: &text)
      set(FieldKey.otp, text.bytes)
    case .address where !hasParameters:
      var secret = WipedBuffer()
      Base32.encode(password.key.bytes, into: &secret)
      let text = Self.text(old.bytes, setting: "secret", to: secret.bytes)
      set(FieldKey.otp, text.bytes)
    case .query: try writeQuery(password, over: old)
    case .key, .address: set(FieldKey.otp, to: address)
    }
  }

  /// Writes KeeOtp's query: only what changes, so that what KeeOtp2 adds to it stays.
  private mutating func writeQuery(
    _ password: borrowing OneTimePassword, over old: borrowing WipedBuffer
  ) throws(OneTimeProblem) {
    let encoding = try OneTimeEncoding(
      named: QueryParameters(old.bytes).value(of: "encoding").bytes)
    var key = WipedBuffer()
    guard encoding.encode(password.key.bytes, into: &key) else { throw .malformedSecret }
    var encoded = WipedBuffer()
    encoded.append(percentEncoding: key.bytes)
    var text = Self.text(old.bytes, setting: "key", to: encoded.bytes)
    if hasParameters {
      let parameters: [(StaticString, [UInt8], usual: String)] = [
        ("type", Array(Self.keeOtpType(password).utf8), "Totp"),
        ("step", password.periodText, "30"),
        ("size", password.digitsText, "6"),
        ("otpHashMode", Array(Self.keeOtpAlgorithm(password.algorithm).utf8), "Sha1"),
        ("counter", password.counterText, "0"),
      ]
      for (name, value, usual) in parameters {
        let isThere = QueryParameters(text.bytes).range(of: name) != nil
        guard isThere || value != Array(usual.utf8) else { continue }
        text = Self.text(text.bytes, setting: name, to: value.span)
      }
    }
    set(FieldKey.otp, text.bytes)
  }

  private static func keeOtpType(_ password: borrowing OneTimePassword) -> String {
    if password.style == .steam { return "Steam" }
    return password.kind == .counter ? "Hotp" : "Totp"
  }

  private static func keeOtpAlgorithm(_ algorithm: HMAC.Algorithm) -> String {
    switch algorithm {
    case .sha1: "Sha1"
    case .sha256: "Sha256"
    case .sha512: "Sha512"
    }
  }

  /// A query, or a URI with one, in which a parameter has another value, or has been added.
  private static func text(
    _ text: Span<UInt8>, setting name: StaticString, to value: Span<UInt8>
  ) -> WipedBuffer {
    let mark = text.firstIndex(of: UInt8(ascii: "?"), in: text.indices)
    let isAddress = text.hasPrefixIgnoringCase("otpauth://")
    let start = isAddress ? mark.map { $0 + 1 } ?? text.count : 0
    let end =
      isAddress
      ? text.firstIndex(of: UInt8(ascii: "#"), in: start..<text.count) ?? text.count : text.count
    var result = WipedBuffer()
    if let range = QueryParameters(text.extracting(start..<end)).range(of: name) {
      result.append(text.extracting(0..<(start + range.lowerBound)))
      result.append(value)
      result.append(text.extracting((start + range.upperBound)..<text.count))
      return result
    }
    result.append(text.extracting(0..<end))
    if isAddress, mark == nil {
      result.append(UInt8(ascii: "?"))
    } else if end > start {
      result.append(UInt8(ascii: "&"))
    }
    result.append(name)
    result.append(UInt8(ascii: "="))
    result.append(value)
    result.append(text.extracting(end..<text.count))
    return result
  }

  // MARK: - Fields of their own

  private mutating func writeTray(
    _ password: borrowing OneTimePassword
  ) throws(OneTimeProblem) {
    if hasParameters {
      guard password.algorithm == .sha1 else { throw .unknownAlgorithm }
      let old = values.bytes(ofUnlessMissing: entry.string(FieldKey.totpSettings))
      let clock = old.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
        .dropFirst(2)
      let digits =
        password.style == .steam ? [UInt8(ascii: "S")] : password.digitsText
      let parts = [password.periodText, digits] + clock.map { Array($0) }
      let settings = Array(parts.joined(separator: [UInt8(ascii: ";")]))
      set(FieldKey.totpSettings, settings.span)
    }
    setKey(password, .tray)
  }

  private mutating func writeTimeOtp(
    _ password: borrowing OneTimePassword
  ) throws(OneTimeProblem) {
    if hasParameters {
      guard password.style != .steam else { throw .unknownType }
      set("TimeOtp-Period", password.periodText, usual: "30")
      set("TimeOtp-Length", password.digitsText, usual: "6")
      let algorithm =
        switch password.algorithm {
        case .sha1: "HMAC-SHA-1"
        case .sha256: "HMAC-SHA-256"
        case .sha512: "HMAC-SHA-512"
        }
      set("TimeOtp-Algorithm", Array(algorithm.utf8), usual: "HMAC-SHA-1")
    }
    setKey(password, .timeOtp)
  }

  private mutating func writeHmacOtp(
    _ password: borrowing OneTimePassword
  ) throws(OneTimeProblem) {
    if hasParameters {
      guard password.algorithm == .sha1 else { throw .unknownAlgorithm }
      guard password.digitsText == [UInt8(ascii: "6")] else { throw .malformedDigits }
      set("HmacOtp-Counter", password.counterText, usual: "0")
    }
    setKey(password, .hmacOtp)
  }

  /// Sets each field that holds the secret of `form`.
  ///
  /// KeePass' text form can't hold every key; then base32 takes its place, which KeePass reads as
  /// well.
  private mutating func setKey(_ password: borrowing OneTimePassword, _ form: OneTimeForm) {
    for field in form.secretFields where entry.string(field.key) != nil {
      var text = WipedBuffer()
      if field.encoding.encode(password.key.bytes, into: &text) {
        set(field.key, text.bytes)
        continue
      }
      entry.removeString(field.key)
      guard let base32 = form.secretFields.first(where: { $0.encoding == .base32 }) else {
        continue
      }
      Base32.encode(password.key.bytes, into: &text)
      set(base32.key, text.bytes)
    }
  }

  /// Sets a parameter; where the field is missing, only to what doesn't go without saying.
  private mutating func set(_ key: String, _ value: [UInt8], usual: String) {
    let key = Array(key.utf8)
    guard entry.string(key) != nil || value != Array(usual.utf8) else { return }
    set(key, value.span)
  }

  /// Sets a field, protected as it was; a new one is protected.
  private mutating func set(_ key: [UInt8], _ value: Span<UInt8>) {
    set(key, to: values.seal(value))
  }

  private mutating func set(_ key: [UInt8], to value: StoredText) {
    entry.set(key, to: value, isProtected: entry.string(key)?.isProtected ?? true)
    written.insert(key)
  }
}

extension OneTimePassword {
  /// The period as text; of a counter the usual one.
  fileprivate var periodText: [UInt8] {
    if case .time(let period) = moment { Array(String(period).utf8) } else { Array("30".utf8) }
  }

  /// The digits as text; Steam's codes have five characters.
  fileprivate var digitsText: [UInt8] {
    if case .decimal(let digits) = style { Array(String(digits).utf8) } else { Array("5".utf8) }
  }

  /// The counter as text; `0` for a code of time.
  fileprivate var counterText: [UInt8] {
    if case .counter(let counter) = moment { Array(String(counter).utf8) } else { Array("0".utf8) }
  }
}

extension ValueSource {
  /// The bytes of a field that is no secret; none of a missing one.
  fileprivate func bytes(ofUnlessMissing field: StringField?) -> [UInt8] {
    field.map { bytes(of: $0.value) } ?? []
  }
}

extension WipedBuffer {
  /// Appends text as a part of a URI (RFC 3986, section 2): all but letters, digits and `-._~` as `%XX`.
  fileprivate mutating func append(percentEncoding text: Span<UInt8>) {
    for i in text.indices {
      let byte = text[i]
      let isPlain =
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(byte))
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
        || [0x2D, 0x2E, 0x5F, 0x7E].contains(byte)
      if isPlain {
        append(byte)
        continue
      }
      append(UInt8(ascii: "%"))
      for digit in [byte >> 4, byte & 15] {
        append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "A") + digit - 10)
      }
    }
  }
}
