enum VaultTreePlaceholder {}
