import Secrets
import Testing

@Suite struct SecretBytesTests {
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
}
