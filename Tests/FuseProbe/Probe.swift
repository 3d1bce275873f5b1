import Fuse
import Platform

/// A program of the tests: mounts a small file system, and serves it until it is unmounted.
///
/// A process that serves a mount and reads it can wait for itself, so the tests start this one.
///
///     fuse-probe memory|tree MOUNTPOINT [THREADS]
///
/// Says `mounted PID` when the mount answers, and `over` at the end.
enum Probe {
  static func run(arguments: [[UInt8]]) -> Int32 {
    let words = arguments.map { String(decoding: $0, as: UTF8.self) }
    guard words.count == 3 || words.count == 4 else { return usage() }
    let threads = words.count == 4 ? Int(words[3]) ?? 2 : 2
    do throws(FuseError) {
      switch words[1] {
      case "memory":
        let memory = MemoryFileSystem()
        try serve(memory, at: words[2], threads: threads) { memory.session = $0 }
      case "tree":
        try serve(MadeUpTree(), at: words[2], threads: threads) { _ in }
      default:
        return usage()
      }
    } catch {
      StandardStream.error.say("error: \(error)")
      return 1
    }
    StandardStream.output.say("over")
    return 0
  }

  private static func usage() -> Int32 {
    StandardStream.output.say("usage: fuse-probe memory|tree MOUNTPOINT [THREADS]")
    return 2
  }

  private static func serve(
    _ fileSystem: any FileSystem, at mountPoint: String, threads: Int,
    _ withSession: (FuseSession) -> Void
  ) throws(FuseError) {
    let session = try FuseSession(
      fileSystem, options: MountOptions(source: "probe,with \\comma", subtype: "probe"))
    withSession(session)
    try session.mount(at: Path(mountPoint))
    StandardStream.output.say("mounted \(Process.id)")
    do throws(Errno) { try session.run(threads: threads) } catch { throw .system(error) }
  }
}
