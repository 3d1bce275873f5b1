import ByteCoding
import Platform
import Secrets

/// `kdbxfs askpass`: answers ssh, sudo and other programs that ask for a password with the field that
/// belongs to the question.
///
/// Questions of ssh's say themselves what they want (``SSHQuestion``). Any other is answered with the
/// field that `--field` or the variable `KDBXFS_ASKPASS` names; so the password for sudo never goes to a
/// host. What asks for something else than a known password (``PasswordQuestion``), such as yes or no, a
/// user name, a PIN or a code, is not answered.
enum AskpassCommand {
  static func run(_ words: [[UInt8]], _ settings: Settings) throws(Complaint) {
    let question = Array(words.joined(separator: [UInt8(ascii: " ")]))
    let wanted = SSHQuestion(question)
    // What ssh only wants to be seen, or allowed.
    guard Process.environment("SSH_ASKPASS_PROMPT") == nil,
      wanted != nil || PasswordQuestion.asksForKnown(question)
    else { throw unanswered(question, hint: Self.otherHint) }
    if let wanted {
      let access = try VaultFinder.vault(settings).open(
        for: .reading, settings, leavingInput: true)
      let entry = try wanted.entry(in: access, askedAs: question)
      return try print(try access.read(entry.appending("password")))
    }
    guard let field = settings.field ?? Process.environment("KDBXFS_ASKPASS"), !field.isEmpty,
      !namesHost(question)
    else { throw unanswered(question) }
    try print(try FieldReader(settings).read(field))
  }

  private static func print(_ value: consuming WipedBuffer) throws(Complaint) {
    var line = value
    let isLine = !line.bytes.indices.contains { line.bytes[$0] == UInt8(ascii: "\n") }
    guard isLine, line.count > 0 else {
      throw Complaint(
        "the field is \(isLine ? "empty" : "more than a line"): it answers no question",
        exitCode: .nothingFound)
    }
    line.append(UInt8(ascii: "\n"))
    try VaultCommands.write(line.bytes)
  }

  private static let otherHint = "it is for a person, or another program, to answer"

  private static func unanswered(
    _ question: [UInt8],
    hint: String = "--field or the variable KDBXFS_ASKPASS names a field for sudo and the like"
  ) -> Complaint {
    Complaint(
      "'\(Path(question))' asks for no password that is known", hints: [hint],
      exitCode: .nothingFound)
  }

  /// Whether ssh says that the question comes from a host: `(USER@HOST) …`.
  private static func namesHost(_ question: [UInt8]) -> Bool {
    question.first == UInt8(ascii: "(")
  }
}
