enum VaultMountPlaceholder {}
