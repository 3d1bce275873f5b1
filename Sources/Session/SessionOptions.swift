/// What a mounted vault's life depends on, told once.
package struct SessionOptions: Hashable, Sendable {
  /// `--ro`: the vault is only read, and doesn't count as its one writer.
  package var isReadOnly = false
  /// How long after the last change a save happens by itself, in nanoseconds; 0: never by itself.
  package var autosaveAfter: Int64 = 5_000_000_000
  /// How long after the first unsaved change a save waits for nothing more, in nanoseconds.
  package var autosaveWithin: Int64 = 30_000_000_000
  /// `-o exact`, see ``VaultTree``.
  package var isExact = false
  /// `-o show_hidden`, see ``VaultTree``.
  package var showsHidden = false
  /// `-o purge`, see ``VaultTree``.
  package var allowsPurge = false

  package init() {}
}
