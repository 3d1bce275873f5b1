import ByteCoding
import Secrets

/// How a secret is written down as text.
enum OneTimeEncoding: CaseIterable {
  case text, hex, base32, base64

  /// The encoding by the name that KeeOtp2 has for it; base32 where it names none.
  init(named name: Span<UInt8>) throws(OneTimeProblem) {
    if name.isEmpty || name.equalsIgnoringCase("base32") {
      self = .base32
    } else if name.equalsIgnoringCase("base64") {
      self = .base64
    } else if name.equalsIgnoringCase("hex") {
      self = .hex
    } else if name.equalsIgnoringCase("utf8") || name.equalsIgnoringCase("utf-8") {
      self = .text
    } else {
      throw .malformedSecret
    }
  }

  /// The key that `text` spells.
  func decode(_ text: Span<UInt8>) throws(OneTimeProblem) -> WipedBuffer {
    guard !text.isEmpty else { throw .noSecret }
    switch self {
    case .text: return WipedBuffer(copying: text)
    case .base32: return try OneTimeParameters.base32(text)
    case .hex: return try Self.hex(text)
    case .base64: return try Self.base64(text)
    }
  }

  /// Hex digits in either case, blanks between them as people write them.
  private static func hex(_ text: Span<UInt8>) throws(OneTimeProblem) -> WipedBuffer {
    var key = WipedBuffer(capacity: text.count / 2)
    var high: UInt8?
    for i in text.indices where !isASCIIWhiteSpace(text[i]) && text[i] != UInt8(ascii: "-") {
      guard let digit = Hex.digit(text[i]) else { throw .malformedSecret }
      if let first = high {
        key.append(first << 4 | digit)
        high = nil
      } else {
        high = digit
      }
    }
    guard high == nil else { throw .malformedSecret }
    guard key.count > 0 else { throw .noSecret }
    return key
  }

  private static func base64(_ text: Span<UInt8>) throws(OneTimeProblem) -> WipedBuffer {
    var key = WipedBuffer()
    do throws(Base64Error) {
      let count = try Base64.decodedCount(of: text)
      try key.append(atMost: count) { (output) throws(Base64Error) in
        try Base64.decode(text, into: &output)
      }
    } catch {
      throw .malformedSecret
    }
    guard key.count > 0 else { throw .noSecret }
    return key
  }

  /// Appends `key` as text; false, and nothing appended, where it can't be (bytes that are no text).
  func encode(_ key: Span<UInt8>, into output: inout WipedBuffer) -> Bool {
    switch self {
    case .text:
      guard TextCheck.firstProblem(in: key) == nil else { return false }
      output.append(key)
    case .base32: Base32.encode(key, into: &output)
    case .hex:
      for i in key.indices {
        output.append(Self.digit(key[i] >> 4))
        output.append(Self.digit(key[i] & 15))
      }
    case .base64:
      output.append(atMost: Base64.encodedCount(of: key.count)) { output in
        Base64.encode(key, into: &output)
      }
    }
    return true
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
  }
}
