package import Ciphers
package import Secrets

/// What makes one-time codes: a key, a hash, and what is counted (RFC 4226, RFC 6238).
///
/// The key lies in memory that is overwritten when the value goes away.
package struct OneTimePassword: ~Copyable, Sendable {
  /// What a code is made for.
  package enum Moment: Hashable, Sendable {
    /// The time, in steps of `period` seconds from 1970 on (TOTP).
    case time(period: Int64)
    /// A number that whoever uses a code counts up (HOTP).
    case counter(UInt64)
  }

  /// How a code looks.
  package enum Style: Hashable, Sendable {
    /// Decimal digits, 1 to 10, with leading zeros.
    case decimal(digits: Int)
    /// Steam's five characters.
    case steam
  }

  /// The shared secret.
  package let key: WipedBuffer
  package let moment: Moment
  package let style: Style
  package let algorithm: HMAC.Algorithm

  package init(
    key: consuming WipedBuffer, moment: Moment = .time(period: 30),
    style: Style = .decimal(digits: 6), algorithm: HMAC.Algorithm = .sha1
  ) {
    self.key = key
    self.moment = moment
    self.style = style
    self.algorithm = algorithm
  }

  /// The code at a time, or the one of the stored counter, which doesn't move.
  package borrowing func code(at unixSeconds: Int64) -> OneTimeCode {
    switch moment {
    case .counter(let counter):
      return OneTimeCode(text: text(for: counter), secondsLeft: nil)
    case .time(let period):
      let step = unixSeconds / period - (unixSeconds % period < 0 ? 1 : 0)
      let passed = unixSeconds % period
      return OneTimeCode(
        text: text(for: UInt64(bitPattern: step)),
        secondsLeft: period - (passed < 0 ? passed + period : passed))
    }
  }

  private borrowing func text(for counter: UInt64) -> [UInt8] {
    var hmac = HMAC(algorithm, key: key.bytes)
    let message = (0..<8).map { UInt8(truncatingIfNeeded: counter >> (56 - 8 * UInt64($0))) }
    hmac.update(message.span)
    let digest = hmac.code()
    // The dynamic truncation of RFC 4226, section 5.3.
    let start = Int(digest[digest.count - 1] & 0x0F)
    var number: UInt64 = 0
    for i in 0..<4 { number = number << 8 | UInt64(digest[start + i]) }
    number &= 0x7FFF_FFFF
    switch style {
    case .decimal(let digits): return Self.decimal(number, digits: digits)
    case .steam: return Self.steam(number)
    }
  }

  private static func decimal(_ number: UInt64, digits: Int) -> [UInt8] {
    var rest = number
    var text = [UInt8](repeating: UInt8(ascii: "0"), count: digits)
    for i in stride(from: digits - 1, through: 0, by: -1) {
      text[i] += UInt8(rest % 10)
      rest /= 10
    }
    return text
  }

  private static func steam(_ number: UInt64) -> [UInt8] {
    let alphabet = steamAlphabet
    var rest = number
    return (0..<5).map { _ in
      defer { rest /= UInt64(alphabet.count) }
      return alphabet[Int(rest % UInt64(alphabet.count))]
    }
  }

  /// The characters of Steam's codes; the least significant comes first in a code.
  static let steamAlphabet = Array("23456789BCDFGHJKMNPQRTVWXY".utf8)
}

/// A code that was made.
package struct OneTimeCode: Hashable, Sendable {
  /// The characters, with leading zeros and without a line feed.
  package let text: [UInt8]
  /// How long a code of time is good, at least 1; nil for one of a counter.
  package let secondsLeft: Int64?

  package init(text: [UInt8], secondsLeft: Int64?) {
    self.text = text
    self.secondsLeft = secondsLeft
  }
}

/// Why a stored secret gives no code.
package enum OneTimeProblem: Error, Hashable {
  /// `otp` holds neither an otpauth URI nor KeeOtp's query nor a base32 key.
  case unknownForm
  /// A type other than totp, hotp and steam.
  case unknownType
  /// The secret is missing or empty.
  case noSecret
  /// The secret isn't in the encoding that its place asks for.
  case malformedSecret
  /// A hash other than SHA-1, SHA-256 and SHA-512.
  case unknownAlgorithm
  /// Digits that aren't a number from 1 to 10.
  case malformedDigits
  /// A period that isn't a number from 1 on.
  case malformedPeriod
  /// A counter that isn't a number.
  case malformedCounter

  /// One line for a person, without a byte of the secret.
  package var summary: String {
    switch self {
    case .unknownForm: "neither an otpauth address nor a base32 key"
    case .unknownType: "the type of the code is not totp, hotp or steam"
    case .noSecret: "the secret is missing"
    case .malformedSecret: "the secret is not in its encoding"
    case .unknownAlgorithm: "the algorithm is not SHA-1, SHA-256 or SHA-512"
    case .malformedDigits: "the digits are not a number from 1 to 10"
    case .malformedPeriod: "the period is not a number of seconds"
    case .malformedCounter: "the counter is not a number"
    }
  }
}
