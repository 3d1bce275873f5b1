package import Platform
package import VaultTree

extension Errno {
  /// What a process that touches the mount is told; the table of errors in `docs/editing.md`.
  package init(_ error: TreeError) {
    self =
      switch error {
      case .noEntry: .noEntry
      case .locked: .noKey
      case .stale: .stale
      case .invalid: .invalid
      case .illegalSequence: .illegalSequence
      case .readOnlyFile: .accessDenied
      case .notPermitted: .notPermitted
      case .readOnly: .readOnly
      case .nameTooLong: .nameTooLong
      case .tooBig: .fileTooBig
      case .noSpace: .noSpace
      case .notSupported: .notSupported
      case .exists: .exists
      case .notEmpty: .notEmpty
      case .notDirectory: .notDirectory
      case .isDirectory: .isDirectory
      case .noData: .noData
      case .badHandle: .badDescriptor
      case .inputOutput: .inputOutput
      }
  }
}
