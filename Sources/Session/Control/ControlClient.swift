package import Platform
package import Secrets

/// Asks the process that serves a mount.
package enum ControlClient {
  package enum Failure: Error, Hashable {
    /// No process listens for this mount.
    case nobody
    /// It went away, or said what can't be understood.
    case noAnswer
    /// It is there, and shows no sign of life: it is stopped, or hangs.
    case silent(process: Int32?)
  }

  /// The most bytes of an answer; one to `find` holds a path for each entry.
  private static let longestAnswer = 1 << 28
  /// How long nothing may come, in milliseconds: while it works, the other side says so more often
  /// (``ControlServer``).
  private static let patience = 10_000

  /// Sends one request and waits for its answer, as long as the other side says that it works on it.
  ///
  /// `mountPoint` is absolute and free of links. For `umount` waits until the process has ended, too:
  /// its lock on the vault is free then.
  package static func ask(
    _ request: ControlRequest, of mountPoint: Path
  ) throws(Failure) -> JSONObject {
    try ask(request, of: mountPoint) { _ in }
  }

  /// Has a locked mount unlocked with what a person has given.
  package static func unlock(
    _ mountPoint: Path, password: borrowing SecretBytes?, keyFileKey: borrowing SecretBytes?
  ) throws(Failure) -> JSONObject {
    let request = ControlRequest.unlock(
      passwordCount: count(of: password), keyCount: count(of: keyFileKey))
    return try ask(request, of: mountPoint) { (socket) throws(Errno) in
      try send(password, to: socket)
      try send(keyFileKey, to: socket)
    }
  }

  private static func count(of secret: borrowing SecretBytes?) -> Int? {
    switch secret {
    case .some(let secret): secret.count
    case .none: nil
    }
  }

  private static func send(
    _ secret: borrowing SecretBytes?, to socket: borrowing Descriptor
  ) throws(Errno) {
    switch secret {
    case .some(let secret):
      try secret.withBytes { (bytes) throws(Errno) in try socket.writeAll(bytes) }
    case .none: break
    }
  }

  private static func ask(
    _ request: ControlRequest, of mountPoint: Path,
    sending secrets: (borrowing Descriptor) throws(Errno) -> Void
  ) throws(Failure) -> JSONObject {
    let socket = try connect(to: mountPoint)
    let process = (try? UnixSocket.peer(of: socket))?.process
    var line = request.object.bytes
    line.append(UInt8(ascii: "\n"))
    do throws(Errno) {
      try socket.writeAll(line.span)
      try secrets(socket)
    } catch {
      let failure: Failure = error == .tryAgain ? .silent(process: process) : .noAnswer
      throw failure
    }
    var lines = LineReader(socket.number, waitingAtMost: patience, longest: longestAnswer)
    var answer = lines.next(from: socket)
    while answer == ControlPulse.line { answer = lines.next(from: socket) }
    guard let answer else {
      let failure: Failure = lines.hasWaitedInVain ? .silent(process: process) : .noAnswer
      throw failure
    }
    guard let object = JSONObject(reading: answer.span) else { throw .noAnswer }
    if case .unmount = request,
      object["ok"] == .boolean(true) || object["kind"] == .string("conflict")
    {
      while lines.next(from: socket) != nil {}
    }
    return object
  }

  private static func connect(to mountPoint: Path) throws(Failure) -> Descriptor {
    for folder in folders(for: mountPoint) {
      let path = ControlPlace.socket(for: mountPoint, in: folder)
      do throws(Errno) {
        return try UnixSocket.connect(to: path, waitingAtMost: patience)
      } catch  where error == .tryAgain {
        // So many wait already that no more are taken.
        throw .silent(process: nil)
      } catch {}
    }
    throw .nobody
  }

  /// Where the socket may be: in our own runtime folder; for root also in that of who mounted.
  private static func folders(for mountPoint: Path) -> [Path] {
    var folders: [Path] = []
    if let own = try? RuntimeDirectory.locate() { folders.append(own) }
    guard Process.user == 0, let entry = try? MountTable.entry(at: mountPoint) else {
      return folders
    }
    let word = Array("user_id=".utf8)
    if let option = entry.superOptions.first(where: { $0.starts(with: word) }) {
      folders += RuntimeDirectory.usualPlaces(ofUser: Array(option.dropFirst(word.count)))
    }
    return folders
  }
}
