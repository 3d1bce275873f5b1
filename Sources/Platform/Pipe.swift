import CPlatform

/// Two ends of a pipe, each to be taken once.
///
/// What isn't taken is closed with it.
package struct Pipe: ~Copyable, Sendable {
  private var reader: Descriptor?
  private var writer: Descriptor?

  package init() throws(Errno) {
    var ends: [CInt] = [-1, -1]
    try systemCall { unsafe platform_pipe(&ends) }
    reader = Descriptor(owning: ends[0])
    writer = Descriptor(owning: ends[1])
  }

  /// The end that bytes come out of.
  ///
  /// - Precondition: not taken before.
  package mutating func takeReader() -> Descriptor {
    guard let end = reader.take() else { preconditionFailure("a pipe's reader was taken twice") }
    return end
  }

  /// The end that bytes go into.
  ///
  /// - Precondition: not taken before.
  package mutating func takeWriter() -> Descriptor {
    guard let end = writer.take() else { preconditionFailure("a pipe's writer was taken twice") }
    return end
  }
}
