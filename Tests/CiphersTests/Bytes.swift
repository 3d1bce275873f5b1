import Secrets
import TestSupport

/// The bytes that `digits` spell, blanks ignored.
func hex(_ digits: String) -> [UInt8] {
  let values = digits.compactMap { $0.isWhitespace ? nil : $0.hexDigitValue }
  return stride(from: 0, to: values.count - 1, by: 2).map {
    UInt8(values[$0] << 4 | values[$0 + 1])
  }
}

func ascii(_ text: String) -> [UInt8] { Array(text.utf8) }

func randomBytes(_ count: Int, using random: inout SeededGenerator) -> [UInt8] {
  (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
}

/// `bytes` in pieces of random sizes, some empty.
func pieces(of bytes: [UInt8], upTo limit: Int, using random: inout SeededGenerator) -> [[UInt8]] {
  var pieces: [[UInt8]] = []
  var rest = bytes[...]
  while !rest.isEmpty {
    let piece = rest.prefix(Int.random(in: 0...limit, using: &random))
    rest = rest.dropFirst(piece.count)
    pieces.append(Array(piece))
  }
  return pieces
}

extension WipedBuffer {
  /// A copy of the bytes.
  var array: [UInt8] { unsafe bytes.withUnsafeBufferPointer { unsafe Array($0) } }
}

extension SecretBytes {
  /// A copy of the bytes.
  var array: [UInt8] {
    withBytes { unsafe $0.withUnsafeBufferPointer { unsafe Array($0) } }
  }
}
