import Testing

@testable import Vault

@Suite struct SiteAddressTests {
  static func address(_ text: String) throws -> SiteAddress {
    try #require(SiteAddress(Array(text.utf8)))
  }

  static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  @Test func `all parts`() throws {
    let address = try Self.address("HTTPS://al%40ice:pw@Git.Example.org:8443//team/my%20repo/?x#y")
    #expect(Self.text(address.scheme) == "https")
    #expect(Self.text(address.host.bytes) == "git.example.org")
    #expect(Self.text(address.port) == "8443")
    #expect(Self.text(address.user) == "al@ice")
    #expect(Self.text(address.path) == "team/my repo")
  }

  @Test func `what goes without saying`() throws {
    #expect(try Self.address("https://a.org:443/").port.isEmpty)
    #expect(try Self.address("http://a.org:443/").port == Array("443".utf8))
    #expect(try Self.address("a.org/x").scheme.isEmpty)
    #expect(SiteAddress(Array("/srv/alice/key".utf8)) == nil)
    #expect(SiteAddress(Array("mailto:alice@example.org".utf8)) == nil)
  }

  @Test(arguments: ["a.org/x", "b@a.org", "a.org?x", "a.org#x", ""])
  func `a host with more than a port is none`(host: String) {
    #expect(
      SiteAddress(scheme: Array("https".utf8), hostAndPort: Array(host.utf8), path: []) == nil)
  }

  /// An address in a vault, one that is asked for, and how close they are.
  @Test(arguments: [
    ("https://a.org", "https://a.org", 1),
    ("a.org", "https://a.org/x", 0),
    ("https://a.org:443/", "https://A.org.", 1),
    ("https://a.org/team", "https://a.org/team/repo.git", 4),
    ("https://a.org/team/", "https://a.org/team", 4),
    ("https://a.org/team", "https://a.org", 0),
    ("https://xn--bcher-kva.example", "https://bücher.example", 1),
    ("https://a.org/team", "https://a.org/teams/repo.git", nil),
    ("https://a.org", "http://a.org", nil),
    ("a.org", "ssh://a.org", nil),
    ("https://a.org:8443", "https://a.org", nil),
    ("https://a.org", "https://b.a.org", nil),
    ("https://a.org", "https://a.org.b.org", nil),
  ])
  func `a password fits`(own: String, asked: String, closeness: Int?) throws {
    #expect(try Self.address(own).closeness(to: Self.address(asked)) == closeness)
  }

  @Test func `parts that are taken apart already are taken as they are`() throws {
    let asked = SiteAddress(
      scheme: Array("https".utf8), hostAndPort: Array("a.org:444".utf8),
      path: Array("my %20?#repo".utf8))
    #expect(asked?.path == Array("my %20?#repo".utf8))
    #expect(asked?.port == Array("444".utf8))
  }
}
