import KDBX
import Platform
import Synchronization
import VaultTree

extension VaultSession {
  /// What `kdbxfs status` tells: facts about the mount, nothing out of the vault.
  package var status: JSONObject {
    let pending = tree.pending
    let warnings = log.warnings
    let now = clock.sinceBoot()
    let lock = lockDue(at: now)
    return state.withLock { state in
      let name: String
      switch state.phase {
      case .locked: name = "locked"
      case .unlocking: name = "unlocking"
      case .locking: name = "locking"
      case .unlocked: name = "unlocked"
      case .saving: name = "saving"
      case .ended: name = "ended"
      }
      let trouble = state.failure ?? state.conflict
      return [
        "ok": .boolean(true),
        "state": .string(name),
        "vault": .string(state.file.path.description),
        "mountpoint": .string(mountPoint.description),
        "process": .integer(Int64(Process.id)),
        "read_only": .boolean(isReadOnly),
        "locks_in": lock.map { .integer(max(0, $0.time - now) / 1_000_000_000) } ?? .null,
        "key_file": options.keyFile.map { .string($0.description) } ?? .null,
        "remembers": .boolean(options.rememberFor > 0),
        "no_password": .boolean(options.hasNoPassword),
        "unsaved": .boolean(pending.hasChanges),
        "last_saved": state.lastSaved.map { .string(Self.text($0)) } ?? .null,
        "save_error": trouble.map { .string($0.message) } ?? .null,
        "rescue": state.rescues.last.map { .string($0.path.description) } ?? .null,
        "temporary_files": .integer(Int64(pending.scratchCount)),
        "temporary_bytes": .integer(Int64(pending.scratchBytes)),
        "nodes": .integer(Int64(tree.nodeCount)),
        "warnings": .strings(warnings),
      ]
    }
  }

  /// A time for people and scripts: `2026-01-31T09:15:00Z`.
  private static func text(_ time: ClockTime) -> String {
    String(decoding: VaultTime(unixSeconds: time.seconds).isoBytes, as: UTF8.self)
  }
}
