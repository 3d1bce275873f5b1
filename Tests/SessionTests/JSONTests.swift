import Testing

@testable import Session

@Suite struct JSONTests {
  static func read(_ text: String) -> JSONObject? {
    let bytes = Array(text.utf8)
    return JSONObject(reading: bytes.span)
  }

  static let objects: [JSONObject] = [
    JSONObject(),
    ["a": .string("x")],
    ["a": .string("quote \" backslash \\ tab \t line \n end \u{1} é 🔑"), "b": .null],
    ["flag": .boolean(true), "none": .boolean(false), "number": .integer(-5)],
    ["list": .strings([]), "lists": .strings(["a", "b,\"c\""]), "most": .integer(.max)],
  ]

  @Test(arguments: objects)
  func `what is written reads back`(object: JSONObject) {
    let bytes = object.bytes
    #expect(!bytes.contains(0x0A))
    #expect(JSONObject(reading: bytes.span) == object)
  }

  @Test(arguments: [
    "", "{", "[]", "1", "null", "{}x", "{\"a\":1,\"a\":2}", "{\"a\":{}}", "{\"a\":[1]}",
    "{\"a\":1.5}", "{'a':1}", "{\"a\":\"\\u0000\"}", "{\"a\":99999999999999999999}",
  ])
  func `anything else is refused`(text: String) {
    #expect(Self.read(text) == nil)
  }

  @Test func `bytes that are no text are refused`() {
    let bytes: [UInt8] = Array("{\"a\":\"".utf8) + [0xFF] + Array("\"}".utf8)
    #expect(JSONObject(reading: bytes.span) == nil)
  }

  @Test func `an object is asked by name`() {
    let object: JSONObject = ["a": .integer(1), "b": .string("x")]
    #expect(object["b"] == .string("x"))
    #expect(object["c"] == nil)
  }
}
