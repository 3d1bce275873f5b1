/// What a command asks of a vault's entries, whether a mount or this process has it open.
///
/// Paths are those of the tree, from its root. Neither a question nor its answer holds a value.
package enum EntryQuery: Hashable, Sendable {
  /// The entries that fit words, the best first: `paths` and `uuids`.
  case find(words: String)
  /// Removes groups and entries, into the recycle bin where there is one.
  case remove(paths: [String])
  /// Takes something out of the recycle bin, to the group `target` or to where it lay: `path`.
  case restore(path: String, target: String?)
  /// Removes for good what lies in the recycle bin, and came there so many seconds ago: `paths`.
  case purge(paths: [String], seconds: Int64?, isDryRun: Bool)
  /// Gives an entry the state of the last save back.
  case revert(path: String)
  /// What waits to be saved, by entry and field: lists as ``VaultChange`` has them.
  case difference

  /// Reads a request; `nil` when it says nothing that we know.
  init?(_ object: JSONObject) {
    switch (object["command"], object["path"], object["paths"]) {
    case (.string("find"), _, _):
      guard case .string(let words) = object["words"] else { return nil }
      self = .find(words: words)
    case (.string("rm"), _, .strings(let paths)): self = .remove(paths: paths)
    case (.string("restore"), .string(let path), _):
      if case .string(let target) = object["target"] {
        self = .restore(path: path, target: target)
      } else {
        self = .restore(path: path, target: nil)
      }
    case (.string("purge"), _, .strings(let paths)):
      let seconds: Int64? = if case .integer(let count) = object["seconds"] { count } else { nil }
      self = .purge(
        paths: paths, seconds: seconds, isDryRun: object["dry_run"] == .boolean(true))
    case (.string("revert"), .string(let path), _): self = .revert(path: path)
    case (.string("diff"), _, _): self = .difference
    default: return nil
    }
  }

  /// Whether it asks for a change.
  var mayChange: Bool {
    switch self {
    case .find, .difference: false
    case .remove, .restore, .purge, .revert: true
    }
  }

  /// Whether it is more than a request may hold.
  package var isTooLong: Bool { object.bytes.count + 1 > ControlRequest.longestLine }

  var object: JSONObject {
    switch self {
    case .find(let words): ["command": .string("find"), "words": .string(words)]
    case .remove(let paths): ["command": .string("rm"), "paths": .strings(paths)]
    case .restore(let path, let target):
      [
        "command": .string("restore"), "path": .string(path),
        "target": target.map { .string($0) } ?? .null,
      ]
    case .purge(let paths, let seconds, let isDryRun):
      [
        "command": .string("purge"), "paths": .strings(paths),
        "seconds": seconds.map { .integer($0) } ?? .null, "dry_run": .boolean(isDryRun),
      ]
    case .revert(let path): ["command": .string("revert"), "path": .string(path)]
    case .difference: ["command": .string("diff")]
    }
  }
}
