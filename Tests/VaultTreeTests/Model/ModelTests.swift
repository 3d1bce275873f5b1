import Glibc
import Testing

@testable import VaultTree

/// Random operations on a tree and on a model of it, which must agree.
///
/// A run is its seed: a failure comes back with it. `KDBXFS_MODEL_SEEDS=FIRST:COUNT` runs others.
@Suite struct ModelTests {
  static let operations = 60

  static var seeds: [UInt64] {
    let named = unsafe getenv("KDBXFS_MODEL_SEEDS").map { unsafe String(cString: $0) }
    let parts = (named ?? "1:160").split(separator: ":").compactMap { UInt64($0) }
    guard parts.count == 2 else { return [] }
    return Array(parts[0]..<(parts[0] + parts[1]))
  }

  /// Seeds in a few lots: a test of its own each would print thousands of lines.
  @Test(arguments: 0..<8)
  func `a tree and its model agree`(lot: Int) throws {
    var operations = 0
    for seed in Self.seeds where Int(seed % 8) == lot {
      let run = try ModelRun(seed: seed)
      do {
        for number in 0..<Self.operations {
          try run.step()
          operations += 1
          if number % 10 == 9 { try run.compare() }
        }
      } catch {
        Issue.record(
          """
          seed \(seed): \(error)
          after:
          \(run.log.joined(separator: "\n"))
          """)
        return
      }
    }
    #expect(operations > 0)
  }
}
