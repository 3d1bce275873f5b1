import Ciphers
import Secrets

/// The parameters around a secret, each read in all the spellings that programs use.
///
/// A parameter that is missing or empty has its default; one that is there and can't be read is an
/// error, because a guess would give a wrong code.
enum OneTimeParameters {
  static func algorithm(_ text: Span<UInt8>) throws(OneTimeProblem) -> HMAC.Algorithm {
    // `SHA1`, `SHA-1`, `HMAC-SHA-1`, `HmacSHA1` are one.
    var name = WipedBuffer()
    for i in text.indices
    where text[i] != UInt8(ascii: "-") && text[i] != UInt8(ascii: "_")
      && !isASCIIWhiteSpace(text[i])
    {
      name.append(lowercased(text[i]))
    }
    if name.count == 0 { return .sha1 }
    let start = name.bytes.hasPrefixIgnoringCase("hmac") ? 4 : 0
    let rest = name.bytes.extracting(start..<name.count)
    if rest.equalsIgnoringCase("sha1") { return .sha1 }
    if rest.equalsIgnoringCase("sha256") { return .sha256 }
    if rest.equalsIgnoringCase("sha512") { return .sha512 }
    throw .unknownAlgorithm
  }

  static func digits(_ text: Span<UInt8>) throws(OneTimeProblem) -> Int {
    let text = text.extracting(text.trimmedRange)
    if text.isEmpty { return 6 }
    guard let digits = text.decimal, (1...10).contains(digits) else { throw .malformedDigits }
    return Int(digits)
  }

  static func period(_ text: Span<UInt8>) throws(OneTimeProblem) -> Int64 {
    let text = text.extracting(text.trimmedRange)
    if text.isEmpty { return 30 }
    guard let period = text.decimal, period > 0 else { throw .malformedPeriod }
    return period
  }

  static func counter(_ text: Span<UInt8>) throws(OneTimeProblem) -> UInt64 {
    let text = text.extracting(text.trimmedRange)
    if text.isEmpty { return 0 }
    guard let counter = text.decimal else { throw .malformedCounter }
    return UInt64(counter)
  }

  /// The fewest bytes of a key that stands alone, 16 characters: shorter text is more likely a word
  /// gone astray.
  static let shortestBareKey = 10

  /// The key that a text is, with nothing around it that says so.
  static func bareKey(_ text: Span<UInt8>) throws(OneTimeProblem) -> WipedBuffer {
    let key = try base32(text)
    guard key.count >= shortestBareKey else { throw .malformedSecret }
    return key
  }

  static func base32(_ text: Span<UInt8>) throws(OneTimeProblem) -> WipedBuffer {
    var key = WipedBuffer(capacity: text.count)
    guard !text.extracting(text.trimmedRange).isEmpty else { throw .noSecret }
    guard Base32.decode(text, into: &key) else { throw .malformedSecret }
    return key
  }
}
