import Ciphers
import Synchronization
package import Vault

extension VaultTree {
  /// From now on every change answers ``TreeError/locked``; what is open can still be read.
  ///
  /// For the save that goes before a lock: what came after it would be lost.
  package func beginLocking() {
    locked { state in
      if state.openness == .open { state.openness = .closing }
    }
  }

  /// Makes everything but the root's attributes answer ``TreeError/locked``, and wipes values, names and
  /// keys.
  ///
  /// Open handles are dead for good; what they hadn't settled is dropped, and so are temporary files.
  /// With `keepingEdits` the edits stay, sealed, where they couldn't be saved: call it again without
  /// once they are, or ``reopen()``.
  package func lock(keepingEdits: Bool) {
    let fresh = SealingKey()
    lockCount.add(1, ordering: .acquiringAndReleasing)
    if !keepingEdits { replaceSealing(fresh) }
    locked { $0.lock(keepingEdits: keepingEdits, sealing: fresh) }
  }

  /// Shows `vault`, after ``lock(keepingEdits:)`` without: paths and node numbers are as before, as far
  /// as it still has them.
  ///
  /// With `isEdited` it isn't what the file holds, and wants saving.
  package func unlock(_ vault: Vault, isEdited: Bool = false) {
    let sealing = sealing
    locked { state in
      state.unlock(vault, sealing: sealing)
      if isEdited { state.noteStructure() }
    }
  }

  /// Shows again what was kept for its edits.
  package func reopen() {
    locked { state in
      if state.openness == .shut || state.openness == .closing { state.reopen() }
    }
  }

  /// Takes down that what is shown isn't what the file holds: edits of an earlier mount.
  package func noteRestoredEdits() { locked { $0.noteStructure() } }

  /// Whether nothing can be read.
  package var isLocked: Bool { locked { !$0.openness.answers } }

  /// Until when open files count as use, at the latest `limit` nanoseconds after they were opened for
  /// writing; `nil` when there is none, temporary ones left out.
  ///
  /// By ``TreeOptions/monotonic``.
  package func writersCountUntil(limit: Int64) -> Int64? {
    locked { state in
      state.handles.values
        .compactMap { $0.scratch == nil ? $0.opened : nil }
        .map { $0 + limit }.max()
    }
  }
}
