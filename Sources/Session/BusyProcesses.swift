package import Platform
import Secrets

/// Who uses a mount, as far as this user may see.
enum BusyProcesses {
  /// The most processes that a message names.
  private static let most = 8

  /// The processes that stand in the mount or have a file of it open, as `vim (123), bash (77)`; empty
  /// when none can be seen.
  ///
  /// Without those of this program, which only hold what they inherited.
  static func find(using mountPoint: Path) -> String {
    let names = (try? Files.names(in: "/proc")) ?? []
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let processes = names.filter { $0.allSatisfy(digits.contains) }
    let ours = command(Array("self".utf8))
    let users = processes.filter { uses($0, mountPoint) && command($0) != ours }
    let shown = users.prefix(most).map { "\(command($0)) (\(String(decoding: $0, as: UTF8.self)))" }
    return shown.joined(separator: ", ") + (users.count > most ? ", and more" : "")
  }

  private static func uses(_ process: [UInt8], _ mountPoint: Path) -> Bool {
    let folder = Path("/proc").appending(process)
    let descriptors = folder.appending("fd")
    let links =
      ["cwd", "root", "exe"].map { folder.appending($0) }
      + ((try? Files.names(in: descriptors)) ?? []).map { descriptors.appending($0) }
    return links.contains { link in
      guard let target = try? Files.readLink(link) else { return false }
      return target.isAtOrBelow(mountPoint)
    }
  }

  private static func command(_ process: [UInt8]) -> String {
    let file = Path("/proc").appending(process).appending("comm")
    guard let name = try? Files.readWhole(file, limit: 64) else { return "?" }
    var bytes: [UInt8] = []
    let span = name.bytes
    for index in span.indices where span[index] != UInt8(ascii: "\n") { bytes.append(span[index]) }
    return Path(bytes).description
  }
}

extension Path {
  /// Whether this path is `folder` or lies below it; both absolute and free of links.
  package func isAtOrBelow(_ folder: Path) -> Bool {
    guard bytes.starts(with: folder.bytes) else { return false }
    return bytes.count == folder.bytes.count || folder.bytes.last == UInt8(ascii: "/")
      || bytes[folder.bytes.count] == UInt8(ascii: "/")
  }
}
