import CPlatform
import Glibc
import Secrets

/// A file under a temporary name beside the one that it is to be.
///
/// If the value goes before the file has got its name, the file is removed.
struct NewFile: ~Copyable {
  let folder: Descriptor
  let file: Descriptor
  private let name: Path
  private let target: Path
  private var isPlaced = false

  /// Makes an empty file in `folder` that is to be called `target`.
  init(
    in folder: consuming Descriptor, for target: [UInt8], _ steps: Steps
  ) throws(ReplacementError) {
    let name = Path(Files.temporaryName(for: target))
    file = try steps.run(.create) { () throws(Errno) in
      try folder.open(name, [.readWrite, .create, .exclusive, .noFollow], permissions: 0o600)
    }
    // Tells others that its maker is alive; a file system without locks has no need of it.
    let number = file.number
    _ = flock(number, LOCK_EX | LOCK_NB)
    self.folder = folder
    self.name = name
    self.target = Path(target)
  }

  deinit {
    guard !isPlaced else { return }
    let folder = folder.number
    _ = unsafe name.withCString { unsafe unlinkat(folder, $0, 0) }
  }

  /// Gives the file the owner, the mode and the extended attributes of the one that has its name now.
  ///
  /// Says whether all of them could be kept; there is nothing to keep where there is no such file.
  borrowing func takeAttributes(_ steps: Steps) throws(ReplacementError) -> Bool {
    try steps.run(.attributes) { () throws(Errno) in
      do throws(Errno) {
        let old = try folder.open(target, [.read, .nonBlocking, .noFollow])
        return try AttributeCopy.copy(from: old, to: file)
      } catch  where error == .noEntry {
        return true
      }
    }
  }

  borrowing func setPermissions(_ permissions: UInt32, _ steps: Steps) throws(ReplacementError) {
    let number = file.number
    try steps.run(.attributes) { () throws(Errno) in
      try systemCall { fchmod(number, mode_t(permissions)) }
    }
  }

  /// Writes `bytes`, waits until they are on the disk, and looks at what is there.
  borrowing func fill(
    with bytes: Span<UInt8>, _ steps: Steps, verify: (Span<UInt8>) -> Bool
  ) throws(ReplacementError) {
    var rest = bytes
    while !rest.isEmpty {
      let piece = rest.extracting(first: min(rest.count, Self.pieceSize))
      rest = rest.extracting(droppingFirst: piece.count)
      try steps.run(.write) { () throws(Errno) in try file.writeAll(piece) }
    }
    try synchronize(steps)
    try steps.run(.readBack) { () throws(Errno) in
      guard try holds(bytes) else { throw .inputOutput }
    }
    // What is on the disk is what is here, so it needn't be in memory twice.
    try steps.run(.verify) { () throws(Errno) in
      guard verify(bytes) else { throw .inputOutput }
    }
  }

  /// Waits until all of it is on the disk.
  borrowing func synchronize(_ steps: Steps) throws(ReplacementError) {
    try steps.run(.synchronize) { () throws(Errno) in try file.synchronize() }
  }

  /// How much is written, and compared, at one time, in bytes.
  private static let pieceSize = 1 << 20

  /// Whether the file on the disk holds `bytes` and nothing else; compares in pieces.
  private borrowing func holds(_ bytes: Span<UInt8>) throws(Errno) -> Bool {
    // What is on the disk already may be dropped from memory: so it is the disk that answers.
    posix_fadvise(file.number, 0, 0, POSIX_FADV_DONTNEED)
    var piece = WipedBuffer(capacity: Self.pieceSize)
    var offset = 0
    while true {
      piece.truncate(to: 0)
      let count = try file.read(at: Int64(offset), atMost: Self.pieceSize, into: &piece)
      guard count > 0 else { return offset == bytes.count }
      guard count <= bytes.count - offset,
        areEqual(piece.bytes, bytes.extracting(offset..<(offset + count)))
      else { return false }
      offset += count
    }
  }

  /// Takes the place of the file that has the name.
  mutating func replaceOld(_ steps: Steps) throws(ReplacementError) {
    let folder = folder.number
    try steps.run(.rename) { () throws(Errno) in
      try unsafe name.withCString { (name) throws(Errno) in
        try unsafe target.withCString { (target) throws(Errno) in
          try systemCall { unsafe renameat(folder, name, folder, target) }
        }
      }
    }
    isPlaced = true
  }

  /// Changes places with the file that has the name, which goes if `isExpected` takes its bytes.
  ///
  /// Otherwise they change back, and ``Errno/stale`` is thrown. Where the file system can't exchange
  /// names, and where no file has the name, it takes the place as ``replaceOld(_:)`` does.
  mutating func exchange(
    _ steps: Steps, isExpected: (Span<UInt8>) -> Bool
  ) throws(ReplacementError) {
    do throws(ReplacementError) {
      try exchangeNames(steps)
    } catch  where Self.meansNoExchange(error.errno) {
      return try replaceOld(steps)
    }
    do throws(ReplacementError) {
      let old = try takenPlace(steps)
      guard isExpected(old.bytes) else { throw ReplacementError(.rename, .stale) }
    } catch {
      // Unless they do change back, the temporary name has somebody's file: that must stay.
      isPlaced = true
      try exchangeNames(steps)
      isPlaced = false
      throw error
    }
  }

  /// The file that has the temporary name now.
  private borrowing func takenPlace(_ steps: Steps) throws(ReplacementError) -> WipedBuffer {
    try steps.run(.rename) { () throws(Errno) in
      try Files.readWhole(folder.open(name, [.read, .nonBlocking, .noFollow]))
    }
  }

  private borrowing func exchangeNames(_ steps: Steps) throws(ReplacementError) {
    let folder = folder.number
    try steps.run(.rename) { () throws(Errno) in
      try unsafe name.withCString { (name) throws(Errno) in
        try unsafe target.withCString { (target) throws(Errno) in
          try systemCall { unsafe platform_exchange(folder, name, target) }
        }
      }
    }
  }

  private static func meansNoExchange(_ error: Errno) -> Bool {
    [.invalid, .notImplemented, .notSupported, .noEntry].contains(error)
  }

  /// Takes its name if nothing has it: by a link, which fails where something does.
  ///
  /// Where the file system has no links, it looks first, and a moment passes.
  mutating func takeFreeName(_ steps: Steps) throws(ReplacementError) {
    let folder = folder.number
    let isLinked = try steps.run(.rename) { () throws(Errno) in
      do throws(Errno) {
        try unsafe name.withCString { (name) throws(Errno) in
          try unsafe target.withCString { (target) throws(Errno) in
            try systemCall { unsafe linkat(folder, name, folder, target, 0) }
          }
        }
        return true
      } catch  where error == .notPermitted || error == .notSupported {
        guard !hasTarget else { throw .exists }
        return false
      }
    }
    // What is linked keeps its name when the temporary one is removed.
    if !isLinked { try replaceOld(steps) }
  }

  private var hasTarget: Bool {
    let folder = folder.number
    return unsafe target.withCString {
      unsafe faccessat(folder, $0, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }
  }
}

/// Compares fast: for what is no secret.
private func areEqual(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
  guard left.count == right.count, !left.isEmpty else { return left.count == right.count }
  return unsafe left.withUnsafeBytes { left in
    unsafe right.withUnsafeBytes { right in
      guard let a = left.baseAddress, let b = right.baseAddress else { return false }
      return unsafe memcmp(a, b, left.count) == 0
    }
  }
}
