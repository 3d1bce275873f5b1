import Platform
import Session
import VaultTree

/// `kdbxfs rm`, `restore` and `purge`: the recycle bin.
enum RemoveCommand {
  static func remove(_ words: [[UInt8]], _ settings: Settings) throws(Complaint) {
    let (vault, paths) = try VaultFinder.addresses(words, settings)
    let access = try vault.open(for: .writing, settings)
    for path in paths where try access.kind(of: path) != .directory || path.isEmpty {
      guard try access.kind(of: path) != nil, !path.isEmpty else {
        throw Complaint(.noEntry, path)
      }
      throw Complaint(
        "'\(path)' is no entry and no group", hints: ["'rm' in a mount removes fields"],
        exitCode: .nothingFound)
    }
    _ = try access.ask(.remove(paths: paths.map(\.text)))
    try access.finish()
  }

  static func restore(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let (vault, paths) = try VaultFinder.addresses(
      [word] + (settings.restoreTarget.map { [$0] } ?? []), settings)
    let access = try vault.open(for: .writing, settings)
    let target = paths.count == 2 ? paths[1].text : nil
    let answer = try access.ask(.restore(path: paths[0].text, target: target))
    try access.finish()
    guard case .string(let path) = answer["path"] else { return }
    try VaultCommands.write(Array("\(path)\n".utf8))
  }

  static func purge(_ words: [[UInt8]], _ settings: Settings) throws(Complaint) {
    let (vault, paths) = try VaultFinder.addresses(words, settings)
    let access = try vault.open(for: settings.isDryRun ? .reading : .writing, settings)
    let answer = try access.ask(
      .purge(
        paths: paths.map(\.text), seconds: settings.leastAge, isDryRun: settings.isDryRun))
    if !settings.isDryRun { try access.finish() }
    try FoundEntries.write(
      answer.strings("paths").map { ["path": .string($0)] }, asJSON: settings.printsJSON)
  }
}
