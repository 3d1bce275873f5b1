import Secrets
import Synchronization

/// The key stream of KDBX's ArcFourVariant, which no library has: its key setup isn't RC4's, it swaps
/// the first byte of the state again and again (`docs/kdbx.md`, the inner stream).
///
/// The stream can only be made from its start on, so what was made is kept, in memory that is
/// overwritten. Only old files, of KeePass 2.0x, are enciphered so.
final class ArcFourVariant: Sendable {
  private struct State: ~Copyable {
    var permutation: WipedBuffer
    var i: UInt8 = 0
    var j: UInt8 = 0
    var made = WipedBuffer()

    mutating func next() -> UInt8 {
      i &+= 1
      let i = Int(i)
      let first = permutation.bytes[i]
      j &+= first
      let j = Int(j)
      let second = permutation.bytes[j]
      var bytes = permutation.mutableBytes
      bytes.swapAt(i, j)
      return bytes[Int(first &+ second)]
    }
  }

  private let state: Mutex<State>

  /// - Precondition: `key` isn't empty.
  init(key: Span<UInt8>) {
    precondition(!key.isEmpty, "ArcFourVariant needs a key")
    var permutation = WipedBuffer(capacity: 256)
    for value in UInt8.min ... .max { permutation.append(value) }
    var j: UInt8 = 0
    var bytes = permutation.mutableBytes
    for w in 0..<256 {
      j &+= bytes[w] &+ key[w % key.count]
      bytes.swapAt(0, Int(j))
    }
    var state = State(permutation: permutation)
    for _ in 0..<512 { _ = state.next() }
    self.state = Mutex(state)
  }

  func apply(at offset: Int, to bytes: inout MutableSpan<UInt8>) {
    let count = bytes.count
    state.withLock { state in
      while state.made.count < offset + count {
        let byte = state.next()
        state.made.append(byte)
      }
      let stream = state.made.bytes
      for k in 0..<count { bytes[k] ^= stream[offset + k] }
    }
  }
}
