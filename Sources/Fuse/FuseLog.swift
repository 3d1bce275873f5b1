import Glibc
import Synchronization

/// What libfuse wants to tell a person; it would write it to standard error.
///
/// It never speaks of the content of a file. The last few lines are kept for the error that follows.
enum FuseLog {
  private static let mostLines = 8
  private static let mostBytesOfLine = 512

  private static let lines = Mutex<[String]>([])

  /// Takes the lines said since the last call.
  static func take() -> [String] {
    lines.withLock { lines in
      defer { lines = [] }
      return lines
    }
  }

  /// Keeps one message, which is made by `vsnprintf`.
  static func keep(_ format: UnsafePointer<CChar>, _ arguments: CVaListPointer) {
    var text = [CChar](repeating: 0, count: mostBytesOfLine)
    // SAFETY: it writes no more than `count` bytes, with the NUL.
    unsafe vsnprintf(&text, text.count, format, arguments)
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    let line = trimmed(String(decoding: bytes, as: UTF8.self))
    guard !line.isEmpty else { return }
    lines.withLock { lines in
      if lines.count == mostLines { lines.removeFirst() }
      lines.append(line)
    }
  }

  /// Without libfuse's `fuse: ` in front and the line feed behind.
  private static func trimmed(_ text: String) -> String {
    var text = text[...]
    while let last = text.last, last.isWhitespace { text.removeLast() }
    if text.hasPrefix("fuse: ") { text.removeFirst("fuse: ".count) }
    return String(text)
  }
}
