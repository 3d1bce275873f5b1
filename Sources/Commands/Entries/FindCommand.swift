import Platform
import Session

/// `kdbxfs find`: prints where the entries are that fit some words, the best first.
enum FindCommand {
  /// The most bytes of words that fit into a request.
  private static let longest = 1024

  static func run(_ words: [[UInt8]], _ settings: Settings) throws(Complaint) {
    let text = Path(Array(words.joined(separator: [UInt8(ascii: " ")]))).description
    guard text.utf8.count <= longest else { throw .usage("these are too many words to look for") }
    let access = try VaultFinder.vault(settings).open(for: .reading, settings)
    let answer = try access.ask(.find(words: text))
    let paths = answer.strings("paths")
    try FoundEntries.write(
      zip(paths, answer.strings("uuids")).map { ["path": .string($0), "uuid": .string($1)] },
      asJSON: settings.printsJSON)
    guard !paths.isEmpty else {
      throw Complaint("no entry fits '\(text)'", exitCode: .nothingFound)
    }
  }
}

/// How commands print entries, or other things, that they found.
enum FoundEntries {
  /// Prints the paths, one a line, or all as a JSON list of objects.
  static func write(_ entries: [JSONObject], asJSON: Bool) throws(Complaint) {
    if asJSON {
      let list = entries.map(\.bytes).joined(separator: Array(",\n ".utf8))
      return try VaultCommands.write(Array("[".utf8) + list + Array("]\n".utf8))
    }
    try VaultCommands.write(
      entries.flatMap { entry -> [UInt8] in
        guard case .string(let path) = entry["path"] else { return [] }
        return Array("\(path)\n".utf8)
      })
  }
}

extension JSONObject {
  /// A list of texts; empty where there is none of that name.
  func strings(_ name: String) -> [String] {
    if case .strings(let texts) = self[name] { texts } else { [] }
  }
}
