import Ciphers
import Glibc
import KDBX
import Platform
import Secrets

/// One stage of opening a vault, alone, as the product does it: what `Limits/` is held against.
///
///     stage-timer argon2 d|id KIB PASSES LANES [RUNS]
///     stage-timer aes ROUNDS [RUNS]
///     stage-timer scan XML [RUNS]
///
/// Prints the medians of the runs: `{"wall_ms": …, "cpu_ms": …}`.
enum StageTimer {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    do {
      switch arguments.first {
      case "argon2" where arguments.count >= 5: try argon2(arguments)
      case "aes" where arguments.count >= 2: try aes(arguments)
      case "scan" where arguments.count >= 2: try scan(arguments)
      default:
        fail(
          "usage: stage-timer argon2 d|id KIB PASSES LANES [RUNS] | aes ROUNDS [RUNS] | scan XML [RUNS]"
        )
      }
    } catch {
      fail("stage-timer: \(error)")
    }
  }

  private static func argon2(_ arguments: [String]) throws {
    let variant: Argon2Variant = arguments[1] == "id" ? .id : .d
    let costs = arguments[2...4].map { UInt32($0) ?? 0 }
    try time(runs: runs(arguments, at: 5)) {
      let salt: [UInt8] = Array(repeating: 7, count: 32)
      let nothing: [UInt8] = []
      _ = try KeyDerivation.argon2(
        variant, version: 0x13, password: salt.span, salt: salt.span, secret: nothing.span,
        associatedData: nothing.span, memoryKiB: costs[0], iterations: costs[1], lanes: costs[2])
    }
  }

  private static func aes(_ arguments: [String]) throws {
    let rounds = UInt64(arguments[1]) ?? 0
    try time(runs: runs(arguments, at: 2)) {
      let bytes: [UInt8] = Array(repeating: 7, count: 32)
      _ = KeyDerivation.aes(composite: bytes.span, seed: bytes.span, rounds: rounds)
    }
  }

  /// The whole checked pass over the XML: what has to be done before anything can be looked at.
  private static func scan(_ arguments: [String]) throws {
    let buffer = SharedBuffer(try Files.readWhole(Path(arguments[1])))
    let key: [UInt8] = Array(repeating: 7, count: 64)
    try time(runs: runs(arguments, at: 2)) {
      let source = DocumentSource(
        buffer: buffer, innerStream: InnerStream(.chaCha20, key: key.span),
        sealingKey: SealingKey(), binaries: [])
      _ = try Document(
        source: source, xml: 0..<buffer.count, version: FormatVersion(major: 4, minor: 0))
    }
  }

  private static func runs(_ arguments: [String], at place: Int) -> Int {
    arguments.count > place ? max(1, Int(arguments[place]) ?? 5) : 5
  }

  /// Runs once uncounted, then `runs` times, and prints the medians.
  private static func time(runs: Int, _ stage: () throws -> Void) throws {
    try stage()
    var walls: [Double] = []
    var processors: [Double] = []
    for _ in 0..<runs {
      let start = (milliseconds(CLOCK_MONOTONIC), milliseconds(CLOCK_PROCESS_CPUTIME_ID))
      try stage()
      walls.append(milliseconds(CLOCK_MONOTONIC) - start.0)
      processors.append(milliseconds(CLOCK_PROCESS_CPUTIME_ID) - start.1)
    }
    print("{\"wall_ms\": \(median(walls)), \"cpu_ms\": \(median(processors))}")
  }

  private static func milliseconds(_ clock: clockid_t) -> Double {
    var time = timespec()
    _ = unsafe clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }

  private static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  private static func fail(_ text: String) -> Never {
    StandardStream.error.say(text)
    exit(2)
  }
}
