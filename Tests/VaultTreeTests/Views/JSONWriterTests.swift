import ByteCoding
import Secrets
import Testing

@testable import VaultTree

@Suite struct JSONWriterTests {
  private func written(_ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter()
    body(&writer)
    return String(decoding: writer.output.bytes.copied(), as: UTF8.self)
  }

  private func quoted(_ bytes: [UInt8]) -> String {
    let text = written { json in
      json.beginObject()
      json.write(bytes.span, as: "x")
      json.endObject()
    }
    return String(text.dropFirst("{\n  \"x\": ".count).dropLast("\n}\n".count))
  }

  @Test func `objects and lists stand a member a line`() {
    let text = written { json in
      json.beginObject()
      json.write(Array("1".utf8).span, as: "a")
      json.beginList("b")
      json.write(Array("2".utf8).span)
      json.beginObject()
      json.write(3, as: "c")
      json.writeNull(as: "d")
      json.endObject()
      json.endList()
      json.beginObject("e")
      json.endObject()
      json.endObject()
    }
    #expect(
      text == """
        {
          "a": "1",
          "b": [
            "2",
            {
              "c": 3,
              "d": null
            }
          ],
          "e": {}
        }

        """)
  }

  @Test(arguments: [
    ("a\"b\\c", #""a\"b\\c""#), ("\n\r\t\u{1}\u{7F}", #""\n\r\t\u0001\u007f""#),
    ("äü鍵🔑", "\"äü鍵🔑\""), ("", "\"\""),
    (
      "\u{80}\u{7FF}\u{800}\u{FFFF}\u{10FFFF}",
      "\"\u{80}\u{7FF}\u{800}\u{FFFF}\u{10FFFF}\""
    ),
  ])
  func `texts are quoted`(text: String, expected: String) {
    #expect(quoted(Array(text.utf8)) == expected)
  }

  @Test(
    arguments: [
      [0x80], [0xC1, 0x81], [0xC3], [0xE0, 0x9F, 0x80], [0xED, 0xA0, 0x80],
      [0xF0, 0x8F, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xFF], [0xE2, 0x82],
    ] as [[UInt8]])
  func `what is no UTF-8 becomes U+FFFD, a byte at a time`(bytes: [UInt8]) {
    let expected = String(repeating: "\u{FFFD}", count: bytes.count)
    #expect(quoted([0x61] + bytes + [0x62]) == "\"a\(expected)b\"")
  }
}
