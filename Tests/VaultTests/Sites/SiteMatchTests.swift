import Testing

@testable import Vault

@Suite struct SiteMatchTests {
  /// Two labels, as if `org`, `com`, `net` and the like were all suffixes there are.
  static func domain(_ host: [UInt8]) -> [UInt8]? {
    let labels = host.split(separator: UInt8(ascii: "."))
    guard labels.count >= 2 else { return nil }
    return Array(labels.suffix(2).joined(separator: [UInt8(ascii: ".")]))
  }

  static func match(_ host: String, _ hosts: [String]) -> SiteMatch {
    SiteMatch(
      of: HostName(Array(host.utf8)), among: hosts.map { Array($0.utf8) },
      registrableDomain: domain)
  }

  static func texts(_ names: [[UInt8]]) -> [String] {
    names.map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func `the same host comes first, then its domain, and no other`() {
    let match = Self.match(
      "Gist.GitHub.com.", ["github.com", "gist.github.com", "gitlab.com", "com", "192.168.0.1"])
    #expect(Self.texts(match.same) == ["gist.github.com"])
    #expect(Self.texts(match.related) == ["github.com"])
    #expect(match.lookalikes.isEmpty)
  }

  @Test func `numbers and single names have no domain`() {
    let numbers = Self.match("10.0.0.1", ["10.0.0.1", "11.0.0.1", "[::1]"])
    #expect(Self.texts(numbers.same) == ["10.0.0.1"])
    #expect(numbers.related.isEmpty && numbers.lookalikes.isEmpty)
    #expect(Self.match("nas", ["nas", "nos"]).related.isEmpty)
  }

  @Test func `one spelling of a name stands for the other`() {
    #expect(Self.texts(Self.match("xn--bcher-kva.example", ["bücher.example"]).same).count == 1)
    #expect(Self.texts(Self.match("BÜCHER.example", ["xn--bcher-kva.example"]).same).count == 1)
  }

  static let lookalikes = [
    "githib.com", "githubb.com", "gihtub.com", "g1thub.com", "github.co", "gіthub.com",
    "xn--gthub-n2e.com", "github.com.example.org", "login.githib.com",
  ]

  @Test(arguments: lookalikes)
  func `a lookalike is told`(host: String) {
    let match = Self.match(host, ["github.com", "example.net"])
    #expect(match.same.isEmpty && match.related.isEmpty)
    #expect(Self.texts(match.lookalikes) == ["github.com"])
  }

  @Test(arguments: ["gitlab.com", "bitbucket.org", "hub.com", "github.example.org", "tax.com"])
  func `another name is none`(host: String) {
    #expect(Self.match(host, ["github.com", "abc.com", "max.com"]).lookalikes.isEmpty)
  }

  @Test func `letters that look like two are told`() {
    #expect(Self.texts(Self.match("exarnple.org", ["example.org"]).lookalikes) == ["example.org"])
    #expect(Self.texts(Self.match("tvvitter.com", ["twitter.com"]).lookalikes) == ["twitter.com"])
  }

  @Test(arguments: [
    ("https://user:pw@GitHub.com:8443/login?x#y", "github.com"), ("github.com/login", "github.com"),
    ("nas", "nas"), ("http://[::1]:80/", "[::1]"),
  ])
  func `an address has a host`(address: String, host: String) {
    #expect(HostName(ofAddress: Array(address.utf8))?.bytes == Array(host.utf8))
  }

  @Test(arguments: ["", "mailto:someone", "/etc/passwd", "https:///x"])
  func `another has none`(address: String) {
    #expect(HostName(ofAddress: Array(address.utf8)) == nil)
  }
}

@Suite struct PunycodeTests {
  /// From RFC 3492, 7.1, and what browsers show.
  static let labels = [
    ("bcher-kva", "bücher"), ("egbpdaj6bu4bxfgehfvwxn", "ليهمابتكلموشعربي؟"),
    ("ihqwcrb4cv8a8dqg056pqjye", "他们为什么不说中文"), ("-> $1.00 <--", "-> $1.00 <-"), ("", ""),
  ]

  @Test(arguments: labels)
  func `a label is read`(label: String, text: String) throws {
    let scalars = try #require(Punycode.decoded(Array(label.utf8)))
    #expect(scalars == Array(text.unicodeScalars))
  }

  @Test(arguments: ["a-é", "99999999", "a-!", "b-99999999999", String(repeating: "a", count: 64)])
  func `nonsense is refused`(label: String) {
    #expect(Punycode.decoded(Array(label.utf8)) == nil)
  }
}
