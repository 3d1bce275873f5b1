/// What was done to a field, or to a whole entry or group.
package enum AccessAction: String, Sendable {
  case read, write, remove
  /// Given another name or place.
  case move
  /// Taken out of the recycle bin, or given an earlier state back.
  case restore
}

/// What it was done to: by number and key, so that a line costs no path.
struct AccessSubject: Hashable, Sendable {
  enum Part: Hashable, Sendable {
    /// The entry or group as a whole.
    case whole
    /// A group's notes.
    case notes
    case item(ItemKey)
    /// An item whose name a lock has wiped.
    case concealed(KeyedHash)
  }

  /// The owner number of the entry or group: the same over moves and locks.
  let owner: UInt64
  var part: Part
}

/// One line of the log.
struct AccessRecord: Sendable {
  /// When it was done, for the last time.
  var time: Timestamp
  let action: AccessAction
  var subject: AccessSubject
  let accessor: Accessor
  /// How often it was done, by the same process.
  var count: Int
}

/// Who read or wrote what, and when: in memory only, never a value.
///
/// The newest ``limit`` lines are kept. What one process does again soon is counted in the line that is
/// there.
struct AccessLog: Sendable {
  static let limit = 4096
  /// How many of the newest lines are looked through for the same.
  private static let near = 8

  private var ring: [AccessRecord] = []
  /// Where the next line goes once the ring is full.
  private var next = 0
  /// How many lines had to make way.
  private(set) var dropped = 0
  /// Counts what was noted.
  private(set) var stamp: UInt64 = 0

  /// The lines, the oldest first.
  var records: [AccessRecord] { Array(ring[next...] + ring[..<next]) }

  mutating func note(
    _ action: AccessAction, _ subject: AccessSubject, by accessor: Accessor, at time: Timestamp
  ) {
    stamp &+= 1
    for back in 1...Self.near where back <= ring.count {
      let place = (next + ring.count - back) % ring.count
      // The owner first: it is what differs most often, and costs the least to compare.
      guard ring[place].subject.owner == subject.owner, ring[place].action == action,
        ring[place].accessor === accessor, ring[place].subject == subject
      else { continue }
      ring[place].count += 1
      ring[place].time = time
      return
    }
    let record = AccessRecord(
      time: time, action: action, subject: subject, accessor: accessor, count: 1)
    guard ring.count == Self.limit else { return ring.append(record) }
    ring[next] = record
    next = (next + 1) % Self.limit
    dropped += 1
  }

  /// Puts another subject in the place of those that `change` has one for.
  mutating func replaceSubjects(_ change: (AccessSubject) -> AccessSubject?) {
    stamp &+= 1
    for place in ring.indices {
      if let subject = change(ring[place].subject) { ring[place].subject = subject }
    }
  }
}
