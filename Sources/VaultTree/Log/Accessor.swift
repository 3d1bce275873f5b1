/// Who a request is from, as the kernel tells it.
package struct RequestOrigin: Hashable, Sendable {
  /// The number of the thread that asks; 0 where it can't be told.
  package var thread: Int32
  /// The user that it acts for.
  package var user: UInt32

  package init(thread: Int32, user: UInt32) {
    self.thread = thread
    self.user = user
  }
}

/// A process that has read or written something, as it was then.
///
/// Many lines of the log share one.
package final class Accessor: Sendable {
  /// A process and what it is called; the name is fit for a line of text.
  package struct Process: Hashable, Sendable {
    package let number: Int32
    package let name: String

    package init(number: Int32, name: String) {
      self.number = number
      self.name = name
    }

    /// `bash (77)`.
    package var title: String { "\(name) (\(number))" }
  }

  package let process: Process
  /// The process that started it, the one that started that, and so on.
  package let parents: [Process]
  package let user: UInt32

  package init(_ process: Process, parents: [Process], user: UInt32) {
    self.process = process
    self.parents = parents
    self.user = user
  }
}
