import CPasswordStrength
import Secrets

/// How strong a password is, as zxcvbn judges it: in bits, by the guesses that someone needs who knows
/// words, names, dates, keyboards and how people change them.
enum PasswordStrength {
  /// The most bytes that are looked at: of more nothing is gained, and the time grows with them.
  private static let mostBytes = 256

  /// The number of bits, rounded down; `nil` where libzxcvbn isn't installed.
  static func bits(of password: borrowing SecretBytes) -> Int? {
    let count = min(password.count, mostBytes)
    let text = password.withBytes { bytes in
      SecretBytes(zeroed: count + 1) { text in
        for i in 0..<count { text[i] = bytes[i] }
      }
    }
    let bits = text.withBytes { text in
      unsafe text.withUnsafeBytes { buffer -> Double in
        // SAFETY: the last byte is a NUL.
        guard let text = unsafe buffer.bindMemory(to: CChar.self).baseAddress else { return -1 }
        return unsafe password_strength_bits(text)
      }
    }
    return bits < 0 ? nil : Int(bits)
  }

  /// What to think of it; the bounds are those of KeePassXC.
  static func word(for bits: Int) -> String {
    switch bits {
    case ..<40: "poor"
    case ..<75: "weak"
    case ..<100: "good"
    default: "excellent"
    }
  }

  /// What a person is told of a password.
  static func line(for password: borrowing SecretBytes) -> String {
    guard let bits = bits(of: password) else {
      return "kdbxfs: how strong it is can't be told: libzxcvbn0 is not installed"
    }
    return
      "kdbxfs: about \(bits) bits against someone who knows how people choose: \(word(for: bits))"
  }
}
