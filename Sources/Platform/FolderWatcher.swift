import CPlatform
import Glibc
import Synchronization

/// Tells when files in some folders may have changed: inotify(7).
///
/// What happens to a file on another machine isn't told on network file systems.
package final class FolderWatcher: Sendable {
  /// Readable when something has happened.
  package let descriptor: Descriptor
  /// The watched folders, by the number of their watch.
  private let folders = Mutex<[CInt: Path]>([:])

  /// A file was written and closed, a name came or went; the folder itself went.
  private static let events =
    UInt32(IN_CLOSE_WRITE) | UInt32(IN_MOVED_TO) | UInt32(IN_MOVED_FROM) | UInt32(IN_CREATE)
    | UInt32(IN_DELETE) | UInt32(IN_DELETE_SELF) | UInt32(IN_MOVE_SELF)

  package init() throws(Errno) {
    descriptor = Descriptor(owning: try systemCall { platform_folder_watcher() })
  }

  /// Watches exactly these folders from now on; those that can't be watched are left out.
  package func watch(_ paths: Set<Path>) {
    folders.withLock { folders in
      let number = descriptor.number
      for (watch, path) in folders where !paths.contains(path) {
        _ = inotify_rm_watch(number, watch)
        folders[watch] = nil
      }
      for path in paths {
        let watch = unsafe path.withCString {
          unsafe inotify_add_watch(number, $0, Self.events | UInt32(IN_ONLYDIR))
        }
        // A folder that took the place of another gets another number.
        if watch >= 0 { folders[watch] = path }
      }
    }
  }

  /// Takes what has happened off the descriptor: the files that it happened to, and nothing of those
  /// that are not in a watched folder any more.
  ///
  /// Where it can't be told what happened, because it was too much, or a folder went, `nil`.
  package func takeEvents() -> Set<Path>? {
    var changed: Set<Path> = []
    var isUnknown = false
    while let bytes = nextEvents() {
      var rest = bytes[...]
      while rest.count >= Self.headSize {
        let event = Event(rest)
        rest = rest.dropFirst(Self.headSize + event.nameSize)
        if event.mask & UInt32(IN_Q_OVERFLOW) != 0 { isUnknown = true }
        // What is no longer watched may still have events on the way.
        guard let folder = folders.withLock({ $0[event.watch] }) else { continue }
        if event.mask & UInt32(IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 {
          folders.withLock { $0[event.watch] = nil }
          isUnknown = true
        } else {
          changed.insert(folder.appending(event.name))
        }
      }
    }
    return isUnknown ? nil : changed
  }

  /// `struct inotify_event` without its name.
  private static let headSize = 16

  private struct Event {
    let watch: CInt
    let mask: UInt32
    let nameSize: Int
    let name: [UInt8]

    /// Reads the event that `bytes` start with.
    init(_ bytes: ArraySlice<UInt8>) {
      func word(_ place: Int) -> UInt32 {
        bytes.dropFirst(place).prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
      watch = CInt(bitPattern: word(0))
      mask = word(4)
      nameSize = min(Int(word(12)), bytes.count - FolderWatcher.headSize)
      name = Array(bytes.dropFirst(FolderWatcher.headSize).prefix(nameSize).prefix { $0 != 0 })
    }
  }

  /// Reads as many events as there are, at most some.
  private func nextEvents() -> [UInt8]? {
    let number = descriptor.number
    var bytes = [UInt8](repeating: 0, count: 16 * 1024)
    let count = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe Glibc.read(number, bytes.baseAddress, bytes.count)
    }
    guard count > 0 else { return nil }
    return Array(bytes.prefix(count))
  }
}
