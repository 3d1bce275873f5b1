import KDBX

/// What saving a vault takes, beside its document; it goes when the vault is locked.
struct VaultKeys: Sendable {
  let header: OuterHeader
  let derived: DerivedKey
  let composite: CompositeKey

  init(header: OuterHeader, derived: DerivedKey, composite: CompositeKey) {
    self.header = header
    self.derived = derived
    self.composite = composite
  }

  init(_ vault: OpenedVault) {
    header = vault.header
    derived = vault.contents.key
    composite = vault.key
  }
}
