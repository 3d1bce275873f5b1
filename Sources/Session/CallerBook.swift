import Platform
import Synchronization
import VaultTree

/// The processes that use the vault, for its log: each is looked at once, as long as it runs.
///
/// A process that the kernel lets wait for its answer is there to be looked at, so that is done before the
/// answer. To see that a known one is still the same costs one system call, and isn't done again at once.
final class CallerBook: Sendable {
  /// For how long a process that was looked at is taken for the same, in nanoseconds: in less, no other
  /// program is loaded in its place and reads files.
  private static let freshness: Int64 = 1_000_000
  /// How many processes are known at a time, each with an open descriptor.
  private static let most = 64
  /// How many generations of parents are told.
  private static let generations = 8

  /// A process that was looked at.
  private final class Known: Sendable {
    let watch: ProcessWatch
    let name: [UInt8]
    let accessor: Accessor
    /// When it was looked at, in nanoseconds.
    private let looked = Atomic<Int64>(Clock.sinceBoot())

    init(_ watch: consuming ProcessWatch, name: [UInt8], _ accessor: Accessor) {
      self.watch = watch
      self.name = name
      self.accessor = accessor
    }

    /// Whether it runs, and the same program.
    var isCurrent: Bool {
      let now = Clock.sinceBoot()
      guard now - looked.load(ordering: .relaxed) > freshness else { return true }
      guard watch.name == name else { return false }
      looked.store(now, ordering: .relaxed)
      return true
    }
  }

  private let known = Mutex<[Int32: Known]>([:])

  init() {}

  /// The process of a thread that acts for a user.
  func accessor(thread: Int32, user: UInt32) -> Accessor {
    let found = look(at: thread, user, Self.generations)
    guard found.user != user else { return found }
    return Accessor(found.process, parents: found.parents, user: user)
  }

  /// What is known of a process, or of what it and `generations` of parents say.
  private func look(at number: Int32, _ user: UInt32, _ generations: Int) -> Accessor {
    if let known = known.withLock({ $0[number] }), known.isCurrent { return known.accessor }
    guard number > 0, let watch = try? ProcessWatch(of: number), let name = watch.name,
      let facts = try? ProcessEntry.facts(of: number)
    else { return Accessor(.init(number: number, name: "?"), parents: [], user: user) }
    var parents: [Accessor.Process] = []
    if facts.parent > 0, generations > 0 {
      let parent = look(at: facts.parent, user, generations - 1)
      parents = [parent.process] + parent.parents.prefix(generations - 1)
    }
    let accessor = Accessor(
      .init(number: facts.process, name: facts.name), parents: parents, user: user)
    let new = Known(watch, name: name, accessor)
    known.withLock { known in
      if known.count >= Self.most { known = [:] }
      known[number] = new
    }
    return accessor
  }
}
