import Fuse
import Testing

/// How a request reads in a log.
struct FuseRequestTests {
  static func text(_ names: [UInt8]..., detail: String = "") -> String {
    FuseRequest(
      number: 17, call: .rename, inode: InodeNumber(rawValue: 5), names: names, detail: detail
    ).description
  }

  @Test func `it names the call, the file and the names`() {
    #expect(
      Self.text(Array("url".utf8), Array("url~".utf8), detail: "to 5")
        == "17 RENAME 5 'url' 'url~' to 5")
    #expect(Self.text() == "17 RENAME 5")
    #expect(Self.text(Array("größer".utf8)) == "17 RENAME 5 'größer'")
  }

  @Test(arguments: [
    ([0x61, 0x0A, 0x62], "'a\\x0ab'"), ([0x27], "'\\x27'"), ([0x5C], "'\\x5c'"),
    ([0x61, 0xFF], "'a\\xff'"), ([0xC3, 0xA4, 0xC3], "'\\xc3\\xa4\\xc3'"), ([0x7F], "'\\x7f'"),
  ])
  func `no name makes a second line`(name: [UInt8], text: String) {
    #expect(Self.text(name) == "17 RENAME 5 \(text)")
  }

  @Test func `what may change something is known`() {
    let reading: Set<FuseRequest.Call> = [
      .lookup, .getAttributes, .readLink, .statistics, .read, .synchronize, .openDirectory,
      .readDirectory, .readDirectoryPlus, .releaseDirectory, .synchronizeDirectory,
      .getExtendedAttribute, .listExtendedAttributes,
    ]
    for call in FuseRequest.Call.allCases { #expect(call.mayChange == !reading.contains(call)) }
  }
}
