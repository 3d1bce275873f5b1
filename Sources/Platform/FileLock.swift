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
    package var mountPoint: Path
    package var process: Int32
  }

  package enum Failure: Error, Hashable {
    /// Another process mounts this vault for writing; `nil` if it hasn't said yet where.
    case held(by: Holder?)
    /// The lock itself can't be made.
    case system(Errno)
  }

  private let descriptor: Descriptor
  private let path: Path

  /// Takes the lock for `vault`, and leaves `mountPoint` there for others to read.
  ///
  /// The vault's folder must exist.
  package init(vault: Path, mountPoint: Path) throws(Failure) {
    try self.init(vault: vault, mountPoint: mountPoint, in: Self.folder())
  }

  init(vault: Path, mountPoint: Path, in folder: Path) throws(Failure) {
    let path: Path
    do throws(Errno) {
      path = folder.appending(try Self.name(for: vault))
    } catch {
      throw .system(error)
    }
    descriptor = try Self.acquire(path)
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
    /// Who held it has just removed the file: the next try finds or makes another.
    case gone
  }

  private static func acquire(_ path: Path) throws(Failure) -> Descriptor {
    for _ in 0..<100 {
      let attempt: Attempt
      do throws(Errno) { attempt = try self.attempt(path) } catch { throw .system(error) }
      switch consume attempt {
      case .locked(let file): return file
      case .held(let holder): throw .held(by: holder)
      case .gone: continue
      }
    }
    throw .system(.busy)
  }

  private static func attempt(_ path: Path) throws(Errno) -> Attempt {
    guard let file = try open(path) else { return .gone }
    let opened = try file.status()
    // A link to another file must not be written to by way of the lock's name.
    guard opened.kind == .regular, opened.linkCount <= 1 else { throw .accessDenied }
    let number = file.number
    do throws(Errno) {
      try systemCall { flock(number, LOCK_EX | LOCK_NB) }
    } catch  where error == .tryAgain {
      return .held(holder(in: file))
    }
    guard let named = try? Files.status(of: path, followingLinks: false),
      named.device == opened.device, named.inode == opened.inode
    else { return .gone }
    return .locked(file)
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

  /// Writes who holds the lock: the process' number, a line end, and the mount point.
  ///
  /// It only serves messages, so it matters little if it can't be written.
  private static func leave(_ holder: Holder, in file: borrowing Descriptor) {
    let text = Array("\(holder.process)\n".utf8) + holder.mountPoint.bytes
    let number = file.number
    _ = try? systemCall { ftruncate(number, 0) }
    try? file.writeAll(text.span)
  }

  private static func holder(in file: borrowing Descriptor) -> Holder? {
    guard let text = try? Files.readWhole(file, limit: 8192) else { return nil }
    let bytes = text.bytes.indices.map { text.bytes[$0] }
    guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")),
      let process = Int32(decimal: bytes[..<end])
    else { return nil }
    return Holder(mountPoint: Path(bytes[(end + 1)...]), process: process)
  }
}
