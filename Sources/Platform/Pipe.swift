/// Two ends of a pipe, each to be taken once.
package struct Pipe: ~Copyable, Sendable {
  private var reader: Descriptor?
  private var writer: Descriptor?

  package init() throws(Errno) { fatalError("not yet") }

  /// - Precondition: not taken before.
  package mutating func takeReader() -> Descriptor { fatalError("not yet") }

  /// - Precondition: not taken before.
  package mutating func takeWriter() -> Descriptor { fatalError("not yet") }
}
