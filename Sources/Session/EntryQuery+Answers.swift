package import KDBX
import Platform
import Vault
package import VaultTree

extension EntryQuery {
  /// What stands between the parts of a change: a character that no name in a vault can have.
  package static let partDivider: Character = "\u{1F}"

  /// Answers from a tree; lists in the answer belong together, item by item.
  ///
  /// `saved` is the state of the last save, which ``difference`` compares with and ``revert(path:)``
  /// goes back to; `accessor` is who asks,
  /// for the log of a mount.
  package func answer(
    from tree: VaultTree, saved: Document?, for accessor: Accessor? = nil
  ) throws(SessionError) -> JSONObject {
    let touched = accessor.flatMap { _ in logged.map { ($0.action, tree.loggedPlaces($0.paths)) } }
    let answer = try answer(from: tree, saved)
    if let accessor, let (action, places) = touched { tree.note(action, places, by: accessor) }
    return answer
  }

  /// What the log says of it: of a purge too, whose entries it can't name any more.
  private var logged: (action: AccessAction, paths: [[UInt8]])? {
    switch self {
    case .find, .difference: nil
    case .remove(let paths), .purge(let paths, _, false): (.remove, paths.map { Array($0.utf8) })
    case .purge: nil
    case .restore(let path, _), .revert(let path): (.restore, [Array(path.utf8)])
    }
  }

  private func answer(from tree: VaultTree, _ saved: Document?) throws(SessionError) -> JSONObject {
    do throws(WholeEntryError) {
      var answer: JSONObject = ["ok": .boolean(true)]
      switch self {
      case .find(let words):
        let found = try asWhole { () throws(TreeError) in try tree.find(Array(words.utf8)) }
        answer.append("paths", .strings(found.map { Self.text($0.path) }))
        answer.append("uuids", .strings(found.map { Self.text($0.uuid.hex(uppercase: false)) }))
      case .remove(let paths): try tree.removeWhole(paths.map { Array($0.utf8) })
      case .restore(let path, let target):
        let place = try tree.restore(Array(path.utf8), to: target.map { Array($0.utf8) })
        answer.append("path", .string(Self.text(place)))
      case .purge(let paths, let seconds, let isDryRun):
        let limit = seconds.map {
          VaultTime(unixSeconds: Clock.wall().seconds.subtractingReportingOverflow($0).partialValue)
        }
        let gone = try tree.purge(
          paths.map { Array($0.utf8) }, before: limit, isDryRun: isDryRun)
        answer.append("paths", .strings(gone.map { Self.text($0) }))
      case .revert(let path): try tree.revert(Array(path.utf8), saved: saved)
      case .difference:
        let vault = try asWhole { () throws(TreeError) in try tree.settledVault() }
        Self.append(saved.map { vault.changes(since: $0) } ?? [], to: &answer)
      }
      return answer
    } catch {
      throw SessionError(error)
    }
  }

  private func asWhole<R>(
    _ body: () throws(TreeError) -> R
  ) throws(WholeEntryError) -> R {
    do throws(TreeError) { return try body() } catch { throw .tree(error) }
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// A list for each thing that is told of a change; parts are divided by ``partDivider``.
  private static func append(_ changes: [VaultChange], to answer: inout JSONObject) {
    func path(_ names: [[UInt8]]) -> String {
      names.map { text(NameCoding.encoded($0, in: .group)) }.joined(separator: "/")
    }
    answer.append("changes", .strings(changes.map(\.kind.rawValue)))
    answer.append("kinds", .strings(changes.map { $0.isGroup ? "group" : "entry" }))
    answer.append("paths", .strings(changes.map { path($0.path) }))
    answer.append("from", .strings(changes.map { path($0.oldPath) }))
    answer.append(
      "parts", .strings(changes.map { $0.parts.joined(separator: String(partDivider)) }))
  }
}

extension SessionError {
  /// What a person is told when the tree refuses a question.
  init(_ error: WholeEntryError) {
    guard case .at(let path, let error) = error else {
      self.init(error, of: "it")
      return
    }
    self.init(error, of: "'\(Path(path))'")
  }

  /// The same of what is called `name`.
  private init(_ error: WholeEntryError, of name: String) {
    switch error {
    case .at(_, let error): self.init(error, of: name)
    case .tree(.locked):
      self.init(.locked, "the vault is locked", hints: ["'kdbxfs unlock' asks for its key"])
    case .tree(.readOnly): self.init(.unwritable, "the vault is mounted read-only")
    case .tree(.noEntry), .tree(.notDirectory), .tree(.invalid), .tree(.stale):
      self.init(
        .absent, "\(name): no such group or entry",
        hints: ["'kdbxfs find WORDS' looks for entries"])
    case .tree(let error): self.init(.refused, "\(name): the vault refuses that (\(error))")
    case .isInBin:
      self.init(
        .unwritable, "\(name) lies in the recycle bin already",
        hints: ["'kdbxfs purge PATH' removes it for good, 'kdbxfs restore PATH' brings it back"])
    case .holdsBin:
      self.init(
        .unwritable, "the recycle bin lies in \(name), and would be gone for good with it",
        hints: ["'kdbxfs mv' moves the recycle bin out"])
    case .notInBin:
      self.init(.absent, "\(name) doesn't lie in the recycle bin")
    case .unknownOrigin:
      self.init(
        .unwritable, "\(name): the vault doesn't tell where it lay, or that group is gone",
        hints: ["--to GROUP says where it is to go"])
    case .cannotGo: self.init(.unwritable, "\(name) can't go there")
    case .unchanged: self.init(.absent, "\(name): nothing of it waits to be saved")
    case .isNew:
      self.init(.unwritable, "\(name) was never saved", hints: ["'kdbxfs rm' removes it"])
    }
  }
}
