import CJansson

/// A value of the few kinds that control lines have.
package enum JSONValue: Hashable, Sendable {
  case string(String)
  case integer(Int64)
  case boolean(Bool)
  case null
  case strings([String])
}

/// A JSON object whose values are plain or lists of strings: one control line.
///
/// Read by jansson (UTF-8 and everything else checked, a repeated name refused), written here.
package struct JSONObject: Hashable, Sendable, ExpressibleByDictionaryLiteral {
  /// In the order in which they were added; an object that was read has them sorted by name.
  package private(set) var members: [(name: String, value: JSONValue)] = []

  package init() {}

  package init(dictionaryLiteral members: (String, JSONValue)...) {
    self.members = members.map { ($0.0, $0.1) }
  }

  package subscript(name: String) -> JSONValue? {
    members.first { $0.name == name }?.value
  }

  package mutating func append(_ name: String, _ value: JSONValue) {
    members.append((name, value))
  }

  package static func == (left: JSONObject, right: JSONObject) -> Bool {
    left.members.elementsEqual(right.members) { $0.name == $1.name && $0.value == $1.value }
  }

  package func hash(into hasher: inout Hasher) {
    for (name, value) in members {
      hasher.combine(name)
      hasher.combine(value)
    }
  }
}

// MARK: - Reading

extension JSONObject {
  /// Reads one object; `nil` for anything else, also for nested ones and fractions.
  package init?(reading line: Span<UInt8>) {
    let root = unsafe line.withUnsafeBytes { bytes in
      // SAFETY: jansson reads `count` bytes and keeps no pointer to them.
      unsafe json_loadb(
        bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count,
        Int(JSON_REJECT_DUPLICATES), nil)
    }
    guard let root = unsafe root else { return nil }
    // SAFETY: the reference that `json_loadb` gave us is given back once, after the last use.
    defer { unsafe json_decref(root) }
    guard unsafe root.pointee.type == JSON_OBJECT else { return nil }
    var iterator = unsafe json_object_iter(root)
    while let current = unsafe iterator {
      guard let name = unsafe json_object_iter_key(current),
        let value = unsafe json_object_iter_value(current),
        let read = unsafe JSONValue(value)
      else { return nil }
      unsafe members.append((String(cString: name), read))
      unsafe iterator = json_object_iter_next(root, current)
    }
    members.sort { $0.name < $1.name }
  }
}

extension JSONValue {
  /// What a live value of jansson's says; `nil` for a kind that we have no use for.
  fileprivate init?(_ value: UnsafeMutablePointer<json_t>) {
    // SAFETY: the caller's object keeps `value` alive; texts are copied.
    switch unsafe value.pointee.type {
    case JSON_STRING: self = unsafe .string(Self.text(value))
    case JSON_INTEGER: self = unsafe .integer(Int64(json_integer_value(value)))
    case JSON_TRUE: self = .boolean(true)
    case JSON_FALSE: self = .boolean(false)
    case JSON_NULL: self = .null
    case JSON_ARRAY:
      var texts: [String] = []
      for index in 0..<(unsafe json_array_size(value)) {
        guard let item = unsafe json_array_get(value, index),
          unsafe item.pointee.type == JSON_STRING
        else { return nil }
        unsafe texts.append(Self.text(item))
      }
      self = .strings(texts)
    default: return nil
    }
  }

  private static func text(_ value: UnsafeMutablePointer<json_t>) -> String {
    guard let text = unsafe json_string_value(value) else { return "" }
    return unsafe String(cString: text)
  }
}

// MARK: - Writing

extension JSONObject {
  /// The object on one line, without the line feed after it.
  package var bytes: [UInt8] {
    var output = Array("{".utf8)
    for (index, member) in members.enumerated() {
      if index > 0 { output += ",".utf8 }
      Self.append(member.name, to: &output)
      output += ":".utf8
      Self.append(member.value, to: &output)
    }
    output += "}".utf8
    return output
  }

  private static func append(_ value: JSONValue, to output: inout [UInt8]) {
    switch value {
    case .string(let text): append(text, to: &output)
    case .integer(let number): output += "\(number)".utf8
    case .boolean(let flag): output += (flag ? "true" : "false").utf8
    case .null: output += "null".utf8
    case .strings(let texts):
      output += "[".utf8
      for (index, text) in texts.enumerated() {
        if index > 0 { output += ",".utf8 }
        append(text, to: &output)
      }
      output += "]".utf8
    }
  }

  private static func append(_ text: String, to output: inout [UInt8]) {
    let digits = Array("0123456789abcdef".utf8)
    output += "\"".utf8
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): output += [UInt8(ascii: "\\"), byte]
      case 0..<0x20:
        output += "\\u00".utf8
        output += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      default: output.append(byte)
      }
    }
    output += "\"".utf8
  }
}
