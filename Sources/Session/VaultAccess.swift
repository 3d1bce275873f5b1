package import Platform
import Secrets

/// What a mount may do to a vault's file, found out before anybody is asked for a password.
package struct VaultAccess: ~Copyable, Sendable {
  /// Whether the vault is only read.
  package let isReadOnly: Bool
  private var lock: FileLock?

  /// Becomes the vault's one writer, unless `readOnly`, or unless it can't be written: which is said.
  ///
  /// Another mount of the vault is told `mountPoint`; `nil` is that of a command, which ends soon and is
  /// waited for.
  package init(
    to vault: borrowing VaultCandidate, mountPoint: Path?, readOnly: Bool, log: SessionLog
  ) throws(SessionError) {
    let file = vault.file
    file.remember(vault.contents.bytes.bytes)
    if readOnly || vault.header.reasonNotToWrite != nil {
      isReadOnly = true
      if !readOnly { vault.header.sayWhyNotToWrite(file, log) }
      return
    }
    let status: FileStatus
    do throws(Errno) {
      let path = try Files.resolve(file.path)
      status = try Files.status(of: path)
      try Files.checkWritable(path)
      try Files.probeWriting(in: path.parent)
    } catch {
      log.warning("\(file.name) can't be written here (\(error)): mounted read-only")
      isReadOnly = true
      return
    }
    if status.linkCount > 1 {
      log.warning(
        "\(file.name) has \(status.linkCount - 1) more hard links: a save parts it from them")
    }
    isReadOnly = false
    do throws(FileLock.Failure) {
      lock = try FileLock(vault: file.path, mountPoint: mountPoint)
    } catch {
      throw SessionError(error, locking: file)
    }
    if let count = try? AbandonedFiles.remove(beside: file.path), count > 0 {
      log.debug("removed what a killed save had left beside \(file.name)")
    }
  }

  /// The lock of the one writer; `nil` where the vault is only read.
  mutating func takeLock() -> FileLock? { lock.take() }
}

extension SessionError {
  private static let hintForTwo = "unmount it first, or mount it once more for reading with --ro"
  private static let hintForCommand =
    "it hasn't ended within \(FileLock.patience / 1000) seconds: try again when it has"

  /// What a person is told when the vault can't be locked.
  init(_ error: FileLock.Failure, locking file: VaultFile) {
    switch error {
    case .held(let holder):
      guard let mountPoint = holder?.mountPoint else {
        let process = holder.map { ", process \($0.process)," } ?? ""
        self.init(
          .notLocked, "another kdbxfs command\(process) is at work on \(file.name)",
          hints: [Self.hintForCommand])
        return
      }
      self.init(
        .mountedElsewhere,
        "\(file.name) is mounted for writing at '\(mountPoint)'"
          + (holder.map { " by process \($0.process)" } ?? ""),
        hints: [Self.hintForTwo])
    case .system(let errno):
      self.init(
        .notLocked, "\(file.name) can't be locked for writing: \(errno)",
        hints: ["--ro mounts it for reading"], errnoValue: errno.rawValue)
    }
  }
}
