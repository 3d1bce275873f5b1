import Ciphers
import KDBX
import Platform
import Secrets
import Synchronization

/// The vault's file on disk, and what it was when we last read or wrote it.
///
/// Links are followed anew at each use.
final class VaultFile: Sendable {
  /// The most bytes that a vault may have; the format's sizes are signed 32-bit.
  private static let mostBytes = 1 << 31

  /// What the file is now, beside what we know of it.
  enum Condition: Hashable, Sendable {
    case same, changed, gone
  }

  /// Absolute; links in it are kept.
  let path: Path
  /// What the file was when it was read.
  let status: FileStatus
  /// The SHA-256 of what was last read or written; `nil` until somebody means to write.
  private let digest = Mutex<[UInt8]?>(nil)

  private init(path: Path, status: FileStatus) {
    self.path = path
    self.status = status
  }

  /// What people know the file by: the last part of its path.
  var name: String { "'\(Path(path.lastComponent))'" }

  // MARK: - Reading

  /// A file and its bytes, as they were read together.
  struct Contents: Sendable {
    let file: VaultFile
    let bytes: SharedBuffer
  }

  /// Reads a vault, whose path may be relative.
  static func read(_ path: Path) throws(SessionError) -> Contents {
    let absolute: Path
    let status: FileStatus
    do throws(Errno) {
      absolute = path.isAbsolute ? path : try Files.currentDirectory().appending(path.bytes)
      status = try Files.status(of: absolute)
    } catch {
      throw SessionError(
        error, reading: path, hints: error == .noEntry ? Self.copies(of: path) : [])
    }
    guard status.kind == .regular else {
      throw SessionError(.unreadable, "'\(path)' is not a file")
    }
    do throws(Errno) {
      let bytes = SharedBuffer(try Files.readRegular(absolute, limit: mostBytes))
      return Contents(file: VaultFile(path: absolute, status: status), bytes: bytes)
    } catch {
      throw SessionError(error, reading: path)
    }
  }

  /// Where a vault that is gone lives on: what a mount of it could not save.
  private static func copies(of path: Path) -> [String] {
    guard
      let absolute = try? path.isAbsolute ? path : Files.currentDirectory().appending(path.bytes)
    else { return [] }
    return RescueFile.all(of: absolute, in: RescueFile.usualFolder).map { copy in
      "a whole copy of it, with the edits of an earlier mount, is in '\(copy.file.path)'"
    }
  }

  /// Whether the file is no longer the one that was read, as far as its status tells.
  var looksChanged: Bool { (try? Files.status(of: path)) != status }

  /// The SHA-256 of what was last read or written, if it is remembered.
  var rememberedDigest: [UInt8]? { digest.withLock { $0 } }

  /// Whether ``condition()`` has something to compare with.
  var isRemembered: Bool { digest.withLock { $0 != nil } }

  /// Whether `bytes` are what was last read or written, which must be remembered.
  func holds(_ bytes: Span<UInt8>) -> Bool {
    let now = SHA256.hash(bytes)
    return digest.withLock { $0 == now }
  }

  /// How the file stands beside what was last read or written, which must be remembered.
  func condition() throws(SessionError) -> Condition {
    guard let bytes = try current() else { return .gone }
    return isKnown(bytes.bytes) ? .same : .changed
  }

  /// Whether there is no file in its folder, as between the removal of one and the making of another.
  var isBetweenTwo: Bool {
    let status: FileStatus?
    do throws(Errno) {
      status = try Files.status(of: path)
    } catch {
      guard error == .noEntry else { return false }
      status = nil
    }
    return status == nil && (try? Files.status(of: path.parent)) != nil
  }

  /// What the file holds, if it is there and not what was last read or written.
  func changedContents() throws(SessionError) -> SharedBuffer? {
    guard let bytes = try current(), !isKnown(bytes.bytes) else { return nil }
    return bytes
  }

  /// What the file holds; `nil` where there is none.
  private func current() throws(SessionError) -> SharedBuffer? {
    do throws(Errno) {
      return SharedBuffer(try Files.readRegular(path, limit: Self.mostBytes))
    } catch .noEntry {
      return nil
    } catch {
      let reason = error == .invalid ? "it is no file any more" : "\(error)"
      throw SessionError(
        .unwritable, "\(name) can't be compared with what was read: \(reason)",
        errnoValue: error.rawValue)
    }
  }

  private func isKnown(_ bytes: Span<UInt8>) -> Bool {
    let now = SHA256.hash(bytes)
    return digest.withLock { $0 == now }
  }

  // MARK: - Writing

  /// Lets `bytes` take the file's place, after `verify` has seen what was read back; says whether the
  /// file that went was what was last read or written: any other stays.
  ///
  /// On failure the old file is whole. `probe` is asked before each step.
  func replace(
    with bytes: Span<UInt8>, probe: @escaping AtomicReplacement.Probe = { _ in },
    verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) -> Bool {
    do throws(ReplacementError) {
      _ = try AtomicReplacement.replace(
        path, with: bytes, verify: verify, isExpected: { self.isKnown($0) }, probe: probe)
    } catch {
      if error.step == .rename, error.errno == .stale { return false }
      // From the rename on the new file is what stands there, even if it may not outlive a crash.
      if error.step == .synchronizeFolder { remember(bytes) }
      throw SessionError(error, writing: name)
    }
    remember(bytes)
    return true
  }

  /// Makes the file, which is gone, anew.
  func create(
    with bytes: Span<UInt8>, verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) {
    try Self.create(path, with: bytes, permissions: status.permissions, verify: verify)
    remember(bytes)
  }

  /// Makes a file beside the vault for what can't take its place, and gives the file.
  func createConflict(
    at time: String, with bytes: Span<UInt8>, verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) -> VaultFile {
    var stem = path.lastComponent
    let suffix = Array(".kdbx".utf8)
    if stem.count > suffix.count, stem.suffix(suffix.count).elementsEqual(suffix) {
      stem.removeLast(suffix.count)
    }
    let target = path.parent.appending(stem + Array(".conflict-\(time).kdbx".utf8))
    try Self.create(target, with: bytes, permissions: status.permissions, verify: verify)
    let file = VaultFile(path: target, status: status)
    file.remember(bytes)
    return file
  }

  /// Makes a file that isn't there yet, whole at once.
  static func create(
    _ path: Path, with bytes: Span<UInt8>, permissions: UInt32, verify: (Span<UInt8>) -> Bool
  ) throws(SessionError) {
    do throws(ReplacementError) {
      try AtomicReplacement.create(path, with: bytes, permissions: permissions, verify: verify)
    } catch {
      throw SessionError(error, writing: "'\(Path(path.lastComponent))'")
    }
  }

  /// Takes `bytes` for what the file holds, to see later whether someone else has changed it.
  func remember(_ bytes: Span<UInt8>) {
    let now = SHA256.hash(bytes)
    digest.withLock { $0 = now }
  }
}

extension SessionError {
  /// What a person is told when the vault at `path` can't be read.
  init(_ error: Errno, reading path: Path, hints: [String] = []) {
    self.init(
      .unreadable, "'\(path)' can't be read: \(error)", hints: hints, errnoValue: error.rawValue)
  }

  /// What a person is told when `name` wasn't written.
  init(_ error: ReplacementError, writing name: String) {
    let doing =
      switch error.step {
      case .resolve, .openFolder: "its folder can't be opened"
      case .create: "no file can be made beside it"
      case .attributes: "the new file can't be made like the old one"
      case .write: "the new file can't be written"
      case .synchronize: "the new file didn't reach the disk"
      case .readBack, .verify: "the new file doesn't read back as written"
      case .rename: "the new file can't take its place"
      case .synchronizeFolder: "its folder didn't reach the disk"
      }
    self.init(
      .unwritable, "\(name) could not be saved: \(doing): \(error.errno)",
      hints: ["the old file is whole, and the changes are kept in memory"],
      errnoValue: error.errno.rawValue)
  }
}
