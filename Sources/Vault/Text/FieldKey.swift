/// The names of fields that mean something to KeePass programs, as bytes.
///
/// Names are compared byte for byte: KDBX keys are case-sensitive (`docs/kdbx.md` 5.5).
package enum FieldKey {
  /// An entry's title.
  package static let title = Array("Title".utf8)
  /// The user name.
  package static let userName = Array("UserName".utf8)
  /// The password.
  package static let password = Array("Password".utf8)
  /// The address.
  package static let url = Array("URL".utf8)
  /// The notes.
  package static let notes = Array("Notes".utf8)

  /// The five that every program shows, in the order that KeePass lists them.
  package static let standard = [title, userName, password, url, notes]

  /// The otpauth URI of KeePassXC and others, or the query of KeeOtp.
  package static let otp = Array("otp".utf8)
  /// The base32 secret of KeeTrayTOTP.
  package static let totpSeed = Array("TOTP Seed".utf8)
  /// Period and digits of KeeTrayTOTP.
  package static let totpSettings = Array("TOTP Settings".utf8)

  /// Whether `key` is one of the five standard ones.
  package static func isStandard(_ key: [UInt8]) -> Bool { standard.contains(key) }
}
