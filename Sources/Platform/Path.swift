/// The name of a file: bytes, as the kernel has it, without a NUL.
///
/// Not a `String`, because a file name may be no UTF-8, and because two Strings are equal that are
/// two names for the kernel.
package struct Path: Hashable, Sendable {
  /// The bytes, without the NUL at the end.
  package let bytes: [UInt8]

  /// Takes `bytes` up to the first NUL, which is what the kernel would see of them.
  package init(_ bytes: [UInt8]) {
    self.bytes = bytes.firstIndex(of: 0).map { Array(bytes[..<$0]) } ?? bytes
  }

  @inlinable package init(_ bytes: some Sequence<UInt8>) {
    self.init(Array(bytes))
  }

  package init(_ string: String) {
    self.init(string.utf8)
  }

  package var isEmpty: Bool { bytes.isEmpty }
  package var isAbsolute: Bool { bytes.first == UInt8(ascii: "/") }

  /// What follows the last slash: nothing after a final one, all of it where there is none.
  package var lastComponent: [UInt8] {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return bytes }
    return Array(bytes[(slash + 1)...])
  }

  /// The folder that the last component stands in: `.` for a bare name, `/` for one in the root.
  package var parent: Path {
    guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == 0 ? "/" : Path(bytes[..<slash])
  }

  /// The path of `name` in this folder.
  package func appending(_ name: [UInt8]) -> Path {
    if isEmpty { return Path(name) }
    let separator: [UInt8] = bytes.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    return Path(bytes + separator + name)
  }

  package func appending(_ name: String) -> Path {
    appending(Array(name.utf8))
  }

  /// Lends the path as C wants it.
  @discardableResult
  func withCString<R, E: Error>(
    _ body: (UnsafePointer<CChar>) throws(E) -> R
  ) throws(E) -> R {
    var text = bytes.map { CChar(bitPattern: $0) }
    text.append(0)
    // SAFETY: the array lives until the end of this function and ends in a NUL.
    return try unsafe text.withUnsafeBufferPointer { (buffer) throws(E) -> R in
      guard let base = buffer.baseAddress else { preconditionFailure("a C string is empty") }
      return try unsafe body(base)
    }
  }
}

extension Path: ExpressibleByStringLiteral {
  package init(stringLiteral value: String) {
    self.init(value)
  }
}

extension Path: CustomStringConvertible {
  /// For messages to a person: what is no UTF-8 is shown as U+FFFD, control characters too.
  package var description: String {
    String(
      String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "\u{FFFD}" : Character(scalar)
      })
  }
}
