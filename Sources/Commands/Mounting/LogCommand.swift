import Platform
import Session
import VaultTree

/// `kdbxfs log`: prints who read or wrote what in a mount, the oldest first; never a value.
enum LogCommand {
  /// A line of the log as the mount tells it.
  private struct Line {
    let time: String
    let action: String
    let count: String
    /// Empty where none leads there any more.
    let path: String
    let process: String
    let name: String
    let parents: [String]
    let user: String
  }

  static func run(_ mountPoint: Path, asJSON: Bool) throws(Complaint) {
    let answer = try ControlCommands.ask(.log, of: mountPoint)
    let lines = lines(of: answer)
    if asJSON { return try FoundEntries.write(lines.map { json($0) }, asJSON: true) }
    if case .integer(let dropped) = answer["dropped"], dropped > 0 {
      StandardStream.error.say("kdbxfs: \(dropped) older lines have made way")
    }
    try VaultCommands.write(lines.flatMap { text($0) })
  }

  private static func lines(of answer: JSONObject) -> [Line] {
    let names = ["times", "actions", "counts", "paths", "processes", "names", "parents", "users"]
    let columns = names.map { answer.strings($0) }
    let count = columns.map(\.count).min() ?? 0
    return (0..<count).map { row in
      Line(
        time: columns[0][row], action: columns[1][row], count: columns[2][row],
        path: columns[3][row], process: columns[4][row], name: columns[5][row],
        parents: columns[6][row].split(separator: "\n").map(String.init), user: columns[7][row])
    }
  }

  /// As `.kdbxfs/log` has it.
  private static func text(_ line: Line) -> [UInt8] {
    LogLine.text(
      time: line.time, action: line.action, count: line.count,
      path: line.path.isEmpty ? nil : Array(line.path.utf8),
      who: ["\(line.name) (\(line.process))"] + line.parents, user: line.user)
  }

  private static func json(_ line: Line) -> JSONObject {
    [
      "time": .string(line.time), "action": .string(line.action),
      "count": .integer(Int64(line.count) ?? 0),
      "path": line.path.isEmpty ? .null : .string(line.path), "process": .string(line.name),
      "pid": .integer(Int64(line.process) ?? 0), "parents": .strings(line.parents),
      "user": .string(line.user),
    ]
  }
}
