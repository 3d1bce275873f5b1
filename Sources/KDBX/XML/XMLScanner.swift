/// Reads XML 1.0 in one checked pass over bytes, a tag at a time.
///
/// - Well-formedness is checked in full for what a document without a document type can hold; a
///   document type is refused, and so is what goes past the limits below.
/// - It builds nothing: names, attributes and contents are ranges of the bytes.
/// - Nothing here calls itself: nesting costs a few bytes of heap a level, up to ``depthLimit``.
///
/// Follows XML 1.0 (fifth edition), without namespaces: `a:b` is a name like any other.
package struct XMLScanner: ~Escapable {
  package enum Token: Hashable, Sendable {
    /// A start tag: ``name`` and ``attribute(_:)`` are its. The end of an empty element follows by
    /// itself.
    case start
    /// An end tag: ``name`` is its, ``content`` what lies between the tags.
    case end
    /// The document ended, and was well-formed.
    case finished
  }

  /// The most elements that may be open at one time.
  package static let depthLimit = 1024
  /// The most attributes of a tag; KeePass writes two at most.
  package static let attributeLimit = 64
  /// The longest name of an element, in bytes.
  package static let nameLimit = 1024
  /// The most control characters that are passed over in a text that may hold some.
  package static let controlLimit = 1000
  /// The most bytes: all offsets fit in 32 bits.
  package static let sizeLimit = Int(UInt32.max) - 1

  /// An attribute of the tag that was just passed.
  struct Attribute {
    /// From the white space before it to behind the closing quote.
    let whole: Range<Int>
    let name: Range<Int>
    /// What lies between the quotes.
    let value: Range<Int>
  }

  private struct OpenElement {
    var nameStart: UInt32
    var nameEnd: UInt32
    var contentStart: UInt32
  }

  private let bytes: Span<UInt8>
  private let classes = XMLCharacters.makeClasses()
  /// The next byte.
  package private(set) var offset = 0
  private var open = [OpenElement](
    repeating: OpenElement(nameStart: 0, nameEnd: 0, contentStart: 0), count: 32)
  /// The number of open elements: after ``Token/start`` the new one counts, after ``Token/end`` the
  /// ended one doesn't any more.
  package private(set) var depth = 0
  /// The element that just started is a leaf, whose end is the next token.
  private var endIsDue = false
  /// Where the end tag of the leaf starts.
  private var endTagStart = 0
  private var rootHasEnded = false

  /// Where the tag that was just passed starts.
  package private(set) var tagStart = 0
  private var nameStart = 0
  private var nameEnd = 0
  private var contentStart = 0
  /// Whether the start tag that was just passed has attributes.
  private(set) var hasAttributes = false
  /// The attributes of the start tag that was just passed.
  private(set) var attributes: [Attribute] = []

  /// Whether control characters in text are passed over.
  private let passesControls: Bool
  /// Where those were that were passed over, in order.
  private(set) var controls: [Int] = []

  /// Starts at the first byte, or behind a byte order mark and the declaration.
  ///
  /// With `passingControls` the control characters that XML can't hold are passed over in text, and
  /// noted in ``controls``: a way to read what a careless program wrote, and no XML.
  @_lifetime(copy bytes)
  package init(_ bytes: Span<UInt8>, passingControls: Bool = false) throws(XMLError) {
    guard bytes.count <= Self.sizeLimit else { throw XMLError(.tooLarge, at: 0) }
    self.bytes = bytes
    passesControls = passingControls
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { offset = 3 }
    if has("<?xml"), offset + 5 < bytes.count, XMLCharacters.isSpace(bytes[offset + 5]) {
      try passDeclaration()
    }
  }

  // MARK: - What was just passed

  /// The name of the element that just started or ended.
  package var name: Range<Int> { nameStart..<nameEnd }

  /// What lies between the tags of the element that just ended; empty for an empty element.
  package var content: Range<Int> { contentStart..<max(contentStart, endTagStart) }

  /// Whether the element that just started or ended is called so.
  package func isNamed(_ name: StaticString) -> Bool {
    guard nameEnd - nameStart == name.utf8CodeUnitCount else { return false }
    return XMLText.isAt(nameStart, in: bytes, name)
  }

  /// Where the name of the open element at `level` lies; the root's level is 0.
  func nameOfOpenElement(_ level: Int) -> Range<Int> {
    Int(open[level].nameStart)..<Int(open[level].nameEnd)
  }

  /// The attribute of that name of the element that just started.
  func attributeRanges(_ name: StaticString) -> Attribute? {
    guard hasAttributes else { return nil }
    for attribute in attributes
    where attribute.name.count == name.utf8CodeUnitCount
      && XMLText.isAt(attribute.name.lowerBound, in: bytes, name)
    {
      return attribute
    }
    return nil
  }

  /// The value of an attribute of the element that just started, its references resolved.
  package func attribute(_ name: StaticString) -> [UInt8]? {
    attributeRanges(name).map { XMLText.attributeValue(bytes.extracting($0.value)) }
  }

  // MARK: - Tags

  /// Goes on to the next tag, past text, comments, instructions and CDATA sections.
  @_lifetime(self: copy self)
  package mutating func next() throws(XMLError) -> Token {
    if endIsDue {
      endIsDue = false
      tagStart = endTagStart
      depth -= 1
      rootHasEnded = depth == 0
      return .end
    }
    switch try nextMark() {
    case .start: return .start
    case .end: return .end
    case .finished: return .finished
    case .leaf:
      depth += 1
      endIsDue = true
      return .start
    }
  }

  /// A token, where an element that holds no other is one: for the pass over a whole document.
  enum Mark {
    /// A start tag.
    case start
    /// An end tag.
    case end
    /// An element without elements in it; ``content`` is its.
    case leaf
    /// The document ended, and was well-formed.
    case finished
  }

  /// Goes on to the next mark.
  @inline(__always)
  @_lifetime(self: copy self)
  mutating func nextMark() throws(XMLError) -> Mark {
    while true {
      if depth > 0 { try passText() } else { passSpace() }
      let start = offset
      guard start < bytes.count else {
        guard depth == 0, rootHasEnded else { throw XMLError(.truncated, at: start) }
        return .finished
      }
      guard bytes[start] == UInt8(ascii: "<") else {
        throw XMLError(.unexpected(bytes[start]), at: start)
      }
      let mark = try byte(at: start + 1)
      if classes[Int(mark)] & XMLCharacters.nameStart != 0 {
        return try passStartTag(at: start) ? .leaf : .start
      }
      if mark == UInt8(ascii: "/") {
        try passEndTag(at: start)
        return .end
      }
      try passOther(mark)
    }
  }

  /// Passes a start tag, and the text and end tag behind it if they follow; says whether they did.
  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func passStartTag(at start: Int) throws(XMLError) -> Bool {
    guard !rootHasEnded else { throw XMLError(.unexpected(UInt8(ascii: "<")), at: start) }
    var i = start + 2
    while i < bytes.count, classes[Int(bytes[i])] & XMLCharacters.name != 0 { i += 1 }
    guard i < bytes.count else { throw XMLError(.truncated, at: start) }
    tagStart = start
    nameStart = start + 1
    nameEnd = i
    offset = i + 1
    if hasAttributes {
      hasAttributes = false
      attributes.removeAll(keepingCapacity: true)
    }
    if bytes[i] != UInt8(ascii: ">") || bytes[start + 1] >= 0x80 {
      // The fast path knows ASCII names and tags without attributes; here is the rest.
      let isEmpty = try passRestOfTag()
      contentStart = offset
      if isEmpty {
        endTagStart = offset
        rootHasEnded = depth == 0
        return true
      }
    } else {
      contentStart = i + 1
    }
    let nameCount = nameEnd - nameStart
    guard nameCount <= Self.nameLimit else { throw XMLError(.tooLarge, at: start) }
    if depth > 0 {
      try passText()
      if isAtEndTag(nameCount: nameCount) {
        endTagStart = offset
        offset += nameCount + 3
        return true
      }
    }
    if depth == open.count { try growStack(at: start) }
    open[depth] = OpenElement(
      nameStart: UInt32(truncatingIfNeeded: nameStart),
      nameEnd: UInt32(truncatingIfNeeded: nameEnd),
      contentStart: UInt32(truncatingIfNeeded: contentStart))
    depth += 1
    return false
  }

  /// Whether `</name>` follows, for the name of the tag that was just passed.
  @inline(__always)
  private func isAtEndTag(nameCount: Int) -> Bool {
    let i = offset
    guard bytes.count - i >= nameCount + 3, bytes[i + 1] == UInt8(ascii: "/"),
      bytes[i + 2 + nameCount] == UInt8(ascii: ">")
    else { return false }
    for j in 0..<nameCount where bytes[i + 2 + j] != bytes[nameStart + j] { return false }
    return true
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func growStack(at start: Int) throws(XMLError) {
    guard depth < Self.depthLimit else {
      throw XMLError(.tooDeep(limit: Self.depthLimit), at: start)
    }
    let more = repeatElement(open[0], count: min(depth, Self.depthLimit - depth))
    open.append(contentsOf: more)
  }

  /// Passes the rest of a start tag that isn't just an ASCII name; says whether it is an empty
  /// element's.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func passRestOfTag() throws(XMLError) -> Bool {
    offset = nameEnd
    if bytes[nameEnd] >= 0x80 || bytes[nameStart] >= 0x80 {
      offset = nameStart
      nameEnd = try passName().upperBound
    }
    while true {
      let before = offset
      passSpace()
      let c = try byte(at: offset)
      if c == UInt8(ascii: ">") {
        offset += 1
        return false
      }
      if c == UInt8(ascii: "/") {
        let close = try byte(at: offset + 1)
        guard close == UInt8(ascii: ">") else { throw XMLError(.unexpected(c), at: offset) }
        offset += 2
        return true
      }
      guard offset > before, classes[Int(c)] & XMLCharacters.nameStart != 0 else {
        throw XMLError(.unexpected(c), at: offset)
      }
      try passAttribute(from: before)
      hasAttributes = true
    }
  }

  private func checkName(_ range: Range<Int>) throws(XMLError) {
    var i = range.lowerBound
    while i < range.upperBound {
      guard let next = XMLCharacters.sequence(in: bytes, at: i) else {
        throw XMLError(.notUTF8, at: i)
      }
      let fits =
        next.scalar < 0x80
        || (i == range.lowerBound
          ? XMLCharacters.isNameStart(next.scalar) : XMLCharacters.isName(next.scalar))
      guard fits else { throw XMLError(.unexpected(bytes[i]), at: i) }
      i += next.count
    }
  }

  @_lifetime(self: copy self)
  private mutating func passAttribute(from before: Int) throws(XMLError) {
    let name = try passName()
    passSpace()
    let equals = try byte(at: offset)
    guard equals == UInt8(ascii: "=") else { throw XMLError(.unexpected(equals), at: offset) }
    offset += 1
    passSpace()
    let quote = try byte(at: offset)
    guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
      throw XMLError(.unexpected(quote), at: offset)
    }
    offset += 1
    let start = offset
    while true {
      while offset < bytes.count, classes[Int(bytes[offset])] & XMLCharacters.plain != 0 {
        offset += 1
      }
      let c = try byte(at: offset)
      if c == quote { break }
      if c == UInt8(ascii: "<") { throw XMLError(.unexpected(c), at: offset) }
      try passCharacter(c)
    }
    let value = start..<offset
    offset += 1
    guard attributes.count < Self.attributeLimit else { throw XMLError(.tooLarge, at: before) }
    for other in attributes where XMLText.equal(bytes, other.name, bytes, name) {
      throw XMLError(.repeatedAttribute, at: name.lowerBound)
    }
    attributes.append(Attribute(whole: before..<offset, name: name, value: value))
  }

  @_lifetime(self: copy self)
  private mutating func passName() throws(XMLError) -> Range<Int> {
    let start = offset
    let first = try byte(at: start)
    guard classes[Int(first)] & XMLCharacters.nameStart != 0 else {
      throw XMLError(.unexpected(first), at: start)
    }
    while offset < bytes.count, classes[Int(bytes[offset])] & XMLCharacters.wideName != 0 {
      offset += 1
    }
    for i in start..<offset where bytes[i] >= 0x80 {
      try checkName(start..<offset)
      break
    }
    return start..<offset
  }

  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func passEndTag(at start: Int) throws(XMLError) {
    guard depth > 0 else { throw XMLError(.unexpected(UInt8(ascii: "<")), at: start) }
    let element = open[depth - 1]
    var i = start + 2
    var j = Int(element.nameStart)
    let end = Int(element.nameEnd)
    nameStart = j
    nameEnd = end
    while j < end {
      guard i < bytes.count else { throw XMLError(.truncated, at: start) }
      guard bytes[i] == bytes[j] else { throw XMLError(.tagMismatch, at: start) }
      i += 1
      j += 1
    }
    guard i < bytes.count else { throw XMLError(.truncated, at: start) }
    if bytes[i] != UInt8(ascii: ">") {
      offset = i
      passSpace()
      i = offset
      let close = try byte(at: i)
      guard close == UInt8(ascii: ">") else { throw XMLError(.tagMismatch, at: start) }
    }
    offset = i + 1
    tagStart = start
    endTagStart = start
    contentStart = Int(element.contentStart)
    depth -= 1
    rootHasEnded = depth == 0
  }

  // MARK: - Between tags

  /// Passes text up to the next mark.
  @inline(__always)
  @_lifetime(self: copy self)
  private mutating func passText() throws(XMLError) {
    var i = offset
    while true {
      while i < bytes.count - 8 {
        // SAFETY: the eight bytes from `i` on lie within the span, by the line above.
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self)
        let stops = XMLCharacters.stops(in: word)
        if stops != 0 {
          i += stops.trailingZeroBitCount >> 3
          break
        }
        i += 8
      }
      guard i < bytes.count else { break }
      let c = bytes[i]
      if c == UInt8(ascii: "<") { break }
      if classes[Int(c)] & XMLCharacters.stop == 0 {
        // White space, which comes in runs, or one of the last bytes, too few for a word.
        i += 1
        while i < bytes.count, XMLCharacters.isSpace(bytes[i]) { i += 1 }
      } else {
        offset = i
        try passRareText(c)
        i = offset
      }
    }
    offset = i
  }

  @inline(never)
  @_lifetime(self: copy self)
  private mutating func passRareText(_ c: UInt8) throws(XMLError) {
    if c == UInt8(ascii: "]"), has("]]>") { throw XMLError(.cdataEndInText, at: offset) }
    if c < 0x20, passesControls, controls.count < Self.controlLimit {
      controls.append(offset)
      offset += 1
      return
    }
    try passCharacter(c)
  }

  /// Passes one character or reference.
  @_lifetime(self: copy self)
  private mutating func passCharacter(_ c: UInt8) throws(XMLError) {
    if c == UInt8(ascii: "&") {
      guard let reference = XMLText.reference(in: bytes, at: offset) else {
        throw XMLError(.badReference, at: offset)
      }
      guard XMLCharacters.isAllowed(reference.scalar) else {
        throw XMLError(.forbiddenCharacter(reference.scalar), at: offset)
      }
      offset += reference.count
    } else {
      try passRawCharacter(c)
    }
  }

  @_lifetime(self: copy self)
  private mutating func passRawCharacter(_ c: UInt8) throws(XMLError) {
    if c < 0x80 {
      guard c >= 0x20 || XMLCharacters.isSpace(c) else {
        throw XMLError(.forbiddenCharacter(UInt32(c)), at: offset)
      }
      offset += 1
      return
    }
    guard let next = XMLCharacters.sequence(in: bytes, at: offset) else {
      throw XMLError(.notUTF8, at: offset)
    }
    guard XMLCharacters.isAllowed(next.scalar) else {
      throw XMLError(.forbiddenCharacter(next.scalar), at: offset)
    }
    offset += next.count
  }

  @_lifetime(self: copy self)
  private mutating func passSpace() {
    while offset < bytes.count, XMLCharacters.isSpace(bytes[offset]) { offset += 1 }
  }

  /// Passes a comment, an instruction or a CDATA section.
  @inline(never)
  @_lifetime(self: copy self)
  private mutating func passOther(_ mark: UInt8) throws(XMLError) {
    let start = offset
    if has("<!--") {
      offset += 4
      try passRaw(upTo: "-->", in: start, forbidding: "--", as: .badComment)
    } else if depth > 0, has("<![CDATA[") {
      offset += 9
      try passRaw(upTo: "]]>", in: start)
    } else if has("<!DOCTYPE") {
      throw XMLError(.documentType, at: start)
    } else if mark == UInt8(ascii: "?") {
      offset += 2
      try passInstruction(from: start)
    } else {
      throw XMLError(.unexpected(mark), at: start + 1)
    }
  }

  @_lifetime(self: copy self)
  private mutating func passInstruction(from start: Int) throws(XMLError) {
    let target = try passName()
    if target.count == 3, XMLText.isAt(target.lowerBound, in: bytes, "xml", ignoringCase: true) {
      throw XMLError(.badInstruction, at: start)
    }
    if has("?>") {
      offset += 2
      return
    }
    guard XMLCharacters.isSpace(try byte(at: offset)) else {
      throw XMLError(.badInstruction, at: start)
    }
    try passRaw(upTo: "?>", in: start)
  }

  /// Passes characters that no reference is resolved in, up to and with `end`.
  @_lifetime(self: copy self)
  private mutating func passRaw(
    upTo end: StaticString, in start: Int, forbidding forbidden: StaticString? = nil,
    as problem: XMLError.Problem = .truncated
  ) throws(XMLError) {
    while true {
      guard offset < bytes.count else { throw XMLError(.truncated, at: start) }
      if has(end) {
        offset += end.utf8CodeUnitCount
        return
      }
      if let forbidden, has(forbidden) { throw XMLError(problem, at: offset) }
      let c = bytes[offset]
      try passRawCharacter(c)
    }
  }

  /// Passes `<?xml version="1.x" encoding="utf-8" standalone="yes"?>`.
  @_lifetime(self: copy self)
  private mutating func passDeclaration() throws(XMLError) {
    let start = offset
    offset += 5
    attributes.removeAll(keepingCapacity: true)
    while true {
      let before = offset
      passSpace()
      if has("?>") { break }
      guard offset > before else { throw XMLError(.badDeclaration, at: offset) }
      try passAttribute(from: before)
    }
    offset += 2
    var rest = attributes[...]
    attributes.removeAll(keepingCapacity: true)
    guard let version = rest.popFirst(), isWord(version.name, "version"),
      isVersion(version.value)
    else { throw XMLError(.badDeclaration, at: start) }
    if let encoding = rest.first, isWord(encoding.name, "encoding") {
      rest.removeFirst()
      guard
        isWord(encoding.value, "utf-8", ignoringCase: true)
          || isWord(encoding.value, "us-ascii", ignoringCase: true)
      else {
        throw XMLError(.badDeclaration, at: encoding.value.lowerBound)
      }
    }
    if let standalone = rest.first, isWord(standalone.name, "standalone") {
      rest.removeFirst()
      guard isWord(standalone.value, "yes") || isWord(standalone.value, "no") else {
        throw XMLError(.badDeclaration, at: standalone.value.lowerBound)
      }
    }
    guard rest.isEmpty else { throw XMLError(.badDeclaration, at: start) }
  }

  private func isWord(
    _ range: Range<Int>, _ word: StaticString, ignoringCase: Bool = false
  ) -> Bool {
    range.count == word.utf8CodeUnitCount
      && XMLText.isAt(range.lowerBound, in: bytes, word, ignoringCase: ignoringCase)
  }

  /// Whether it is a version that XML 1.0 reads: `1.` and digits (production 26).
  private func isVersion(_ range: Range<Int>) -> Bool {
    guard range.count >= 3, XMLText.isAt(range.lowerBound, in: bytes, "1.") else { return false }
    for i in range.dropFirst(2) where !(0x30...0x39).contains(bytes[i]) { return false }
    return true
  }

  private func has(_ text: StaticString) -> Bool {
    XMLText.isAt(offset, in: bytes, text)
  }

  private func byte(at index: Int) throws(XMLError) -> UInt8 {
    guard index < bytes.count else { throw XMLError(.truncated, at: index) }
    return bytes[index]
  }
}
