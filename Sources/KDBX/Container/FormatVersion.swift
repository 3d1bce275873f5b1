/// The version of the KDBX format that a file states (`docs/kdbx.md` 1.1).
package struct FormatVersion: Hashable, Comparable, Sendable {
  package let major: UInt16
  package let minor: UInt16

  package init(major: UInt16, minor: UInt16) {
    self.major = major
    self.minor = minor
  }

  package static let kdbx31 = FormatVersion(major: 3, minor: 1)
  package static let kdbx40 = FormatVersion(major: 4, minor: 0)
  package static let kdbx41 = FormatVersion(major: 4, minor: 1)

  /// The newest version that we know all of; a file of a newer minor version may be read, but is
  /// not to be written.
  package static let newest = kdbx41

  package static func < (left: FormatVersion, right: FormatVersion) -> Bool {
    (left.major, left.minor) < (right.major, right.minor)
  }
}

extension FormatVersion: CustomStringConvertible {
  /// As people write it: `4.1`.
  package var description: String { "\(major).\(minor)" }
}
