import Platform
import Secrets
import Session
import VaultTree

/// A vault as commands work on it, wherever it is: through a mount, or opened in this process.
///
/// Paths begin at the root of the vault, as ``EntryAddress`` has them, and have the names that the tree
/// shows (`docs/tree.md`). What goes wrong is said in terms of the path. Values are in wiped buffers.
/// Used by one thread.
protocol EntryAccess: AnyObject {
  /// What is there; `nil` where nothing is.
  func kind(of path: Path) throws(Complaint) -> NodeKind?
  /// The names that are listed in a directory, sorted by their bytes.
  func names(in path: Path) throws(Complaint) -> [[UInt8]]
  /// Where a link below `.kdbxfs` leads.
  func target(of link: Path) throws(Complaint) -> Path
  /// All that a file holds.
  func read(_ path: Path) throws(Complaint) -> WipedBuffer
  /// Puts `bytes` into a file, which is made if it isn't there, by the rules of `docs/editing.md`: an
  /// only line feed at the end is dropped.
  func write(_ bytes: Span<UInt8>, to path: Path) throws(Complaint)
  /// Makes a directory: a group, or an entry once a file is written into it.
  func makeDirectory(_ path: Path) throws(Complaint)
  /// Moves or renames; what is there already is not replaced, but for a file by a file.
  func rename(_ path: Path, to target: Path) throws(Complaint)
  /// Removes a file.
  func remove(_ path: Path) throws(Complaint)
  /// The extended attribute `user.kdbx.NAME`; `nil` where there is none.
  func attribute(_ name: String, of path: Path) throws(Complaint) -> [UInt8]?
  /// Sets the extended attribute `user.kdbx.NAME`.
  func setAttribute(_ name: String, of path: Path, to value: [UInt8]) throws(Complaint)
  /// Asks something about entries, or changes whole ones.
  func ask(_ query: EntryQuery) throws(Complaint) -> JSONObject
  /// Brings what was changed to the vault: a mount saves in its own time, a vault's file is saved now.
  ///
  /// When it throws, the file is as it was.
  func finish() throws(Complaint)
}

/// What a command means to do.
enum AccessIntent: Hashable, Sendable {
  case reading, writing
}

extension VaultPlace {
  /// Opens the vault; asks for the key of a file's.
  ///
  /// With `leavingInput` standard input is the command's own, so that no password is read there.
  func open(
    for intent: AccessIntent, _ settings: Settings, leavingInput: Bool = false
  ) throws(Complaint) -> any EntryAccess {
    switch self {
    case .mount(let place): try MountedAccess(place, for: intent)
    case .file(let file):
      try OpenedAccess(file, for: intent, settings, leavingInput: leavingInput)
    }
  }
}

extension EntryAccess {
  /// Whether there is an entry: a directory with the files of one.
  func isEntry(_ path: Path) throws(Complaint) -> Bool {
    guard try kind(of: path) == .directory else { return false }
    return try kind(of: path.appending(".json")) == .file
  }

  /// Refuses a path that leads to no entry.
  func checkEntry(_ path: Path) throws(Complaint) {
    if try isEntry(path) { return }
    guard try kind(of: path) != nil else { throw Complaint(.noEntry, path) }
    throw Complaint("'\(path)' is no entry", exitCode: .nothingFound)
  }

  /// Refuses a path that is no field and can't become one: new ones are for entries only.
  func checkField(_ path: Path) throws(Complaint) {
    if try kind(of: path) == nil {
      guard path.bytes.contains(UInt8(ascii: "/")) else { throw Complaint(.noEntry, path) }
      if let entry = try entryWithoutAttachments(path) {
        try checkEntry(entry)
      } else if !path.isAttachment {
        try checkEntry(path.parent)
      }
    }
    guard try kind(of: path) != .directory else { throw Complaint(.isDirectory, path) }
  }

  /// Puts `bytes` into a file that the vault keeps (``write(_:to:)``): under a name that makes it an
  /// editor's temporary one (`docs/editing.md`) nothing is left, and it is refused.
  func writeKept(_ bytes: Span<UInt8>, to path: Path) throws(Complaint) {
    try write(bytes, to: path)
    guard try isTemporary(path) else { return }
    try remove(path)
    throw .temporaryName(path)
  }

  /// Whether a file is an editor's temporary one, which no save takes along.
  func isTemporary(_ path: Path) throws(Complaint) -> Bool {
    // A secret for codes may have made the file of another kind of code.
    guard try kind(of: path) != nil else { return false }
    return try attribute("temporary", of: path) != nil
  }

  /// Puts `bytes` into a field or attachment (``write(_:to:)``), also where it is the first attachment of
  /// its entry.
  func store(_ bytes: Span<UInt8>, in path: Path) throws(Complaint) {
    if try entryWithoutAttachments(path) != nil { try makeDirectory(path.parent) }
    try writeKept(bytes, to: path)
  }

  /// The place of the entry of an attachment, where it has no directory for any yet.
  private func entryWithoutAttachments(_ path: Path) throws(Complaint) -> Path? {
    guard path.isAttachment, try kind(of: path.parent) == nil else { return nil }
    return path.parent.bytes.contains(UInt8(ascii: "/")) ? path.parent.parent : Path([])
  }
}

extension Path {
  /// Whether its last directory is called as that for the attachments of an entry.
  var isAttachment: Bool {
    bytes.contains(UInt8(ascii: "/")) && parent.lastComponent == Array("attachments".utf8)
  }
}

extension Complaint {
  static func temporaryName(_ path: Path) -> Complaint {
    Complaint(
      "'\(path)' is a name of editors' temporary files: the vault wouldn't keep it",
      hints: ["give it another name"], exitCode: .vaultUnwritable)
  }

  /// What a person is told of a path in a vault that a command can't use.
  init(_ error: Errno, _ path: Path) {
    let name = path.isEmpty ? "the vault" : "'\(path)'"
    switch error {
    case .noEntry, .notDirectory, .stale:
      self.init(
        "\(name): no such group, entry or field", hints: ["'kdbxfs find WORDS' looks for entries"],
        exitCode: .nothingFound)
    case .noKey:
      self.init(
        "the vault is locked", hints: ["'kdbxfs unlock' asks for its key"],
        exitCode: .controlSocket)
    case .notConnected, .connectionAborted:
      self.init(
        "the process behind the mount is gone", hints: ["the next mount clears it away"],
        exitCode: .controlSocket)
    case .exists, .notEmpty:
      self.init("\(name) is there already", exitCode: .vaultUnwritable)
    case .isDirectory:
      self.init(
        "\(name) is a group or an entry, no field", hints: ["name a field: \(path)/password"],
        exitCode: .nothingFound)
    case .readOnly:
      self.init(
        (path.isEmpty ? "" : "\(name): ") + "the vault is mounted read-only",
        hints: ["'kdbxfs status' tells more of the mount"], exitCode: .vaultUnwritable)
    case .accessDenied:
      self.init("\(name) can only be read", exitCode: .vaultUnwritable)
    case .notPermitted:
      self.init(
        "\(name): only an entry holds fields, and only a group holds entries",
        exitCode: .vaultUnwritable)
    case .invalid, .illegalSequence, .fileTooBig, .nameTooLong:
      self.init("\(name): a vault can't hold that: \(error)", exitCode: .vaultUnwritable)
    default: self.init("\(name): \(error)", exitCode: .vaultUnreadable)
    }
  }
}
