import Secrets
import Testing

@Suite struct SecretBytesTests {
  private final class Held {
    let secret = SecretBytes(copying: [1, 2, 3].span)
  }

  /// A large one has memory of its own: a small one that found room at its end took all of it along.
  @Test(arguments: [16_385, 20_000, 116_000])
  func `a large one stays whole when small ones beside it go`(count: Int) {
    let large = SecretBytes(count: count) { for _ in 0..<count { $0.append(7) } }
    // More than the shared memory that is there has room for.
    var small = (0..<600).map { _ in Held() }
    small.removeAll()
    let isWhole = large.withBytes { bytes in bytes.indices.allSatisfy { bytes[$0] == 7 } }
    #expect(isWhole)
  }

  @Test(arguments: [0, 1, 32, 64, 65, 4096, 100_000])
  func `what goes in comes out`(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let secret = SecretBytes(copying: bytes.span)
    let same = secret.withBytes { span in
      span.count == count && span.indices.allSatisfy { span[$0] == bytes[$0] }
    }
    #expect(same)
  }

  @Test func `matching looks at every byte and at the length`() {
    let a = SecretBytes(copying: ([1, 2, 3] as [UInt8]).span)
    let same = a.matches(SecretBytes(copying: ([1, 2, 3] as [UInt8]).span))
    let other = a.matches(SecretBytes(copying: ([1, 2, 4] as [UInt8]).span))
    let longer = a.matches(SecretBytes(copying: ([1, 2, 3, 0] as [UInt8]).span))
    #expect(same)
    #expect(!other)
    #expect(!longer)
  }

  @Test func `a copy is another secret with the same bytes`() {
    let secret = SecretBytes(copying: ([1, 2, 3] as [UInt8]).span)
    let copy = secret.copy()
    let same = secret.matches(copy)
    let apart = secret.withBytes { one in
      copy.withBytes { two in
        unsafe one.withUnsafeBufferPointer { one in
          unsafe two.withUnsafeBufferPointer { two in unsafe one.baseAddress != two.baseAddress }
        }
      }
    }
    #expect(same)
    #expect(apart)
  }

  @Test func `printing shows nothing`() {
    let secret = SharedSecret(SecretBytes(copying: Array("horse".utf8).span))
    var dumped = ""
    dump(secret, to: &dumped)
    #expect("\(secret)" == "[secret]")
    #expect(!dumped.contains("horse") && !dumped.contains("104"))
  }

  @Test func `a fill that doesn't keep its word is a mistake of ours`() async {
    await #expect(processExitsWith: .failure) {
      _ = SecretBytes(count: 4) { $0.append(1) }.count
    }
  }

  @Test func `many secrets come and go on many threads`() async {
    await withTaskGroup(of: Bool.self) { group in
      for seed in 0..<8 as Range<UInt8> {
        group.addTask {
          (0..<500).allSatisfy { round in
            let bytes = [UInt8](repeating: seed, count: round * 7 % 300)
            let secret = SecretBytes(copying: bytes.span)
            return secret.withBytes { span in span.indices.allSatisfy { span[$0] == seed } }
          }
        }
      }
      for await right in group { #expect(right) }
    }
  }
}
