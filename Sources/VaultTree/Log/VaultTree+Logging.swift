import KDBX
import Synchronization

/// A line of the log, for people and programs.
package struct AccessRow: Sendable {
  /// When it was done, for the last time.
  package let time: Timestamp
  package let action: AccessAction
  /// How often in a row.
  package let count: Int
  /// The path that leads to it now; nil where none does any more.
  package let path: [UInt8]?
  package let accessor: Accessor

  /// `2026-01-31T09:15:00Z`.
  package var timeText: String {
    String(decoding: VaultTime(unixSeconds: time.seconds).isoBytes, as: UTF8.self)
  }
}

extension VaultTree {
  /// How many paths are worked out while the lock is held.
  private static let pathsAtATime = 64

  /// The lines of the log, the oldest first, and how many had to make way for newer ones.
  package func accessRows() throws(TreeError) -> (rows: [AccessRow], dropped: Int) {
    let (records, dropped) = try locked { (state) throws(TreeError) in
      (state.log.records, state.log.dropped)
    }
    var rows: [AccessRow] = []
    rows.reserveCapacity(records.count)
    for start in stride(from: 0, to: records.count, by: Self.pathsAtATime) {
      let some = records[start..<min(start + Self.pathsAtATime, records.count)]
      let paths = try locked { (state) throws(TreeError) in
        some.map { state.path(of: $0.subject) }
      }
      rows += zip(some, paths).map { record, path in
        AccessRow(
          time: record.time, action: record.action, count: record.count, path: path,
          accessor: record.accessor)
      }
    }
    return (rows, dropped)
  }

  /// What a user is called.
  package func userName(_ user: UInt32) -> String { options.userName(user) }

  /// Who has sent a request; nil where nobody knows.
  ///
  /// Looks at the process: call it before that has its answer, and without the lock.
  func accessor(_ origin: RequestOrigin?) -> Accessor? {
    guard let origin, let identify = options.identify else { return nil }
    return identify(origin)
  }

  /// Who writes a file, where it isn't the one who wrote it last: what is written on is no new line.
  func newWriter(of file: FileHandle, _ origin: RequestOrigin?) -> Accessor? {
    file.isNewWriter(origin) ? accessor(origin) : nil
  }

  /// The entries and groups that paths lead to, for ``note(_:_:by:)`` once it is done.
  package func loggedPlaces(_ paths: [[UInt8]]) -> LoggedPlaces {
    locked { state in
      LoggedPlaces(
        subjects: paths.compactMap { path in
          (try? state.find(path: path)).flatMap { state.subject(of: $0.meaning) }
        })
    }
  }

  /// Takes down what a command has done to whole entries and groups.
  package func note(_ action: AccessAction, _ places: LoggedPlaces, by accessor: Accessor) {
    locked { state in
      for subject in places.subjects { state.note(action, subject, by: accessor) }
    }
  }
}

/// Entries and groups as the log knows them.
package struct LoggedPlaces: Sendable {
  let subjects: [AccessSubject]
}
