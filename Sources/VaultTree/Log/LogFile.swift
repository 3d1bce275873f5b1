import Ciphers
import KDBX

// `.kdbxfs/log`: the log as a file, a line for each of its lines, with tabs between what it says.

/// The text of the log, as it was when somebody looked.
struct LogText: Sendable {
  let text: SealedBytes
  /// What it was made from.
  let stamp: Stamp

  struct Stamp: Equatable, Sendable {
    let log: UInt64
    let names: UInt64
    let vault: UInt64
  }
}

extension TreeState {
  fileprivate var logStamp: LogText.Stamp {
    LogText.Stamp(log: log.stamp, names: viewStamp, vault: UInt64(vaultVersion))
  }
}

extension VaultTree {
  /// Whether a request about a node is use of the vault, which puts the idle lock off.
  package static func countsAsUse(_ node: NodeID) -> Bool { node != GeneratedFile.log.node }

  /// Writes the text of the log anew where it has changed; of no other node, at no cost.
  ///
  /// Not with the lock held: it may be long.
  func prepareLog(_ node: NodeID) {
    guard node == GeneratedFile.log.node else { return }
    let stamp: LogText.Stamp? = locked { state in
      state.openness.answers && state.logText?.stamp != state.logStamp ? state.logStamp : nil
    }
    guard let stamp, let (rows, dropped) = try? accessRows() else { return }
    var text: [UInt8] = []
    if dropped > 0 { text += "(\(dropped) older lines have made way)\n".utf8 }
    for row in rows { text += line(row) }
    let sealed = sealing.seal(text.span)
    locked { state in
      if state.openness.answers, state.logStamp.vault == stamp.vault {
        state.logText = LogText(text: sealed, stamp: stamp)
      }
    }
  }

  private func line(_ row: AccessRow) -> [UInt8] {
    LogLine.text(
      time: row.timeText, action: row.action.rawValue, count: "\(row.count)", path: row.path,
      who: ([row.accessor.process] + row.accessor.parents).map(\.title),
      user: options.userName(row.accessor.user))
  }
}

/// How a line of the log looks, in the file and as `kdbxfs log` prints it.
package enum LogLine {
  /// The line with its end; `path` is nil where none leads there any more, `who` is the process and then
  /// its parents.
  package static func text(
    time: String, action: String, count: String, path: [UInt8]?, who: [String], user: String
  ) -> [UInt8] {
    let words = [
      Array(time.utf8), Array(action.utf8), Array(count.utf8), path ?? Array("(gone)".utf8),
      Array(who.joined(separator: " < ").utf8), Array(user.utf8),
    ]
    return Array(words.joined(separator: "\t".utf8)) + "\n".utf8
  }
}
