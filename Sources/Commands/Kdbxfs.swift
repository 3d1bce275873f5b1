package import Fuse
import Platform
package import Session

/// The program.
package enum Kdbxfs {
  /// Called on the threads that serve a mount before each request: for the programs of the tests, which
  /// do something between any two steps of another program.
  package typealias RequestHook = @Sendable (FuseRequest, VaultSession) -> Void

  /// Runs the command line, and gives the number to end with.
  ///
  /// Says every error itself: nothing is thrown out of `main`, where the runtime would print it with
  /// the registers. Call it first thing in `main`, and once.
  ///
  /// `surroundings` are what a mount takes from the machine; asked for in the process that serves it.
  package static func run(
    _ arguments: [[UInt8]],
    in surroundings: @escaping SessionSurroundings.Maker = SessionSurroundings.machine,
    beforeRequest: RequestHook? = nil
  ) -> Int32 {
    do throws(Errno) {
      try ProcessHardening.apply()
    } catch {
      StandardStream.error.say("kdbxfs: error: this process can't be protected: \(error)")
      return ExitCode.fuse.rawValue
    }
    Signals.ignorePipe()
    return saying { () throws(Complaint) in
      try perform(ArgumentParser.parse(arguments), in: surroundings, beforeRequest)
    }.rawValue
  }

  /// Runs `body` and says why it failed, if it did; gives the code to end with.
  static func saying(_ body: () throws(Complaint) -> ExitCode) -> ExitCode {
    do throws(Complaint) {
      return try body()
    } catch {
      if error.exitCode != .success {
        for line in error.lines { StandardStream.error.say(line) }
      }
      return error.exitCode
    }
  }

  private static func perform(
    _ invocation: Invocation, in surroundings: @escaping SessionSurroundings.Maker,
    _ beforeRequest: RequestHook?
  ) throws(Complaint) -> ExitCode {
    switch invocation {
    case .mount(let vault, let mountPoint, let settings):
      let command = MountCommand(
        vault: vault, mountPoint: mountPoint, settings, in: surroundings,
        beforeRequest: beforeRequest)
      return try MountLauncher(command).run()
    case .mountNamed(let name, let options):
      let invocation = try NamedVault(name).invocation(adding: options)
      return try perform(invocation, in: surroundings, beforeRequest)
    case .command(let name, let words, let settings):
      guard let command = CommandSpec.named(name) else { throw .usage("no command '\(name)'") }
      return try command.run(words, settings)
    case .help(let name):
      let text = name.flatMap { CommandSpec.named($0) }.map { Usage.help(for: $0) } ?? Usage.help
      try VaultCommands.write(Array(text.utf8))
    case .version: try VaultCommands.write(Array("\(Usage.version)\n".utf8))
    }
    return .success
  }
}
