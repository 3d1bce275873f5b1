import Secrets

/// What a text is that was written to `totp` or `hotp`.
package enum OneTimeText: Hashable, Sendable {
  /// An otpauth URI: a secret and its parameters.
  case address
  /// A base32 key: a secret.
  case key
  /// A code, as a copy of a tree brings it back: of a moment that has passed.
  case code
  /// Nothing of these, or an otpauth URI that gives no code.
  case other

  /// Says what `text` is; blanks around it don't matter.
  package init(_ text: Span<UInt8>) {
    let text = text.extracting(text.trimmedRange)
    if text.hasPrefixIgnoringCase("otpauth://") {
      self = Self.isGood(address: text) ? .address : .other
    } else if Self.isCode(text) {
      self = .code
    } else {
      self = Self.isKey(text) ? .key : .other
    }
  }

  private static func isGood(address: Span<UInt8>) -> Bool {
    do throws(OneTimeProblem) {
      _ = try OneTimePassword.parse(address: address)
      return true
    } catch {
      return false
    }
  }

  private static func isKey(_ text: Span<UInt8>) -> Bool {
    do throws(OneTimeProblem) {
      _ = try OneTimeParameters.bareKey(text)
      return true
    } catch {
      return false
    }
  }

  private static func isCode(_ text: Span<UInt8>) -> Bool {
    guard (1...10).contains(text.count) else { return false }
    let steam = OneTimePassword.steamAlphabet
    var areDigits = true
    var areSteams = text.count == 5
    for i in text.indices {
      if !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(text[i]) { areDigits = false }
      if !steam.contains(text[i]) { areSteams = false }
    }
    return areDigits || areSteams
  }
}
