enum VaultPlaceholder {}
