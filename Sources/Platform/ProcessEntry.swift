import Glibc
import Secrets

/// A running process as `/proc` tells of it, whoever it belongs to.
package enum ProcessEntry {
  /// What a process is called, and which one has started it.
  package struct Facts: Hashable, Sendable {
    /// The name of its program, fit for a line of text.
    package let name: String
    /// The process that a thread is one of; for the first thread the same number.
    package let process: Int32
    /// 0 where there is none, or it can't be told.
    package let parent: Int32
  }

  /// Looks at the process, or thread, of a number.
  package static func facts(of number: Int32) throws(Errno) -> Facts {
    let status = try Files.readWhole(Path("/proc/\(number)/status"), limit: 1 << 16)
    var values: [[UInt8]: [UInt8]] = [:]
    let text = status.bytes.indices.map { status.bytes[$0] }
    // The first lines have all of it.
    for line in text.split(separator: UInt8(ascii: "\n"), maxSplits: 12) {
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1)
      guard parts.count == 2 else { continue }
      values[Array(parts[0])] = Array(parts[1].dropFirst())
    }
    func value(_ name: String) -> [UInt8] { values[Array(name.utf8)] ?? [] }
    func figure(_ name: String) -> Int32? { Int32(decimal: value(name)) }
    guard let process = figure("Tgid") else { throw .noProcess }
    return Facts(
      name: Path(value("Name")).description, process: process, parent: figure("PPid") ?? 0)
  }
}

/// The name of a running process or thread, to be asked again and again at little cost.
///
/// It holds the process, not its number: another one that gets the number later is never taken for it.
package struct ProcessWatch: ~Copyable, Sendable {
  private let file: Descriptor

  package init(of number: Int32) throws(Errno) {
    file = try Descriptor.open(Path("/proc/\(number)/comm"))
  }

  /// The name that it has now; `nil` once it has ended.
  package var name: [UInt8]? {
    var name: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    let file = file.number
    // SAFETY: as many bytes are read as there is room for.
    return unsafe withUnsafeMutableBytes(of: &name) { room in
      let count = unsafe pread(file, room.baseAddress, room.count, 0)
      return count > 0 ? unsafe Array(room.prefix(count)) : nil
    }
  }
}
