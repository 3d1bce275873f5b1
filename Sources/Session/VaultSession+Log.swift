import VaultTree

extension VaultSession {
  /// What `kdbxfs log` tells: lists that belong together, line by line, the oldest first; a path that is
  /// empty leads nowhere any more, and the parents of a process are divided by line feeds.
  var accessLog: JSONObject {
    get throws(SessionError) {
      let rows: [AccessRow]
      let dropped: Int
      do throws(TreeError) {
        (rows, dropped) = try tree.accessRows()
      } catch {
        throw SessionError(WholeEntryError.tree(error))
      }
      func list(_ text: (AccessRow) -> String) -> JSONValue { .strings(rows.map(text)) }
      return [
        "ok": .boolean(true), "dropped": .integer(Int64(dropped)),
        "times": list { $0.timeText }, "actions": list { $0.action.rawValue },
        "counts": list { "\($0.count)" },
        "paths": list { String(decoding: $0.path ?? [], as: UTF8.self) },
        "processes": list { "\($0.accessor.process.number)" },
        "names": list { $0.accessor.process.name },
        "parents": list { $0.accessor.parents.map(\.title).joined(separator: "\n") },
        "users": list { tree.userName($0.accessor.user) },
      ]
    }
  }
}
