/// The mounts that this process sees, from `/proc/self/mountinfo` (proc(5)).
package enum MountTable {
  package struct Entry: Hashable, Sendable {
    package var id: Int
    package var parent: Int
    package var device: UInt64
    /// The folder of the mounted file system that is shown.
    package var root: Path
    package var mountPoint: Path
    package var options: [[UInt8]]
    package var type: [UInt8]
    package var source: [UInt8]
    package var superOptions: [[UInt8]]
  }

  /// All mounts, in the order that they were made.
  package static func entries() throws(Errno) -> [Entry] { fatalError("not yet") }

  /// The topmost mount at exactly this path, which must be absolute and free of links.
  package static func entry(at mountPoint: Path) throws(Errno) -> Entry? { fatalError("not yet") }

  /// Reads what the kernel wrote; lines that can't be understood are left out.
  static func parse(_ text: Span<UInt8>) -> [Entry] { fatalError("not yet") }

  /// A descriptor on which ``poll(_:timeout:)`` reports ``PollEvents/priority`` when a mount came
  /// or went.
  package static func watcher() throws(Errno) -> Descriptor { fatalError("not yet") }
}
