import ByteCoding
import Platform
import Secrets

/// Asks a person on the screen, through the program `pinentry` and its Assuan protocol.
///
/// For a process without a terminal on a desktop: a mount by mount(8), or a service.
enum Pinentry {
  /// The most bytes of an answer.
  private static let limit = 1 << 16

  /// Whether there is a screen that a person may sit at.
  static var hasScreen: Bool {
    ["WAYLAND_DISPLAY", "DISPLAY"].contains { Process.environment($0)?.isEmpty == false }
  }

  /// Asks for a password; `nil` where there is no `pinentry`, or nobody to ask.
  static func password(for vault: Path) throws(Complaint) -> SecretBytes? {
    guard hasScreen else { return nil }
    let name = escaped(Path(vault.lastComponent).description)
    let script = """
      SETTITLE kdbxfs
      SETDESC Password for \(name)
      SETPROMPT Password:
      GETPIN
      BYE

      """
    let program = [Array("pinentry".utf8)]
    let said: SecretBytes
    do throws(Program.Failure) {
      said = try Program.run(program, input: Array(script.utf8).span, limit: limit)
    } catch {
      if case .start(.noEntry) = error { return nil }
      throw Complaint("pinentry gave no password: \(error.reason)", exitCode: .noKeyMaterial)
    }
    guard let password = said.withBytes({ answer(in: $0) }) else {
      throw Complaint("no password was given to pinentry", exitCode: .noKeyMaterial)
    }
    return password
  }

  /// What `%`, and what would end the line, is written as.
  static func escaped(_ text: String) -> String {
    text.split(separator: "%", omittingEmptySubsequences: false).joined(separator: "%25")
  }

  /// The password in what pinentry said: the line that begins with `D `, else empty if all went well;
  /// `nil` where nobody gave one.
  static func answer(in said: Span<UInt8>) -> SecretBytes? {
    var start = 0
    var answered = 0
    while start < said.count {
      var end = start
      while end < said.count, said[end] != UInt8(ascii: "\n") { end += 1 }
      let line = said.extracting(start..<end)
      if starts(line, with: "D ") { return decoded(line.extracting(droppingFirst: 2)) }
      if starts(line, with: "ERR") { return nil }
      if starts(line, with: "OK") { answered += 1 }
      start = end + 1
    }
    // The greeting, three settings and the question: an empty password has no line.
    return answered >= 5 ? SecretBytes(copying: [UInt8]().span) : nil
  }

  private static func starts(_ line: Span<UInt8>, with text: StaticString) -> Bool {
    text.withUTF8Buffer { buffer in
      let text = unsafe Span(_unsafeElements: buffer)
      guard line.count >= text.count else { return false }
      return text.indices.allSatisfy { line[$0] == text[$0] }
    }
  }

  /// Turns `%XX` back.
  private static func decoded(_ text: Span<UInt8>) -> SecretBytes {
    var plain = WipedBuffer(capacity: text.count)
    PercentEncoding.decode(text) { plain.append($0) }
    return SecretBytes(copying: plain.bytes)
  }
}
