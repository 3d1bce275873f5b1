extension VaultTree {
  /// Takes a state to be written, with history items made; `nil` when nothing has changed, unless it is
  /// wanted even so.
  package func prepareSave(
    _ reason: SaveReason, evenIfUnchanged isWanted: Bool = false
  ) -> PreparedSave? {
    locked { $0.prepareSave(reason, evenIfUnchanged: isWanted) }
  }

  /// Says what became of a prepared save.
  package func finishSave(_ save: PreparedSave, succeeded: Bool) {
    locked { $0.finishSave(save, succeeded: succeeded) }
  }

  /// What waits to be saved.
  package var pending: PendingState { locked { $0.pending } }
}
