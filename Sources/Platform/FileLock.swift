/// A vault's only writer.
///
/// Held until the value goes, or the process dies.
package struct FileLock: ~Copyable, Sendable {
  /// Who holds it instead.
  package struct Holder: Hashable, Sendable {
    package var mountPoint: Path
    package var process: Int32
  }

  package enum Failure: Error, Hashable {
    /// Another process mounts this vault for writing.
    case held(by: Holder?)
    /// The lock itself can't be made.
    case system(Errno)
  }

  private let descriptor: Descriptor

  /// Takes the lock for `vault`, an existing file, and leaves `mountPoint` there for others to read.
  package init(vault: Path, mountPoint: Path) throws(Failure) { fatalError("not yet") }
}
