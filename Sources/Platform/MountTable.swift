import Secrets

/// The mounts that this process sees, from `/proc/self/mountinfo` (proc(5)).
package enum MountTable {
  package struct Entry: Hashable, Sendable {
    package var id: Int
    /// The ``id`` of the mount that it stands on.
    package var parent: Int
    /// As ``FileStatus/device`` has it.
    package var device: UInt64
    /// The folder of the mounted file system that is shown.
    package var root: Path
    package var mountPoint: Path
    /// Of this mount: `ro`, `nosuid` and the like.
    package var options: [[UInt8]]
    package var type: [UInt8]
    package var source: [UInt8]
    /// Of the file system, whatever it is mounted on.
    package var superOptions: [[UInt8]]
  }

  private static let file: Path = "/proc/self/mountinfo"

  /// All mounts, in the order that they were made.
  package static func entries() throws(Errno) -> [Entry] {
    let text = try Files.readWhole(file)
    return parse(text.bytes)
  }

  /// The topmost mount at exactly this path, which must be absolute and free of links.
  package static func entry(at mountPoint: Path) throws(Errno) -> Entry? {
    try entries().last { $0.mountPoint == mountPoint }
  }

  /// A descriptor on which ``poll(_:milliseconds:)`` reports ``PollEvents/priority`` when a mount came
  /// or went.
  package static func watcher() throws(Errno) -> Descriptor {
    try Descriptor.open(file)
  }
}

// MARK: - Reading

extension MountTable {
  /// Reads what the kernel wrote; lines that can't be understood are left out.
  static func parse(_ text: Span<UInt8>) -> [Entry] {
    var entries: [Entry] = []
    var line: [UInt8] = []
    for i in text.indices {
      if text[i] == UInt8(ascii: "\n") {
        if let entry = Entry(line: line) { entries.append(entry) }
        line.removeAll(keepingCapacity: true)
      } else {
        line.append(text[i])
      }
    }
    return entries
  }

  /// Turns `\ooo` back: blanks, tabs, line ends and backslashes in a path are written so.
  fileprivate static func unescape(_ text: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = text
    while let first = rest.popFirst() {
      let digits = rest.prefix(3)
      if first == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest = rest.dropFirst(3)
      } else {
        bytes.append(first)
      }
    }
    return bytes
  }
}

extension MountTable.Entry {
  /// Reads one line, as `36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue`.
  fileprivate init?(line: [UInt8]) {
    let fields = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    // A number of optional fields stands between the sixth and the dash.
    guard fields.count >= 10,
      let dash = fields[6...].firstIndex(where: { $0.elementsEqual("-".utf8) }),
      fields.count >= dash + 4, let id = Self.number(fields[0]),
      let parent = Self.number(fields[1]),
      let device = Self.device(fields[2])
    else { return nil }
    self.id = id
    self.parent = parent
    self.device = device
    root = Path(MountTable.unescape(fields[3]))
    mountPoint = Path(MountTable.unescape(fields[4]))
    options = Self.list(fields[5])
    type = MountTable.unescape(fields[dash + 1])
    source = MountTable.unescape(fields[dash + 2])
    superOptions = Self.list(fields[dash + 3])
  }

  private static func number(_ text: ArraySlice<UInt8>) -> Int? {
    Int(decimal: text)
  }

  private static func list(_ text: ArraySlice<UInt8>) -> [[UInt8]] {
    text.split(separator: UInt8(ascii: ",")).map { MountTable.unescape($0) }
  }

  /// `major:minor` as one number, as makedev(3) joins them.
  private static func device(_ text: ArraySlice<UInt8>) -> UInt64? {
    let parts = text.split(separator: UInt8(ascii: ":"))
    guard parts.count == 2, let major = UInt32(decimal: parts[0]),
      let minor = UInt32(decimal: parts[1])
    else { return nil }
    let (high, low) = (UInt64(major), UInt64(minor))
    return (high & 0xFFFF_F000) << 32 | (high & 0xFFF) << 8 | (low & 0xFFFF_FF00) << 12 | low & 0xFF
  }
}
