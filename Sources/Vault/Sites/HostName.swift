import ByteCoding
import Secrets

/// The name of a host, spelt so that equal ones compare equal: small letters, Unicode instead of `xn--…`,
/// no dot at the end.
package struct HostName: Hashable, Sendable {
  /// UTF-8.
  package let bytes: [UInt8]

  /// Reads a host name.
  package init(_ name: [UInt8]) {
    var folded = WipedBuffer()
    folded.append(foldingCaseOf: name.span)
    var text = folded.bytes.copied()
    if text.last == UInt8(ascii: ".") { text.removeLast() }
    let dot = UInt8(ascii: ".")
    let prefix = Array("xn--".utf8)
    let labels = text.split(separator: dot, omittingEmptySubsequences: false).map { label in
      guard label.starts(with: prefix), let letters = Punycode.decoded(label.dropFirst(4)) else {
        return Array(label)
      }
      return letters.flatMap { Array(String($0).utf8) }
    }
    bytes = Array(labels.joined(separator: [dot]))
  }

  /// The host of an address as people type one, with or without a scheme; nil where it has none.
  package init?(ofAddress address: [UInt8]) {
    let range = AddressPart.host.range(in: address.span)
    guard !range.isEmpty else { return nil }
    self.init(Array(address[range]))
  }

  /// Whether it is a number, of IPv4 or IPv6, which belongs to no domain.
  package var isAddress: Bool {
    bytes.contains(UInt8(ascii: ":"))
      || bytes.allSatisfy { $0 == UInt8(ascii: ".") || isDigit($0) }
  }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }
}
