import Platform

/// The program.
package enum Kdbxfs {
  /// Runs the command line, and gives the number to end with.
  ///
  /// Says every error itself: nothing is thrown out of `main`, where the runtime would print it with
  /// the registers. Call it first thing in `main`, and once.
  package static func run(_ arguments: [[UInt8]]) -> Int32 {
    do throws(Errno) {
      try ProcessHardening.apply()
    } catch {
      StandardStream.error.say("kdbxfs: error: this process can't be protected: \(error)")
      return ExitCode.fuse.rawValue
    }
    Signals.ignorePipe()
    return saying { () throws(Complaint) in
      try perform(ArgumentParser.parse(arguments))
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

  private static func perform(_ invocation: Invocation) throws(Complaint) -> ExitCode {
    switch invocation {
    case .mount(let vault, let mountPoint, let settings):
      let command = MountCommand(vault: vault, mountPoint: mountPoint, settings)
      return try MountLauncher(command).run()
    case .unmount(let mountPoint, let settings):
      try ControlCommands.unmount(mountPoint, lazily: settings.detachesLazily)
    case .save(let mountPoint, _): try ControlCommands.save(mountPoint)
    case .status(let mountPoint, let settings):
      try ControlCommands.status(mountPoint, asJSON: settings.printsJSON)
    case .list(let vault, let path, let settings):
      try VaultCommands.list(vault, path: path, settings)
    case .concatenate(let vault, let paths, let settings):
      try VaultCommands.concatenate(vault, paths: paths, settings)
    case .information(let vault, _): try VaultCommands.information(vault)
    case .help: try VaultCommands.write(Array(Usage.help.utf8))
    case .version: try VaultCommands.write(Array("\(Usage.version)\n".utf8))
    }
    return .success
  }
}
