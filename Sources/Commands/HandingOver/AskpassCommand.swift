import ByteCoding
import Platform
import Secrets

/// `kdbxfs askpass`: answers ssh, sudo and other programs that ask for a password with the field that
/// belongs to the question.
///
/// Questions of ssh's say themselves what they want (``SSHQuestion``). Any other is answered with the
/// field that `--field` or the variable `KDBXFS_ASKPASS` names; so the password for sudo never goes to a
/// host. A question for yes or no, or for a new password, is not answered.
enum AskpassCommand {
  static func run(_ words: [[UInt8]], _ settings: Settings) throws(Complaint) {
    let question = Array(words.joined(separator: [UInt8(ascii: " ")]))
    // What ssh only wants to be seen, or allowed.
    guard Process.environment("SSH_ASKPASS_PROMPT") == nil, !asksForMore(question) else {
      throw unanswered(question)
    }
    if let wanted = SSHQuestion(question) {
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

  private static func unanswered(_ question: [UInt8]) -> Complaint {
    Complaint(
      "'\(Path(question))' asks for no password that is known",
      hints: ["--field or the variable KDBXFS_ASKPASS names a field for sudo and the like"],
      exitCode: .nothingFound)
  }

  /// Whether a person is to decide something, such as whether a host's key is the right one, or to think
  /// of a new password.
  private static func asksForMore(_ question: [UInt8]) -> Bool {
    let text = String(decoding: question, as: UTF8.self).lowercased()
    return ["yes/no", "new password", "(y/n)"].contains { text.utf8.firstPlace(of: $0) != nil }
  }

  /// Whether ssh says that the question comes from a host: `(USER@HOST) …`.
  private static func namesHost(_ question: [UInt8]) -> Bool {
    question.first == UInt8(ascii: "(")
  }
}
