import ByteCoding

/// An address, as far as it says for what a password is good: scheme, host, port and path.
package struct SiteAddress: Hashable, Sendable {
  /// In small letters; empty where the address has none.
  package let scheme: [UInt8]
  package let host: HostName
  /// Empty where it is the scheme's own.
  package let port: [UInt8]
  /// Empty where the address has none.
  package let user: [UInt8]
  /// Without a slash at either end, and without what `%` spells; neither query nor fragment.
  package let path: [UInt8]

  /// Reads an address as people type one, with or without a scheme; nil where it has no host.
  package init?(_ address: [UInt8]) {
    let path = Self.decoded(AddressPart.path, of: address)
    self.init(authority: address, path: path)
  }

  /// Puts one together from parts that are already taken apart; nil where `hostAndPort` is more than that.
  package init?(scheme: [UInt8], hostAndPort: [UInt8], path: [UInt8]) {
    guard !scheme.isEmpty, !hostAndPort.contains(where: { "/?#@".utf8.contains($0) }) else {
      return nil
    }
    self.init(authority: scheme + Array("://".utf8) + hostAndPort, path: path)
  }

  /// As an address has them: the port with a colon before it, and none where it is the scheme's own.
  package var hostAndPort: [UInt8] {
    host.bytes + (port.isEmpty ? [] : [UInt8(ascii: ":")] + port)
  }

  private init?(authority address: [UInt8], path: [UInt8]) {
    guard let host = HostName(ofAddress: address) else { return nil }
    self.host = host
    scheme = Self.part(.scheme, of: address).map { lowercased($0) }
    user = Self.decoded(.userName, of: address)
    let port = Self.part(.port, of: address)
    self.port = Self.isUsual(port, for: scheme) ? [] : port
    let slash = UInt8(ascii: "/")
    self.path = Array(path.split(separator: slash).joined(separator: [slash]))
  }

  private static func part(_ part: AddressPart, of address: [UInt8]) -> [UInt8] {
    Array(address[part.range(in: address.span)])
  }

  private static func decoded(_ part: AddressPart, of address: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    PercentEncoding.decode(self.part(part, of: address).span) { text.append($0) }
    return text
  }

  private static func isUsual(_ port: [UInt8], for scheme: [UInt8]) -> Bool {
    guard let usual = AddressPart.usualPort(scheme.span) else { return false }
    return port.span.equalsIgnoringCase(usual)
  }

  /// How closely a password for this site fits one that is asked for; nil: not at all.
  ///
  /// Scheme (none means `https`), host and port are the same, and a path that is asked for lies at or
  /// below this one's. The longer this one's path, the closer; where none is asked for, one without a path
  /// is closer than any other.
  package func closeness(to asked: SiteAddress) -> Int? {
    let usual = Array("https".utf8)
    func spelt(_ scheme: [UInt8]) -> [UInt8] { scheme.isEmpty ? usual : scheme }
    guard spelt(scheme) == spelt(asked.scheme), host == asked.host, port == asked.port else {
      return nil
    }
    if asked.path.isEmpty { return path.isEmpty ? 1 : 0 }
    if path.isEmpty { return 0 }
    let isBelow = asked.path.starts(with: path + [UInt8(ascii: "/")])
    return asked.path == path || isBelow ? path.count : nil
  }
}
