import Fuse
import Platform
import Session
import VaultTree

extension Complaint {
  /// What a person is told of a vault that doesn't open or save.
  init(_ error: SessionError) {
    let exitCode: ExitCode =
      switch error.kind {
      case .unreadable, .mountedElsewhere, .notLocked: .vaultUnreadable
      case .wrongKey: .wrongKey
      case .emptyPassword: .emptyPassword
      case .noAnswer: .noKeyMaterial
      case .unwritable, .conflict: .vaultUnwritable
      case .busy: .mountPoint
      case .absent: .nothingFound
      case .locked, .refused: .controlSocket
      }
    self.init(error.message, hints: error.hints, exitCode: exitCode)
  }

  /// What a person is told when FUSE doesn't mount.
  init(_ error: FuseError) {
    let hint =
      switch error {
      case .noDevice(.accessDenied):
        "/dev/fuse must let you read and write: its mode is 0666 elsewhere"
      case .noDevice: Self.fuseHint
      case .session, .mount, .system:
        "fuse3 must be installed; '-o allow_other' needs a line in /etc/fuse.conf"
      }
    self.init("\(error)", hints: [hint], exitCode: .fuse)
  }

  /// What to try where the kernel's device is missing.
  static let fuseHint = "'modprobe fuse' loads it; a container needs '--device /dev/fuse'"

  /// What a person is told of a path in a vault.
  init(_ error: TreeError, path: [UInt8]) {
    let reason =
      switch error {
      case .noEntry, .stale: "no such group, entry or field"
      case .isDirectory: "is a directory"
      case .notDirectory: "a part of the path is no directory"
      case .nameTooLong: "the name is too long"
      case .inputOutput: "its bytes are damaged"
      case .locked, .invalid, .illegalSequence, .readOnlyFile, .notPermitted, .readOnly, .tooBig,
        .noSpace, .notSupported, .exists, .notEmpty, .noData, .badHandle:
        "it can't be read"
      }
    let exitCode: ExitCode =
      switch error {
      case .noEntry, .stale, .isDirectory, .notDirectory, .nameTooLong: .nothingFound
      default: .vaultUnreadable
      }
    self.init(
      "'\(Path(path))': \(reason)", hints: ["'kdbxfs ls VAULT PATH' lists what is there"],
      exitCode: exitCode)
  }
}
