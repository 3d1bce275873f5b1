import Secrets

/// A part of an address, as `{URL:…}` names it.
enum AddressPart: CaseIterable, Hashable {
  case withoutScheme, scheme, host, port, path, query, fragment, userInfo, userName, password

  /// The part by KeePass' name for it, or KeePassXC's.
  init?(named name: Span<UInt8>) {
    let part = Self.allCases.first { part in
      part.names.contains { name.equalsIgnoringCase($0) }
    }
    guard let part else { return nil }
    self = part
  }

  private var names: [StaticString] {
    switch self {
    case .withoutScheme: ["RMVSCM", "WITHOUTSCHEME"]
    case .scheme: ["SCM", "SCHEME"]
    case .host: ["HOST"]
    case .port: ["PORT"]
    case .path: ["PATH"]
    case .query: ["QUERY"]
    case .fragment: ["FRAGMENT"]
    case .userInfo: ["USERINFO"]
    case .userName: ["USERNAME"]
    case .password: ["PASSWORD"]
    }
  }

  /// Where the part stands in `address`; empty where it has none.
  ///
  /// Parts are taken as they stand, percent encoding included. A query has its `?`, as in KeePass.
  func range(in address: Span<UInt8>) -> Range<Int> {
    let end = address.count
    let empty = end..<end
    let scheme = Self.schemeEnd(in: address)
    if self == .scheme { return 0..<(scheme ?? 0) }
    var start = scheme.map { $0 + 1 } ?? 0
    let slashes = start + 2
    let hasAuthority =
      slashes <= end && address[start] == UInt8(ascii: "/")
      && address[start + 1] == UInt8(ascii: "/")
    if hasAuthority { start = slashes }
    if self == .withoutScheme { return start..<end }
    let hash = address.firstIndex(of: UInt8(ascii: "#"), in: start..<end) ?? end
    let mark = address.firstIndex(of: UInt8(ascii: "?"), in: start..<hash) ?? hash
    let slash = address.firstIndex(of: UInt8(ascii: "/"), in: start..<mark) ?? mark
    // Without `//` there is an authority only where there is no scheme either: `example.org/path`.
    let authority = hasAuthority || scheme == nil ? start..<slash : start..<start
    switch self {
    case .scheme, .withoutScheme: return empty
    case .path: return authority.upperBound..<mark
    case .query: return mark..<hash
    case .fragment: return min(hash + 1, end)..<end
    case .host, .port, .userInfo, .userName, .password:
      return range(of: authority, in: address)
    }
  }

  private func range(of authority: Range<Int>, in address: Span<UInt8>) -> Range<Int> {
    var at: Int?
    for i in authority where address[i] == UInt8(ascii: "@") { at = i }
    let user = authority.lowerBound..<(at ?? authority.lowerBound)
    let colon = address.firstIndex(of: UInt8(ascii: ":"), in: user)
    switch self {
    case .userInfo: return user
    case .userName: return user.lowerBound..<(colon ?? user.upperBound)
    case .password: return (colon.map { $0 + 1 } ?? user.upperBound)..<user.upperBound
    default: break
    }
    let place = (at.map { $0 + 1 } ?? authority.lowerBound)..<authority.upperBound
    // The colons of an IPv6 address stand in brackets.
    var port: Int?
    for i in place.reversed() {
      if address[i] == UInt8(ascii: "]") { break }
      if address[i] == UInt8(ascii: ":") {
        port = i
        break
      }
    }
    if self == .host { return place.lowerBound..<(port ?? place.upperBound) }
    return (port.map { $0 + 1 } ?? place.upperBound)..<place.upperBound
  }

  /// The port that goes without saying for a scheme.
  static func usualPort(_ scheme: Span<UInt8>) -> StaticString? {
    if scheme.equalsIgnoringCase("https") { return "443" }
    if scheme.equalsIgnoringCase("http") { return "80" }
    if scheme.equalsIgnoringCase("ftp") { return "21" }
    return nil
  }

  /// Where the `:` after the scheme stands; nil for an address without one.
  ///
  /// `example.org:8080` has none: what follows a scheme's colon isn't a number.
  private static func schemeEnd(in address: Span<UInt8>) -> Int? {
    guard let colon = address.firstIndex(of: UInt8(ascii: ":"), in: address.indices), colon > 0
    else { return nil }
    for i in 0..<colon {
      let byte = lowercased(address[i])
      let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      let isOther =
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "+")
        || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      guard isLetter || (isOther && i > 0) else { return nil }
    }
    let next = colon + 1
    if next < address.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(address[next]) {
      return nil
    }
    return colon
  }
}

extension WipedBuffer {
  /// Appends a part of an address.
  mutating func append(_ address: Span<UInt8>, _ part: AddressPart) {
    let range = part.range(in: address)
    append(address.extracting(range))
    guard part == .port, range.isEmpty else { return }
    let scheme = address.extracting(AddressPart.scheme.range(in: address))
    if let port = AddressPart.usualPort(scheme) { append(port) }
  }
}
