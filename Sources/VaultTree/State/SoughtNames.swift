/// Names that somebody asked for in a directory, in vain: a few, for a while.
///
/// They tell an editor's file for a name that isn't there yet from a user's.
struct SoughtNames: Sendable {
  /// How long a name is kept in mind, in nanoseconds: an editor may save what it holds a while later.
  private static let lifetime: Int64 = 600_000_000_000
  private static let directoryLimit = 256
  private static let nameLimit = 8

  private struct Sought: Sendable {
    let name: [UInt8]
    let time: Int64
  }

  private var sought: [FileDirectory: [Sought]] = [:]

  /// Takes down that a name was asked for; `now` is the monotonic clock.
  mutating func note(_ name: [UInt8], in directory: FileDirectory, at now: Int64) {
    if sought.count >= Self.directoryLimit, sought[directory] == nil { sought = [:] }
    var names = sought.removeValue(forKey: directory) ?? []
    names.removeAll { $0.name == name }
    if names.count >= Self.nameLimit { names.removeFirst() }
    names.append(Sought(name: name, time: now))
    sought[directory] = names
  }

  func wasSought(_ name: [UInt8], in directory: FileDirectory, at now: Int64) -> Bool {
    sought[directory]?.contains { $0.name == name && now - $0.time < Self.lifetime } ?? false
  }
}

extension TreeState {
  /// Takes down that a name was asked for in vain, where a file of that name could be made.
  mutating func noteSought(_ name: [UInt8], in directory: NodeMeaning) {
    guard let directory = FileDirectory(directory) else { return }
    if case .folder(let owner) = directory, !isUndecided(owner) { return }
    soughtNames.note(name, in: directory, at: options.monotonic())
  }
}
