import ByteCoding
import Secrets

/// The `name=value` pairs of a URI's query, also KeeOtp's, which is a query without a URI.
///
/// Holds its own copy of the text, in memory that is overwritten.
struct QueryParameters: ~Copyable {
  private let text: WipedBuffer

  init(_ query: Span<UInt8>) {
    text = WipedBuffer(copying: query)
  }

  /// The value of the first parameter of that name, percent encoding undone.
  ///
  /// Empty when there is none. Small and capital letters of the name count as one.
  func value(of name: StaticString) -> WipedBuffer {
    var value = WipedBuffer()
    guard let range = range(of: name) else { return value }
    PercentEncoding.decode(text.bytes.extracting(range)) { value.append($0) }
    return value
  }

  /// Where the raw value of the first parameter of that name stands; nil when there is none.
  func range(of name: StaticString) -> Range<Int>? {
    let bytes = text.bytes
    var start = 0
    while start <= bytes.count {
      let end = bytes.firstIndex(of: UInt8(ascii: "&"), in: start..<bytes.count) ?? bytes.count
      let equals = bytes.firstIndex(of: UInt8(ascii: "="), in: start..<end) ?? end
      let key = bytes.extracting(start..<equals)
      if key.extracting(key.trimmedRange).equalsIgnoringCase(name) {
        return min(equals + 1, end)..<end
      }
      start = end + 1
    }
    return nil
  }
}
