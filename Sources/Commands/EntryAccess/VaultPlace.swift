import Platform

/// Where a command finds the vault that it works on.
enum VaultPlace: Hashable, Sendable {
  /// A mount of ours: absolute, and free of links.
  case mount(Path)
  /// A vault's file, which is opened in this process: `-v`.
  case file(Path)
}

/// What a word on the command line names: a group, entry or file of a vault.
struct EntryAddress: Hashable, Sendable {
  var vault: VaultPlace
  /// From the root, without a `/` at either end; empty for the root itself.
  var path: Path
}
