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
    /// Giving the new file the owner, mode and extended attributes of the old one.
    case attributes
    case write
    /// Waiting until the contents are on the disk.
    case synchronize
    /// Reading the new file back, and comparing.
    case readBack
    /// The caller's own check of what was read back.
    case verify
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
package enum AtomicReplacement {
  /// What was put there.
  package struct Outcome: Hashable, Sendable {
    /// The file that was replaced, after following links.
    package let path: Path
    /// What the new file is, for telling later whether someone else has changed it.
    package let status: FileStatus
    /// Whether owner, group, mode and every extended attribute could be kept.
    package let keptAttributes: Bool
  }

  /// Writes `bytes` beside `path`, and lets them take its place.
  ///
  /// `verify` looks at what was read back from the disk, before the old file goes. On every failure
  /// but the last step's the old file is untouched, and nothing is left beside it.
  package static func replace(
    _ path: Path, with bytes: Span<UInt8>, verify: (Span<UInt8>) -> Bool
  ) throws(ReplacementError) -> Outcome { fatalError("not yet") }
}
