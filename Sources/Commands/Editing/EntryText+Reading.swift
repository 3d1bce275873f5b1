import Secrets

extension EntryText {
  /// Why a text can't be read: a line, counted from 1, and what is wrong with it, without a byte of it.
  struct Fault: Error, Hashable {
    var line: Int
    var reason: String
  }

  /// Reads a text back.
  static func read(_ text: Span<UInt8>) throws(Fault) -> [Field] {
    var reader = Reader()
    var start = 0
    // Some editors put a CR at the ends of all lines; one in the middle of a value is its own.
    var addsReturns = false
    for i in 0...text.count where i == text.count || text[i] == UInt8(ascii: "\n") {
      let hasReturn = i > start && text[i - 1] == 0x0D
      if start == 0 { addsReturns = hasReturn }
      try reader.take(text, start..<(hasReturn && addsReturns ? i - 1 : i))
      start = i + 1
    }
    return reader.finish()
  }

  /// Reads line after line.
  private struct Reader: ~Copyable {
    private var number = 0
    private var fields: [Field] = []
    /// The field whose lines may follow.
    private var name: [UInt8]?
    private var isProtected = false
    /// Whether lines of the value were read.
    private var hasLines = false
    /// The line of its name.
    private var nameLine = 0
    private var value = WipedBuffer()

    init() {}

    mutating func take(_ text: Span<UInt8>, _ line: Range<Int>) throws(Fault) {
      number += 1
      guard !line.isEmpty else {
        if hasLines { close() }
        return
      }
      guard text[line.lowerBound] != UInt8(ascii: "#") else { return }
      if text[line.lowerBound] == UInt8(ascii: "|") { return try takeLine(text, line) }
      close()
      let (name, nameEnd) = try takeName(in: text, line)
      var i = nameEnd
      isProtected = i < line.upperBound && text[i] == UInt8(ascii: "*")
      if isProtected { i += 1 }
      guard i < line.upperBound, text[i] == UInt8(ascii: ":") else {
        throw fault("no colon follows the name of a field")
      }
      guard !fields.contains(where: { $0.name == name }) else {
        throw fault("a second field of this name")
      }
      self.name = name
      nameLine = number
      hasLines = false
      var end = line.upperBound
      i += 1
      while i < end, EntryText.isBlank(text[i]) { i += 1 }
      while end > i, EntryText.isBlank(text[end - 1]) { end -= 1 }
      value.append(text.extracting(i..<end))
    }

    private func fault(_ reason: String) -> Fault { Fault(line: number, reason: reason) }

    /// A line of a value of several.
    private mutating func takeLine(_ text: Span<UInt8>, _ line: Range<Int>) throws(Fault) {
      guard name != nil else { throw fault("a line of a value, but no field before it") }
      guard hasLines || value.count == 0 else {
        throw fault("a line of a value, but the field before it has its value behind its name")
      }
      if hasLines { value.append(UInt8(ascii: "\n")) }
      hasLines = true
      let hasBlank = line.count > 1 && text[line.lowerBound + 1] == UInt8(ascii: " ")
      value.append(
        text.extracting((line.lowerBound + (hasBlank ? 2 : 1))..<line.upperBound))
    }

    /// A name, in quotes or up to `*:` or `:`, and where it ends.
    private func takeName(
      in text: Span<UInt8>, _ line: Range<Int>
    ) throws(Fault) -> (name: [UInt8], end: Int) {
      var name: [UInt8] = []
      var i = line.lowerBound
      guard text[i] == UInt8(ascii: "\"") else {
        while i < line.upperBound, text[i] != UInt8(ascii: ":"), text[i] != UInt8(ascii: "*") {
          name.append(text[i])
          i += 1
        }
        guard !name.isEmpty else { throw fault("a field without a name") }
        return (name, i)
      }
      i += 1
      while i < line.upperBound, text[i] != UInt8(ascii: "\"") {
        if text[i] == UInt8(ascii: "\\"), i + 1 < line.upperBound { i += 1 }
        name.append(text[i])
        i += 1
      }
      guard i < line.upperBound else { throw fault("a quote that doesn't end") }
      return (name, i + 1)
    }

    /// The field that was begun is complete.
    private mutating func close() {
      guard let name else { return }
      fields.append(
        Field(
          name, isProtected: isProtected, WipedBuffer(copying: value.bytes), line: nameLine))
      self.name = nil
      value.truncate(to: 0)
    }

    mutating func finish() -> [Field] {
      close()
      return fields
    }
  }
}
