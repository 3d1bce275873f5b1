import Platform
import Session

/// `kdbxfs diff` and `revert`: what waits to be saved in a mount.
enum PendingCommands {
  /// Prints a line for each change that waits, by entry and field, never a value.
  ///
  /// `mount` is the mount point or name of the mount, as `-m` gives it too.
  static func difference(_ mount: [UInt8]?, _ settings: Settings) throws(Complaint) {
    var settings = settings
    if let mount {
      guard settings.mount == nil else { throw .usage("the mount is named twice") }
      settings.mount = mount
    }
    let access = try VaultFinder.vault(settings).open(for: .reading, settings)
    let answer = try access.ask(.difference)
    let columns = ["changes", "kinds", "paths", "from", "parts"].map { answer.strings($0) }
    let rows = columns[0].indices.filter { row in columns.allSatisfy { row < $0.count } }
      .map { row in columns.map { $0[row] } }
    if settings.printsJSON {
      return try FoundEntries.write(rows.map { json($0) }, asJSON: true)
    }
    try VaultCommands.write(Array(rows.map { line($0) }.joined().utf8))
  }

  static func revert(_ words: [[UInt8]], _ settings: Settings) throws(Complaint) {
    let (vault, paths) = try VaultFinder.addresses(words, settings)
    let access = try vault.open(for: .reading, settings)
    for path in paths { try access.checkEntry(path) }
    for path in paths {
      _ = try access.ask(.revert(path: path.text))
    }
  }

  /// As `kdbxfs merge` has it.
  private static func line(_ row: [String]) -> String {
    let path = row[2] + (row[1] == "group" ? "/" : "")
    return switch row[0] {
    case "moved": "moved \(row[3]) to \(path)\n"
    case "changed": "changed \(path): \(parts(row).map(shown).joined(separator: ", "))\n"
    default: "\(row[0]) \(path)\n"
    }
  }

  private static func parts(_ row: [String]) -> [String] {
    row[4].split(separator: EntryQuery.partDivider).map(String.init)
  }

  /// A name on one line.
  private static func shown(_ name: String) -> String { Path(name).description }

  private static func json(_ row: [String]) -> JSONObject {
    var object: JSONObject = [
      "change": .string(row[0]), "kind": .string(row[1]), "path": .string(row[2]),
    ]
    if row[0] == "moved" { object.append("from", .string(row[3])) }
    if row[0] == "changed" { object.append("parts", .strings(parts(row))) }
    return object
  }
}
