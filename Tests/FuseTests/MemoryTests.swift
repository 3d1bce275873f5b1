import Glibc
import Testing

/// What a serving process keeps of what went through it.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProbeMount.isPossible, "mounting needs root and /dev/fuse"))
struct MemoryTests {
  @Test(arguments: [20, 100_000])
  func `nothing written stays in the buffer that it was received into`(count: Int) throws {
    let mount = try ProbeMount()
    let secret = (0..<count).map { _ in UInt8.random(in: 0x61...0x7A) }
    let file = unsafe open(mount.path + "/drops", O_WRONLY | O_CREAT, 0o600)
    try #require(file >= 0)
    #expect(unsafe Glibc.write(file, secret, count) == count)
    close(file)
    #expect(try !Memory(of: mount.process).contains(secret.suffix(16)))
  }

  /// The guard above is worth nothing if the search finds nothing ever.
  @Test func `what is kept is found`() throws {
    let mount = try ProbeMount()
    let kept = (0..<20).map { _ in UInt8.random(in: 0x61...0x7A) }
    _ = mount.run("printf %s '\(String(decoding: kept, as: UTF8.self))' > kept")
    #expect(try Memory(of: mount.process).contains(kept.suffix(16)))
  }

  @Test func `requests are received into locked memory`() throws {
    let mount = try ProbeMount(threads: 3)
    let output = Shell.run("grep VmLck /proc/\(mount.process)/status", in: "/")
    let kibibytes = output.split { !$0.isNumber }.first.flatMap { Int($0) }
    #expect((kibibytes ?? 0) >= 3 * 1024)
  }

  @Test func `signals don't come to the threads that serve`() throws {
    let mount = try ProbeMount(threads: 2)
    _ = mount.run("ls")
    let output = Shell.run(
      """
      cd /proc/\(mount.process)/task
      for thread in *; do
        case $(cat $thread/comm) in fuse-[0-9]*|fuse-notices) sed -n 's/SigBlk:.//p' $thread/status;; esac
      done
      """, in: "/")
    let masks = output.split(separator: "\n").map { UInt64($0, radix: 16) ?? 0 }
    #expect(masks.count == 3, "two that serve, and the one that tells the kernel what to forget")
    for signal in [SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGALRM, SIGCHLD, SIGTSTP] {
      #expect(masks.allSatisfy { $0 & (1 << (signal - 1)) != 0 }, "signal \(signal)")
    }
  }
}

/// The writable memory of another process.
struct Memory {
  private let regions: [[UInt8]]

  init(of process: Int) throws {
    var regions: [[UInt8]] = []
    let memory = unsafe open("/proc/\(process)/mem", O_RDONLY)
    defer { close(memory) }
    try #require(memory >= 0)
    let map = Shell.run("cat /proc/\(process)/maps", in: "/")
    for line in map.split(separator: "\n") {
      let words = line.split(separator: " ")
      let ends = words[0].split(separator: "-").compactMap { Int($0, radix: 16) }
      guard ends.count == 2, words[1].contains("w"), ends[1] - ends[0] < 1 << 28 else { continue }
      var bytes = [UInt8](repeating: 0, count: ends[1] - ends[0])
      let count = unsafe pread(memory, &bytes, bytes.count, ends[0])
      regions.append(Array(bytes.prefix(max(0, count))))
    }
    self.regions = regions
  }

  func contains(_ bytes: ArraySlice<UInt8>) -> Bool {
    let wanted = Array(bytes)
    return regions.contains { region in
      unsafe region.withUnsafeBytes { region in
        unsafe wanted.withUnsafeBytes { wanted in unsafe Self.find(wanted, in: region) }
      }
    }
  }

  /// Looks for the first byte with `memchr`, for a debug build is slow otherwise.
  private static func find(
    _ wanted: UnsafeRawBufferPointer, in region: UnsafeRawBufferPointer
  ) -> Bool {
    guard let first = unsafe wanted.first, let text = wanted.baseAddress,
      let start = region.baseAddress
    else { return false }
    var from = 0
    while from + wanted.count <= region.count {
      let rest = region.count - wanted.count + 1 - from
      guard let hit = unsafe memchr(start + from, CInt(first), rest) else { return false }
      let offset = unsafe UnsafeRawPointer(hit) - start
      if unsafe memcmp(start + offset, text, wanted.count) == 0 { return true }
      from = offset + 1
    }
    return false
  }
}
