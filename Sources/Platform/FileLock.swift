import Glibc
import Secrets

/// A vault's only writer.
///
/// Held until the value goes, or the process dies, by flock(2) on a small file outside the vault's
/// folder. Why so:
///
/// - A lock on the vault itself would not outlive a save, which puts another file in its place; one on
///   its folder would lock the folder's other vaults too; a file beside it would be carried along by
///   whatever copies or synchronises the folder.
/// - So the lock has a name of its own, made of what stays: the folder's device and inode number and
///   the vault's last name, after following links. Bind mounts, links and other ways to write the path
///   lead to the same lock.
/// - The file lies in `/run/lock`, else in `/tmp`, whichever any user may write to (mode 1777, root's):
///   so two users exclude each other too. Which of them is chosen depends on nothing that differs from
///   user to user. Without either it is the user's own runtime folder.
/// - Everybody may read and write the file, which says who holds the lock, and nothing else. A user who
///   means harm can hold the lock for ever, as flock always lets who may open a file; he can't get at
///   the vault by it.
///
/// Other machines that share the folder are not excluded; that a file has changed under a mount is seen
/// at each save.
package struct FileLock: ~Copyable, Sendable {
  /// Who holds it instead.
  package struct Holder: Hashable, Sendable {
    /// Where it mounts the vault; `nil`: a command that ends soon.
    package var mountPoint: Path?
    package var process: Int32
  }

  package enum Failure: Error, Hashable {
    /// Another process writes this vault; `nil` if it hasn't said yet who it is.
    case held(by: Holder?)
    /// The lock itself can't be made.
    case system(Errno)
  }

  private let descriptor: Descriptor
  private let path: Path

  /// How many milliseconds a command that ends soon is waited for.
  package static let patience = 10_000

  /// Takes the lock for `vault`, and leaves `mountPoint` there for others to read (`nil`: a command that
  /// ends soon).
  ///
  /// A mount that holds the lock is told at once; a command is waited for, as many milliseconds as
  /// `patience`. The vault's folder must exist.
  package init(
    vault: Path, mountPoint: Path?, patience: Int = Self.patience
  ) throws(Failure) {
    try self.init(vault: vault, mountPoint: mountPoint, patience: patience, in: Self.folder())
  }

  init(
    vault: Path, mountPoint: Path?, patience: Int = Self.patience, in folder: Path
  ) throws(Failure) {
    let path: Path
    do throws(Errno) {
      path = folder.appending(try Self.name(for: vault))
    } catch {
      throw .system(error)
    }
    descriptor = try Self.acquire(path, patience: patience)
    self.path = path
    Self.leave(Holder(mountPoint: mountPoint, process: Process.id), in: descriptor)
  }

  deinit {
    // Still locked: who opens it from now on makes another, who has it open finds that out.
    try? Files.remove(path)
  }
}

// MARK: - The file

extension FileLock {
  /// The folder for locks that all users share.
  private static func folder() throws(Failure) -> Path {
    for shared in ["/run/lock", "/tmp"] as [Path] {
      guard let status = try? Files.status(of: shared), status.kind == .directory,
        status.owner == 0, status.permissions & 0o1777 == 0o1777
      else { continue }
      return shared
    }
    do throws(RuntimeDirectory.Failure) {
      return try RuntimeDirectory.locate()
    } catch {
      switch error {
      case .notOurs: throw .system(.accessDenied)
      case .system(_, let errno): throw .system(errno)
      }
    }
  }

  /// The lock's name: what stays the same of the vault over saves, for all users.
  static func name(for vault: Path) throws(Errno) -> String {
    let target = try Files.resolveTarget(vault)
    let folder = try Files.status(of: target.parent)
    // FNV-1a: short, the same in every process, and no secret depends on it.
    let hash = target.lastComponent.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
      ($0 ^ UInt64($1)) &* 0x100_0000_01B3
    }
    let parts = [folder.device, folder.inode, hash].map { String($0, radix: 16) }
    return "kdbxfs-\(parts.joined(separator: "-")).lock"
  }

  /// What came of one try.
  private enum Attempt: ~Copyable {
    case locked(Descriptor)
    case held(Holder?)
    /// Who held it has just removed the file, or had it for a moment: the next try finds or makes another.
    case gone
  }

  private static func acquire(_ path: Path, patience: Int) throws(Failure) -> Descriptor {
    let deadline = Clock.sinceBoot() + Int64(patience) * 1_000_000
    for _ in 0..<1000 {
      let attempt: Attempt
      do throws(Errno) { attempt = try self.attempt(path, until: deadline) } catch {
        throw .system(error)
      }
      switch consume attempt {
      case .locked(let file): return file
      case .held(let holder): throw .held(by: holder)
      case .gone: continue
      }
    }
    throw .system(.busy)
  }

  private static func attempt(_ path: Path, until deadline: Int64) throws(Errno) -> Attempt {
    guard let file = try open(path) else { return .gone }
    let opened = try file.status()
    // A link to another file must not be written to by way of the lock's name.
    guard opened.kind == .regular, opened.linkCount <= 1 else { throw .accessDenied }
    let number = file.number
    do throws(Errno) {
      try systemCall { flock(number, LOCK_EX | LOCK_NB) }
    } catch  where error == .tryAgain {
      let holder = holder(in: file)
      return try wait(for: holder, of: file, at: path, until: deadline)
    }
    return opened.isSame(as: path) ? .locked(file) : .gone
  }

  /// Waits for a command that ends soon; not for a mount, and not any longer when the time is over.
  private static func wait(
    for holder: Holder?, of file: consuming Descriptor, at path: Path, until deadline: Int64
  ) throws(Errno) -> Attempt {
    guard Clock.milliseconds(until: deadline) > 0, holder?.mountPoint == nil else {
      return .held(holder)
    }
    guard holder != nil else {
      // It says who it is as soon as it has the lock.
      _ = try? poll([], milliseconds: 20)
      return .gone
    }
    let opened = try file.status()
    guard let file = try LockTurn(file).wait(until: deadline) else { return .gone }
    return opened.isSame(as: path) ? .locked(file) : .gone
  }

  /// Opens the file, or makes it; `nil` if it came or went just now.
  private static func open(_ path: Path) throws(Errno) -> Descriptor? {
    do throws(Errno) {
      return try Descriptor.open(path, [.readWrite, .noFollow])
    } catch  where error != .noEntry {
      throw error
    } catch {}
    do throws(Errno) {
      let file = try Descriptor.open(path, [.readWrite, .create, .exclusive, .noFollow])
      let number = file.number
      // Whatever the mask is: other users take the lock too, and say who they are.
      try systemCall { fchmod(number, 0o666) }
      return file
    } catch  where error == .exists {
      return nil
    }
  }

  /// Writes who holds the lock: the process' number, a line end, and the mount point if there is one.
  ///
  /// It only serves messages, so it matters little if it can't be written.
  private static func leave(_ holder: Holder, in file: borrowing Descriptor) {
    let text = Array("\(holder.process)\n".utf8) + (holder.mountPoint?.bytes ?? [])
    let number = file.number
    _ = try? systemCall { ftruncate(number, 0) }
    // Who waited has read who held it before, and is behind that.
    _ = try? systemCall { lseek(number, 0, SEEK_SET) }
    try? file.writeAll(text.span)
  }

  private static func holder(in file: borrowing Descriptor) -> Holder? {
    guard let text = try? Files.readWhole(file, limit: 8192) else { return nil }
    let bytes = text.bytes.indices.map { text.bytes[$0] }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let process = Int32(decimal: bytes[..<end])
    else { return nil }
    let mountPoint = Path(bytes[(end + 1)...])
    return Holder(mountPoint: mountPoint.isEmpty ? nil : mountPoint, process: process)
  }
}

extension FileStatus {
  /// Whether this file is what stands at `path`.
  fileprivate func isSame(as path: Path) -> Bool {
    guard let named = try? Files.status(of: path, followingLinks: false) else { return false }
    return named.device == device && named.inode == inode
  }
}

/// A place in the queue for the lock on a file.
///
/// flock(2) knows no limit of time, so a thread waits in it. Who stops waiting lets go of this, and the
/// thread, when its turn comes, closes the file, and the lock with it.
private final class LockTurn: Sendable {
  private let file: Descriptor
  private let bell: Bell

  init(_ file: consuming Descriptor) throws(Errno) {
    bell = try Bell()
    self.file = file
  }

  /// The file, locked; `nil` when the time is over.
  func wait(until deadline: Int64) throws(Errno) -> Descriptor? {
    _ = try Thread.start(name: "lock") { [self] in
      let number = file.number
      guard (try? systemCall { flock(number, LOCK_EX) }) != nil else { return }
      bell.ring()
    }
    while true {
      let left = Clock.milliseconds(until: deadline)
      guard left > 0 else { return nil }
      do throws(Errno) {
        let happened = try poll(
          [PollRequest(bell.descriptor.number, .readable)], milliseconds: left)
        // The lock is of what was opened, not of one descriptor.
        if !happened[0].isEmpty { return try file.duplicate() }
      } catch  where error == .interrupted {}
    }
  }
}
