import Platform
import Secrets
import Session

/// Starts the process that serves a mount, and says when the mount answers.
///
/// With `-f` that is this process. Else it is forked off first of all, before there is a thread or a
/// secret: the child asks for the password, opens and mounts, the parent waits and passes signals on.
/// The child sends one byte through a pipe when the kernel has the mount, or ends with its exit code.
struct MountLauncher {
  private let command: MountCommand

  init(_ command: MountCommand) { self.command = command }

  /// Mounts; gives what this process ends with.
  func run() throws(Complaint) -> ExitCode {
    if command.settings.staysInFront { return try runInFront() }
    var pipe = try Self.system("no pipe can be made") { () throws(Errno) in try Pipe() }
    let reader = pipe.takeReader()
    // By their numbers, for each process has descriptors of its own under them.
    let (readerNumber, writer) = (reader.number, pipe.takeWriter().release())
    let command = command
    // Held until the parent listens for them, so that none is lost.
    EndingSignals.hold()
    let child = try Self.system("no process can be started") { () throws(Errno) in
      try Process.fork {
        _ = Descriptor(owning: readerNumber)
        Signals.unblock(EndingSignals.all)
        return Self.serve(command, reporting: Descriptor(owning: writer))
      }
    }
    _ = Descriptor(owning: writer)
    return try waitForMount(by: child, reader)
  }

  // MARK: - In front

  private func runInFront() throws(Complaint) -> ExitCode {
    let command = command
    return try command.run {
      // Another thread looks, for this one is about to serve.
      _ = try? Thread.start(name: "notify") {
        guard (try? Files.status(of: command.mountPoint)) != nil else { return }
        ServiceManager.tell("READY=1\nSTATUS=mounted")
        Self.notify(command.settings)
      }
    }
  }

  // MARK: - The child

  /// Serves the mount; says why not, where it ends with an error.
  private static func serve(
    _ command: MountCommand, reporting writer: borrowing Descriptor
  ) -> Int32 {
    Kdbxfs.saying { () throws(Complaint) in
      try command.run { detach(command, reporting: writer) }
    }.rawValue
  }

  /// Leaves the terminal, its session and its folder, and tells the parent.
  private static func detach(_ command: MountCommand, reporting writer: borrowing Descriptor) {
    try? Process.startSession()
    try? Files.changeDirectory(to: "/")
    try? writer.writeAll([1].span)
    command.log.moveToSystemLog()
    try? Process.detachStandardStreams()
  }

  // MARK: - The parent

  private func waitForMount(
    by child: Int32, _ reader: borrowing Descriptor
  ) throws(Complaint) -> ExitCode {
    let signals = try Self.system("signals can't be waited for") { () throws(Errno) in
      try Signals.descriptor(for: EndingSignals.all)
    }
    while true {
      let happened = try Self.system("the mount can't be waited for") { () throws(Errno) in
        try poll([
          PollRequest(reader.number, .readable), PollRequest(signals.number, .readable),
        ])
      }
      if !happened[1].isEmpty, let signal = try? Signals.next(from: signals) {
        try? Signals.send(signal, to: child)
      }
      if happened[0].isEmpty { continue }
      var report = WipedBuffer()
      let count = (try? reader.read(atMost: 1, into: &report)) ?? 0
      // Asking for the mount's status waits until it answers.
      if count == 1, (try? Files.status(of: command.mountPoint)) != nil {
        ServiceManager.tell("MAINPID=\(child)\nREADY=1\nSTATUS=mounted")
        Self.notify(command.settings)
        return .success
      }
      return try ending(of: child)
    }
  }

  /// What the child, which is about to end, ends with; it has said why.
  private func ending(of child: Int32) throws(Complaint) -> ExitCode {
    let end = try Self.system("the mount can't be waited for") { () throws(Errno) in
      try Process.wait(for: child)
    }
    switch end {
    case .exited(let status):
      return ExitCode(rawValue: status) ?? .fuse
    case .killed(let signal):
      if EndingSignals.all.contains(signal) { return .interrupted }
      throw Complaint(
        "the process that was to serve the mount died (signal \(signal.rawValue))",
        exitCode: .fuse)
    }
  }

  private static func notify(_ settings: Settings) {
    if let process = settings.notifiedProcess { try? Signals.send(.user1, to: process) }
  }

  private static func system<R: ~Copyable>(
    _ failing: String, _ body: () throws(Errno) -> R
  ) throws(Complaint) -> R {
    do throws(Errno) { return try body() } catch {
      throw Complaint("\(failing): \(error)", exitCode: .fuse)
    }
  }
}
