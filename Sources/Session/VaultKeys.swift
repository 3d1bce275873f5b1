import KDBX

/// What saving a vault takes, beside its document; it goes when the vault is locked.
struct VaultKeys: Sendable {
  var header: OuterHeader
  var derived: DerivedKey
  let composite: CompositeKey

  init(_ vault: OpenedVault) {
    header = vault.header
    derived = vault.contents.key
    composite = vault.key
  }
}
