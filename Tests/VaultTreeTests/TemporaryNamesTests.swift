import Testing

@testable import VaultTree

@Suite struct TemporaryNamesTests {
  static func isTemporary(_ name: String, exclusive: Bool = false) -> Bool {
    let standing: Set<[UInt8]> = [Array("url".utf8), Array("Recovery codes".utf8)]
    return TemporaryNames.isTemporary(Array(name.utf8), isExclusive: exclusive) {
      standing.contains($0)
    }
  }

  @Test(arguments: [
    ".url.swp", ".url.swo", ".url.swx", ".url.swpx", ".url.un~", ".#url", ".url.a1B2c3", "url~",
    "#url", "#url#", "url.oXyZ123", "url.save", "url.bak", ".Recovery codes.swp",
    "Recovery codes~", "4913", "DEADJOE", ".goutputstream-Q1W2E3",
  ])
  func `what is made from a name that stands there is temporary`(name: String) {
    #expect(Self.isTemporary(name))
  }

  @Test(arguments: [
    "url", ".npmrc", ".user.swp", "user~", "backup~", "#user#", ".url", ".url.", ".url.a1B2c",
    ".url.a1B2c34", "url.o12345", "url.bak2", "url.save.1", "~", "#", "##", ".#", ".swp", "49131",
    "DEADJOE2", ".goutputstream-", ".goutputstream-Q1W2E", ".goutputstream-Q1W2E34", "url.org",
    ".un~", "", "sedABC123", "tmpabcd1234", "XXabcdE1",
  ])
  func `every other name is the user's`(name: String) {
    #expect(!Self.isTemporary(name))
  }

  @Test(arguments: [
    (".new.swp", false), (".new.swpx", false), (".new.un~", false), (".#new", false),
    ("#new#", false), (".new.a1B2c3", true),
  ])
  func `an editor's name counts before the file is there, if that was asked for`(
    name: String, onlyExclusive: Bool
  ) {
    func isTemporary(_ sought: String, exclusive: Bool) -> Bool {
      TemporaryNames.isTemporary(
        Array(name.utf8), isExclusive: exclusive, stands: { _ in false },
        wasSought: { $0 == Array(sought.utf8) })
    }
    #expect(isTemporary("new", exclusive: true))
    #expect(isTemporary("new", exclusive: false) == !onlyExclusive)
    #expect(!isTemporary("other", exclusive: true))
  }

  @Test(arguments: ["new~", "#new", "new.bak", "new.save", "new"])
  func `a user's name doesn't, whatever was asked for`(name: String) {
    let isTemporary = TemporaryNames.isTemporary(
      Array(name.utf8), isExclusive: true, stands: { _ in false }, wasSought: { _ in true })
    #expect(!isTemporary)
  }

  @Test(arguments: [
    ("sedAbCdEf", true), ("sed000000", true), ("sedabcdef", false), ("sedabcde_", true),
    ("sedAbCdE", false), ("sedAbCdEfg", false), ("XXabcd3f", true), ("XXabcdef", false),
    ("tmpab12cd34", true), ("tmpabcdefgh", false), ("tmppassword", false), ("tmp_assword", true),
    ("tmp-b12cd34", false),
  ])
  func `random names count when made with O_EXCL, and look random`(name: String, isIt: Bool) {
    #expect(Self.isTemporary(name, exclusive: true) == isIt)
    #expect(!Self.isTemporary(name, exclusive: false))
  }
}
