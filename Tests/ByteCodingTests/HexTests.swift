import ByteCoding
import Testing

@Suite struct HexTests {
  static let vectors: [(bytes: [UInt8], text: String)] = [
    ([], ""),
    ([0x00], "00"),
    ([0x63, 0x0D, 0xCD, 0x29], "630dcd29"),
    ([0xFF, 0xAB, 0x10], "ffab10"),
  ]

  @Test(arguments: vectors)
  func `both directions, both cases`(bytes: [UInt8], text: String) {
    let lower = Array(text.utf8)
    let upper = Array(text.uppercased().utf8)
    #expect(Hex.encode(bytes.span) == lower)
    #expect(Hex.encode(bytes.span, uppercase: true) == upper)
    #expect(Hex.decode(lower.span) == bytes)
    #expect(Hex.decode(upper.span) == bytes)
  }

  @Test(arguments: ["0", "0g", "g0", "/0", ":0", "@0", "G0", "`0", "00 ", " 00", "000"])
  func `anything else is refused`(text: String) {
    #expect(Hex.decode(Array(text.utf8).span) == nil)
  }

  @Test func `every byte is digits or isn't`() {
    let digits = (UInt8.min ... .max).filter { Hex.digit($0) != nil }
    #expect(digits == Array("0123456789ABCDEFabcdef".utf8))
  }
}
