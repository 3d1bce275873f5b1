/// Why a file wasn't replaced: the step that failed, and what the kernel said.
package struct ReplacementError: Error, Hashable {
  /// The steps, in their order.
  package enum Step: String, Hashable, Sendable, CaseIterable {
    /// Following symbolic links to the file that is to be replaced.
    case resolve
    /// Opening its folder.
    case openFolder
    /// Making the new file beside it.
    case create
    case write
    /// Waiting until the contents are on the disk.
    case synchronize
    /// Reading the new file back, and comparing.
    case readBack
    /// The caller's own check of what was read back.
    case verify
    /// Giving the new file the owner, mode and extended attributes of the old one.
    case attributes
    case rename
    /// Waiting until the new name is on the disk. The new file stands by now.
    case synchronizeFolder
  }

  package let step: Step
  package let errno: Errno

  package init(_ step: Step, _ errno: Errno) {
    self.step = step
    self.errno = errno
  }
}

/// Replaces a file so that at every moment the old one or the new one is there, whole.
///
/// - The new file is made in the old one's folder, under the name `.NAME.kdbxfs-PID-RANDOM`, with mode
///   0600 until it is whole and gets the old one's attributes, right before it takes its name.
/// - It is on the disk, read back and compared before it takes the old one's name.
/// - All that happens after the first step goes through the open folder: it may be renamed meanwhile.
package enum AtomicReplacement {
  /// What was put there.
  package struct Outcome: Hashable, Sendable {
    /// The file that was replaced, after following links.
    package let path: Path
    /// What the new file is, for telling later whether someone else has changed it.
    package let status: FileStatus
    /// Whether owner, group, mode and every extended attribute could be kept.
    ///
    /// Where the group couldn't, no group may read the new file.
    package let keptAttributes: Bool
  }

  /// Asked before every system call of a step; what it throws is taken for the kernel's answer.
  ///
  /// So tests make each of them fail in turn.
  package typealias Probe = (ReplacementError.Step) throws(Errno) -> Void

  /// Writes `bytes` beside `path`, and lets them take its place.
  ///
  /// `verify` looks at what was read back from the disk, before the old file goes. On every failure
  /// but the last step's the old file is untouched, and nothing is left beside it. A file that is gone
  /// is made anew, with mode 0600.
  ///
  /// With `isExpected` the two files change places where the file system can do that, and the old one
  /// goes only when `isExpected` has taken its bytes: if somebody replaced it a moment before, that
  /// file is put back, and the step `rename` fails with ``Errno/stale``.
  package static func replace(
    _ path: Path, with bytes: Span<UInt8>, verify: (Span<UInt8>) -> Bool,
    isExpected: ((Span<UInt8>) -> Bool)? = nil, probe: @escaping Probe = { _ in }
  ) throws(ReplacementError) -> Outcome {
    let steps = Steps(probe)
    let target = try steps.run(.resolve) { () throws(Errno) in try Files.resolveTarget(path) }
    let folder = try steps.run(.openFolder) { () throws(Errno) in
      try Descriptor.open(target.parent, [.read, .directory])
    }
    var new = try NewFile(in: folder, for: target.lastComponent, steps)
    try new.fill(with: bytes, steps, verify: verify)
    let kept = try new.takeAttributes(steps)
    try new.synchronize(steps)
    if let isExpected {
      try new.exchange(steps, isExpected: isExpected)
    } else {
      try new.replaceOld(steps)
    }
    try steps.run(.synchronizeFolder) { () throws(Errno) in try new.folder.synchronizeNames() }
    let status = try steps.run(.synchronizeFolder) { () throws(Errno) in try new.file.status() }
    return Outcome(path: target, status: status, keptAttributes: kept)
  }

  /// Makes a file that isn't there yet, whole at once: `path` names nothing or all of `bytes`.
  ///
  /// Never takes the place of a file: one that appears meanwhile is left alone, and the step `rename`
  /// fails with ``Errno/exists``. `verify` looks at what was read back from the disk. On failure
  /// nothing is left behind.
  package static func create(
    _ path: Path, with bytes: Span<UInt8>, permissions: UInt32, verify: (Span<UInt8>) -> Bool,
    probe: @escaping Probe = { _ in }
  ) throws(ReplacementError) {
    let steps = Steps(probe)
    let folder = try steps.run(.openFolder) { () throws(Errno) in
      try Descriptor.open(path.parent, [.read, .directory])
    }
    var new = try NewFile(in: folder, for: path.lastComponent, steps)
    try new.fill(with: bytes, steps, verify: verify)
    try new.setPermissions(permissions & 0o777, steps)
    try new.synchronize(steps)
    try new.takeFreeName(steps)
    try steps.run(.synchronizeFolder) { () throws(Errno) in try new.folder.synchronizeNames() }
  }
}

/// Runs the steps of a replacement, and says which one failed.
struct Steps {
  private let probe: AtomicReplacement.Probe

  init(_ probe: @escaping AtomicReplacement.Probe) {
    self.probe = probe
  }

  @discardableResult
  func run<R: ~Copyable>(
    _ step: ReplacementError.Step, _ body: () throws(Errno) -> R
  ) throws(ReplacementError) -> R {
    do throws(Errno) {
      try probe(step)
      return try body()
    } catch {
      throw ReplacementError(step, error)
    }
  }
}
