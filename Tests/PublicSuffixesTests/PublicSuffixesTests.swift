import PublicSuffixes
import Testing

@Suite struct PublicSuffixesTests {
  @Test(arguments: [
    ("www.example.co.uk", "example.co.uk"), ("github.com", "github.com"), ("co.uk", nil),
    ("someone.github.io", "someone.github.io"), ("github.io", nil),
    ("a.b.bücher.example", "bücher.example"),
    ("www.städte.de", "städte.de"), ("www.xn--stdte-gra.de", "xn--stdte-gra.de"), ("", nil),
    ("com", nil),
  ])
  func `a host has a registrable part`(host: String, domain: String?) throws {
    try #require(PublicSuffixes.load())
    let found = PublicSuffixes.registrableDomain(of: Array(host.utf8))
    let expected = domain.map { Array($0.utf8) }
    #expect(found == expected)
  }

  @Test func `a name with a NUL is none`() throws {
    try #require(PublicSuffixes.load())
    #expect(PublicSuffixes.registrableDomain(of: [0x61, 0, 0x62]) == nil)
  }
}
