import ByteCoding

/// What a question asks for that isn't known to be one of ssh's (``SSHQuestion``): a password that is
/// there already, or something else.
///
/// Only what speaks of a password or a passphrase, and of nothing that makes it another thing, is taken
/// for a question that a vault may answer: what is not understood is for a person.
enum PasswordQuestion {
  /// How programs call a password: English, and what sudo and PAM say in other languages.
  private static let names = [
    "password", "passphrase", "passwd", "passwort", "kennwort", "mot de passe", "contraseña",
    "contrasenya", "contrasinal", "senha", "palavra-passe", "wachtwoord", "adgangskode", "lösenord",
    "passord", "salasana", "hasło", "heslo", "geslo", "jelszó", "lozinka", "lozinku", "parol",
    "slaptažod", "pasvorto", "pasahitza", "парол", "лозинк", "κωδικό", "şifre", "mật khẩu",
    "パスワード", "密码", "密碼", "口令", "암호", "비밀번호",
  ]
  /// Words with which it is a new password, a decision, or another secret that is asked for.
  private static let otherWords: Set<String> = [
    "new", "again", "retype", "repeat", "reenter", "verify", "confirm", "confirmation", "same",
    "choose", "create", "empty", "pin", "otp", "totp", "code", "passcode", "token", "username",
    "fingerprint", "yes", "allow",
  ]
  /// The same, of several words, or with a sign.
  private static let otherPhrases = [
    "re-enter", "re-type", "user name", "one-time", "one time", "(y/n)", "[y/n]",
    // git's, which has `kdbxfs git-credential`: a password for sudo is none for a web host.
    "password for 'http",
  ]

  /// Whether one password that is there already is all that is wanted.
  static func asksForKnown(_ question: some Collection<UInt8>) -> Bool {
    let text = String(decoding: question, as: UTF8.self).lowercased()
    if isSudo(text) { return true }
    let words = Set(
      text.split { !$0.isLetter && !$0.isNumber }.map(String.init))
    return names.contains { holds(text, $0) } && words.isDisjoint(with: otherWords)
      && !otherPhrases.contains { holds(text, $0) } && !isDecision(text)
  }

  /// `[sudo] password for NAME: `, whatever the name is.
  private static func isSudo(_ text: String) -> Bool {
    let start = "[sudo] password for "
    let name = text.dropFirst(start.count).prefix { $0 != " " }
    let rest = text.dropFirst(start.count + name.count)
    return text.hasPrefix(start) && name.last == ":" && (rest.isEmpty || rest == " ")
  }

  /// A mark at the end asks whether, and what: 'Save the password?'.
  private static func isDecision(_ text: String) -> Bool {
    text.last { $0 != " " && $0 != "\n" } == "?"
  }

  private static func holds(_ text: String, _ phrase: String) -> Bool {
    text.utf8.firstPlace(of: phrase) != nil
  }
}
