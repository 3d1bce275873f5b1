import Platform
import Secrets

/// `kdbxfs run`: runs a program with fields in its environment; ends as the program does.
///
/// The program takes this process' place, so that nothing of ours is left beside it.
enum RunCommand {
  static func run(_ command: [[UInt8]], _ settings: Settings) throws(Complaint) {
    var error = Program.become(command, adding: try variables(settings))
    // A folder along PATH that can't be looked into says nothing of the program.
    if error == .accessDenied, !command[0].contains(UInt8(ascii: "/")),
      !Program.isThere(String(decoding: command[0], as: UTF8.self))
    {
      error = .noEntry
    }
    throw Complaint(
      "'\(Path(command[0]))' can't be run: \(error)",
      exitCode: error == .noEntry ? .programMissing : .programNotRun)
  }

  private static func variables(_ settings: Settings) throws(Complaint) -> Program.Variables {
    let reader = FieldReader(settings)
    var variables = Program.Variables()
    var names: Set<[UInt8]> = []
    // All are looked at before the first asks for a key.
    var wanted: [(name: [UInt8], field: [UInt8])] = []
    for given in settings.variables {
      let name = Array(given.prefix { $0 != UInt8(ascii: "=") })
      guard isName(name), name.count < given.count else {
        throw .usage("'--env \(Path(given))' is not NAME=ENTRY/FIELD")
      }
      guard names.insert(name).inserted else {
        throw .usage("'--env \(Path(name))' is given twice")
      }
      wanted.append((name, Array(given.dropFirst(name.count + 1))))
    }
    for (name, field) in wanted {
      let value = try reader.read(field)
      guard !value.bytes.indices.contains(where: { value.bytes[$0] == 0 }) else {
        throw Complaint(
          "'\(Path(field))' has a zero byte, which no variable can hold", exitCode: .usage)
      }
      variables.append(name, value.bytes)
    }
    return variables
  }

  /// Letters, digits and `_`, no digit first.
  private static func isName(_ text: [UInt8]) -> Bool {
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    guard let first = text.first, !isDigit(first) else { return false }
    return text.allSatisfy { byte in
      byte == UInt8(ascii: "_") || isDigit(byte) || (0x41...0x5A).contains(byte)
        || (0x61...0x7A).contains(byte)
    }
  }
}
