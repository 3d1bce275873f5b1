import KDBX
import Platform
import Session
import Vault

/// `kdbxfs merge`: takes what another file of the same vault has into it.
struct MergeCommand {
  let vault: Path
  let other: Path
  let settings: Settings

  func run() throws(Complaint) {
    let candidate = try VaultCommands.candidate(vault)
    let otherCandidate = try VaultCommands.candidate(other)
    var baseCandidate: VaultCandidate?
    if let base = settings.mergeBase { baseCandidate = try VaultCommands.candidate(base) }
    let access = try access(to: candidate)
    guard settings.isDryRun || !access.isReadOnly else {
      throw Complaint("'\(vault)' can't be written", exitCode: .vaultUnwritable)
    }
    let keys = try KeyReader.read(settings.keys, for: vault, candidate.header)
    let target = try VaultCommands.open(candidate, with: keys)
    let theirs = try open(otherCandidate, other, like: target)
    var base: OpenedVault?
    if let path = settings.mergeBase, let baseCandidate = baseCandidate.take() {
      base = try open(baseCandidate, path, like: target)
    }
    let merge: FileMerge
    do throws(SessionError) {
      merge = try FileMerge(target, with: theirs, base: base, evenIfOther: settings.isForced)
      if merge.hasChanges, !settings.isDryRun { try merge.write() }
    } catch {
      throw error.kind == .refused
        ? Complaint(error.message, hints: error.hints, exitCode: .vaultUnreadable)
        : Complaint(error)
    }
    let text = MergeText(merge)
    try VaultCommands.write(
      settings.printsJSON ? text.json(isDryRun: settings.isDryRun) : text.lines)
  }

  private func access(to candidate: borrowing VaultCandidate) throws(Complaint) -> VaultAccess {
    let log = SessionLog(isQuiet: settings.isQuiet, isVerbose: settings.isVerbose)
    do throws(SessionError) {
      return try VaultAccess(
        to: candidate, mountPoint: nil, readOnly: settings.isDryRun, log: log)
    } catch {
      throw Complaint(error)
    }
  }

  /// Opens a file with the key of the vault, else with a password that is asked for on the terminal.
  private func open(
    _ candidate: consuming VaultCandidate, _ path: Path, like target: OpenedVault
  ) throws(Complaint) -> OpenedVault {
    do throws(SessionError) {
      return try candidate.open(withKeyOf: target)
    } catch {
      guard error.kind == .wrongKey else { throw Complaint(error) }
    }
    var sources = KeySources()
    sources.keyFile = settings.keys.keyFile
    sources.passwordFile = settings.otherPasswordFile
    guard sources.passwordFile != nil || KeyReader.hasTerminal else {
      throw Complaint(
        "the key of '\(vault)' doesn't open '\(path)'",
        hints: ["--other-passfile FILE gives the password of the other files"],
        exitCode: .wrongKey)
    }
    let again = try VaultCommands.candidate(path)
    let keys = try KeyReader.readOther(sources, for: path, again.header)
    return try VaultCommands.open(again, with: keys)
  }
}

/// What a merge did, in words: by entry and field, never a value.
struct MergeText {
  private let changes: [VaultChange]
  private let notes: [Note]
  private let hasChangedVault: Bool

  /// Something that a person may want to know.
  private struct Note {
    var kind: String
    var path: [[UInt8]]
    var parts: [String] = []
    var winner: String?
  }

  init(_ merge: FileMerge) {
    let document = merge.merged.document
    changes = merge.merged.changes(since: merge.before)
    hasChangedVault = merge.report.hasChangedVault
    notes = merge.report.notes.map { note in
      func path(_ uuid: VaultUUID) -> [[UInt8]] {
        let child =
          merge.merged.findEntry(uuid).map { ChildID.entry($0) }
          ?? merge.merged.findGroup(uuid).map { .group($0) }
        return child.map { Vault.path(of: $0, in: document) } ?? []
      }
      switch note {
      case .conflict(let uuid, let parts, let theirsWon),
        .groupConflict(let uuid, let parts, let theirsWon):
        return Note(
          kind: "conflict", path: path(uuid), parts: parts.map(\.title),
          winner: theirsWon ? "other" : "vault")
      case .keptThoughRemoved(let uuid): return Note(kind: "kept", path: path(uuid))
      case .changedInFuture(let uuid): return Note(kind: "future", path: path(uuid))
      case .notMoved(let uuid): return Note(kind: "not-moved", path: path(uuid))
      }
    }
  }

  // MARK: - For people

  /// A line for each change and each note.
  var lines: [UInt8] {
    var text = ""
    for change in changes {
      let path = Self.shown(change.path) + (change.isGroup ? "/" : "")
      switch change.kind {
      case .added, .removed: text += "\(change.kind.rawValue) \(path)\n"
      case .moved: text += "moved \(Self.shown(change.oldPath)) to \(path)\n"
      case .changed: text += "changed \(path): \(Self.list(change.parts))\n"
      }
    }
    if hasChangedVault { text += "changed the vault's own properties\n" }
    for note in notes { text += Self.line(note) }
    return Array(text.utf8)
  }

  private static func line(_ note: Note) -> String {
    let path = shown(note.path)
    switch note.kind {
    case "conflict":
      let other = note.winner == "vault" ? "other" : "vault"
      return "conflict \(path): \(list(note.parts)): of \(note.winner ?? "vault"); the state of"
        + " \(other) is an old version\n"
    case "kept": return "kept \(path), which one side removed and the other changed\n"
    case "future": return "note \(path): changed in the other file, at a time in the future\n"
    default: return "note \(path): can't go where the other file has it\n"
    }
  }

  private static func list(_ parts: [String]) -> String {
    parts.map { shown([Array($0.utf8)], keepingSlashes: true) }.joined(separator: ", ")
  }

  /// A path on one line: what would end the line or divide a name is written as `%XX`.
  private static func shown(_ path: [[UInt8]], keepingSlashes: Bool = false) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    let names = path.map { name in
      name.flatMap { byte -> [UInt8] in
        let isSlash = byte == UInt8(ascii: "/") && !keepingSlashes
        guard byte < 0x20 || byte == 0x7F || isSlash else { return [byte] }
        return [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(
      decoding: Array(names.joined(separator: [UInt8(ascii: "/")])), as: UTF8.self)
  }

  // MARK: - For programs

  /// One JSON object.
  func json(isDryRun: Bool) -> [UInt8] {
    let changes = changes.map { change in
      var object: JSONObject = [
        "change": .string(change.kind.rawValue),
        "kind": .string(change.isGroup ? "group" : "entry"),
        "path": .strings(Self.strings(change.path)),
      ]
      if change.kind == .moved { object.append("from", .strings(Self.strings(change.oldPath))) }
      if change.kind == .changed { object.append("parts", .strings(change.parts)) }
      return object
    }
    let notes = notes.map { note in
      var object: JSONObject = [
        "note": .string(note.kind), "path": .strings(Self.strings(note.path)),
      ]
      if let winner = note.winner {
        object.append("parts", .strings(note.parts))
        object.append("winner", .string(winner))
      }
      return object
    }
    var output = Array("{\"dry_run\":\(isDryRun),\"vault_changed\":\(hasChangedVault)".utf8)
    output += Array(",\"changes\":[".utf8) + changes.map(\.bytes).joined(separator: [0x2C])
    output += Array("],\"notes\":[".utf8) + notes.map(\.bytes).joined(separator: [0x2C])
    return output + Array("]}\n".utf8)
  }

  private static func strings(_ path: [[UInt8]]) -> [String] {
    path.map { String(decoding: $0, as: UTF8.self) }
  }
}
