package import Platform
package import Session

/// What a vault is to be opened with from now on: the options of `create` and `passwd`.
package struct NewKeySources: Hashable, Sendable {
  /// `--new-passfile`: a file that holds the new password.
  package var passwordFile: Path?
  /// `--keep-password`: the password stays.
  package var keepsPassword = false
  /// `--drop-password`: there is none from now on.
  package var dropsPassword = false
  /// `--new-keyfile`: another key file.
  package var keyFile: Path?
  /// `--drop-keyfile`: there is none from now on.
  package var dropsKeyFile = false
  /// `--make-keyfile`: the key file is made.
  package var makesKeyFile = false
  /// `--kdf`: the key derivation, set to about a second.
  package var derivation: Calibration.Function?

  package init() {}
}
