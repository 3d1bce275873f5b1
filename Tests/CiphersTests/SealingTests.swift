import Ciphers
import Secrets
import TestSupport
import Testing

@Suite struct SealingTests {
  @Test(arguments: [0, 1, 63, 64, 65, 1000, 100_000])
  func `what is sealed opens again, whole and in part`(count: Int) {
    var random = SeededGenerator(seed: UInt64(count))
    let plain = randomBytes(count, using: &random)
    let sealed = SealingKey().seal(plain.span)
    #expect(sealed.count == count)
    var opened = WipedBuffer(copying: ascii("before").span)
    sealed.open(into: &opened)
    #expect(opened.array == ascii("before") + plain)
    for _ in 0..<10 {
      let start = Int.random(in: 0...count, using: &random)
      let end = Int.random(in: start...count, using: &random)
      var part = WipedBuffer()
      sealed.open(range: start..<end, into: &part)
      #expect(part.array == Array(plain[start..<end]))
    }
  }

  @Test func `bytes are sealed where they are`() {
    let plain = ascii("correct horse battery staple")
    let key = SealingKey()
    var buffer = WipedBuffer(copying: plain.span)
    var bytes = buffer.mutableBytes
    let nonce = key.sealInPlace(&bytes)
    let sealed = buffer.array
    #expect(sealed != plain)
    var again = buffer.mutableBytes
    key.open(nonce, &again)
    #expect(buffer.array == plain)
    var part = WipedBuffer()
    key.open(nonce, sealed[8..<13].span, at: 8, into: &part)
    #expect(part.array == ascii("horse"))
  }

  @Test func `no two sealings are alike`() {
    let key = SealingKey()
    let plain = [UInt8](repeating: 0, count: 32)
    let sealings = (0..<200).map { _ in
      var buffer = WipedBuffer(copying: plain.span)
      var bytes = buffer.mutableBytes
      let nonce = key.sealInPlace(&bytes)
      return (nonce, buffer.array)
    }
    #expect(Set(sealings.map { $0.0 }).count == sealings.count)
    #expect(Set(sealings.map { $0.1 }).count == sealings.count)
  }

  @Test func `random bytes differ`() {
    #expect(randomBytes(32) != randomBytes(32))
    #expect(randomBytes(0) == [])
    let same = SecretBytes.random(32).matches(SecretBytes.random(32))
    #expect(!same)
  }
}
