import Platform
import Secrets

/// Does what the first argument says, on behalf of a test.
///
/// Gives the exit status: 0, or 1 after a line on standard error.
func runProbe() -> Int32 {
  let arguments = Process.arguments.dropFirst().map { String(decoding: $0, as: UTF8.self) }
  switch arguments.first {
  case "ask": return ask()
  case "lock" where arguments.count == 2: return lock(Path(arguments[1]), mountPoint: nil)
  case "lock" where arguments.count == 3:
    return lock(Path(arguments[1]), mountPoint: Path(arguments[2]))
  case "replace" where arguments.count == 4:
    return replace(Path(arguments[1]), text: arguments[2], dyingAt: Int(arguments[3]) ?? 0)
  case "harden": return harden()
  default: return complain("ask | lock VAULT [MOUNTPOINT] | replace FILE TEXT CALL | harden")
  }
}

private func complain(_ text: String) -> Int32 {
  StandardStream.error.say(text)
  return 1
}

/// Asks on the terminal, and says to standard output what came of it.
private func ask() -> Int32 {
  do throws(Terminal.Failure) {
    let secret = try Terminal.readSecret(prompt: "Password: ")
    let text = secret.withBytes { bytes in
      String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
    }
    StandardStream.output.say("answer <\(text)>")
  } catch {
    StandardStream.output.say("\(error)")
  }
  return 0
}

/// Takes the lock, says so, and holds it until it is killed or its input ends.
private func lock(_ vault: Path, mountPoint: Path?) -> Int32 {
  do throws(FileLock.Failure) {
    let lock = try FileLock(vault: vault, mountPoint: mountPoint)
    StandardStream.output.say("locked")
    do throws(Errno) {
      _ = try Files.readWhole(try StandardStream.input.duplicate())
    } catch {}
    withExtendedLifetime(lock) {}
    return 0
  } catch {
    return complain("\(error)")
  }
}

/// Replaces a file, but dies at the given system call of it.
private func replace(_ path: Path, text: String, dyingAt call: Int) -> Int32 {
  let bytes = Array(text.utf8)
  let counter = Counter()
  do throws(ReplacementError) {
    _ = try AtomicReplacement.replace(
      path, with: bytes.span, verify: { _ in true },
      probe: { _ in
        if counter.next() == call { Signals.raiseDefault(.kill) }
      })
    return 0
  } catch {
    return complain("\(error)")
  }
}

private final class Counter {
  private var count = 0

  func next() -> Int {
    count += 1
    return count
  }
}

/// Hardens this process, and says whether its memory and its descriptors can be looked at.
private func harden() -> Int32 {
  do throws(Errno) {
    try ProcessHardening.apply()
    let status = try Files.status(of: "/proc/self/mem")
    // What belongs to root belongs to nobody else: so the kernel hides what isn't dumpable.
    StandardStream.output.say("owner \(status.owner)")
    let limits = try Files.readWhole("/proc/self/limits")
    let text = String(decoding: limits.bytes.indices.map { limits.bytes[$0] }, as: UTF8.self)
    for line in text.split(separator: "\n") where line.hasPrefix("Max core file size") {
      StandardStream.output.say(line.split(separator: " ").joined(separator: " "))
    }
    return 0
  } catch {
    return complain("\(error)")
  }
}
