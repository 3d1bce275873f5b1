/// A field of an entry: a key, a value, and whether the value is kept enciphered in the file.
package struct StringField: Sendable {
  package let key: [UInt8]
  package let value: StoredText
  package let isProtected: Bool

  package init(key: [UInt8], value: StoredText, isProtected: Bool) {
    self.key = key
    self.value = value
    self.isProtected = isProtected
  }
}

extension Entry {
  /// All fields in file order, also those whose key comes twice.
  package var strings: [StringField] {
    element.children.compactMap { child in
      child.kind == .string ? field(child) : nil
    }
  }

  /// The last field of that key, as KeePass takes it.
  package func string(_ key: [UInt8]) -> StringField? {
    lastString(key).flatMap { field(element.children[$0]) }
  }

  /// Changes the last field of that key in place, or adds one after the last field.
  package mutating func set(_ key: [UInt8], to value: StoredText, isProtected: Bool) {
    guard let index = lastString(key) else {
      var field = EditableElement(.string, children: [EditableChild(.key, key)])
      field.setText(
        .value, to: value, isProtected: isProtected, order: Self.fieldOrder, in: nil)
      element.insert(.string, .element(field), order: Self.order, in: values)
      return
    }
    var field = element.children[index].expanded(in: values)
    field.setText(
      .value, to: value, isProtected: isProtected, order: Self.fieldOrder, in: values)
    element.children[index].content = .element(field)
  }

  /// Removes all fields of that key; says whether there was one.
  @discardableResult
  package mutating func removeString(_ key: [UInt8]) -> Bool {
    var isFound = false
    while let index = lastString(key) {
      element.children.remove(at: index)
      isFound = true
    }
    return isFound
  }

  /// Gives the last field of key `old` the key `new`; value, protection and place stay.
  ///
  /// Says whether there was one. The caller sees to it that no other has that key.
  @discardableResult
  package mutating func renameString(from old: [UInt8], to new: [UInt8]) -> Bool {
    guard let index = lastString(old) else { return false }
    rename(at: index, to: new)
    return true
  }

  /// The same for the field at `index` of ``strings``: to tell fields of one key apart.
  package mutating func renameString(at index: Int, to new: [UInt8]) {
    let fields = element.children.indices.filter { element.children[$0].kind == .string }
    if fields.indices.contains(index) { rename(at: fields[index], to: new) }
  }

  // MARK: - Elements

  static let fieldOrder: [ElementKind] = [.key, .value]

  /// Replaces the key of a field or attachment.
  mutating func rename(at index: Int, to new: [UInt8]) {
    var field = element.children[index].expanded(in: values)
    field.setText(.key, to: .plain(new), order: Self.fieldOrder, in: values)
    element.children[index].content = .element(field)
  }

  /// Where the last field of that key stands among the children.
  private func lastString(_ key: [UInt8]) -> Int? {
    lastIndex(of: .string, key: key)
  }

  /// Where the last child of that kind stands whose `Key` is `key`.
  func lastIndex(of kind: ElementKind, key: [UInt8]) -> Int? {
    element.children.lastIndex { child in
      child.kind == kind && has(child, key: key)
    }
  }

  private func has(_ child: EditableChild, key: [UInt8]) -> Bool {
    if case .source(let range) = child.content, let values {
      return values.pair(at: range).hasKey(key, in: values)
    }
    return child.expanded(in: values).bytes(.key, in: values) ?? [] == key
  }

  private func field(_ child: EditableChild) -> StringField? {
    if case .source(let range) = child.content, let values {
      let pair = values.pair(at: range)
      let value = pair.value.map { values.text(ofElementAt: $0) } ?? .empty
      var isProtected = false
      if case .protected = value { isProtected = true }
      return StringField(
        key: pair.key.map { values.bytes(of: values.text(ofElementAt: $0)) } ?? [], value: value,
        isProtected: isProtected)
    }
    let element = child.expanded(in: values)
    guard let index = element.lastIndex(of: .value) else {
      return StringField(
        key: element.bytes(.key, in: values) ?? [], value: .empty, isProtected: false)
    }
    return StringField(
      key: element.bytes(.key, in: values) ?? [],
      value: element.children[index].text(in: values) ?? .empty,
      isProtected: element.children[index].isProtected(in: values))
  }
}

extension EditableChild {
  /// Whether an element that holds text is enciphered in the file.
  fileprivate func isProtected(in values: ValueSource?) -> Bool {
    if case .text(let element) = content, case .stored(_, let isProtected) = element.text {
      return isProtected
    }
    if case .protected = text(in: values) { return true }
    return false
  }
}

/// The `Key` and `Value` of a field or attachment in the source; the last of each.
struct SourcePair {
  var key: SourceRange?
  var value: SourceRange?

  /// Whether the key is `key`; an element without one has the empty key.
  func hasKey(_ wanted: [UInt8], in values: ValueSource) -> Bool {
    guard let key else { return wanted.isEmpty }
    let text = values.text(ofElementAt: key)
    if case .source(let range) = text {
      let bytes = values.bytes(in: range)
      if !XMLText.hasMarkup(bytes) {
        return bytes.count == wanted.count
          && XMLText.equal(bytes, 0..<bytes.count, wanted.span, 0..<wanted.count)
      }
    }
    return values.bytes(of: text) == wanted
  }
}

extension ValueSource {
  /// The `Key` and `Value` of the element that is `range` of the source.
  func pair(at range: SourceRange) -> SourcePair {
    let bytes = bytes(in: range)
    let base = range.range.lowerBound
    let element = XMLElement(whole: bytes)
    var pair = SourcePair()
    var position = element.content.lowerBound
    while let child = XMLElement.next(
      in: bytes, from: position, to: element.content.upperBound)
    {
      let place = SourceRange(base + child.whole.lowerBound..<base + child.whole.upperBound)
      if child.isNamed("Key", in: bytes) {
        pair.key = place
      } else if child.isNamed("Value", in: bytes) {
        pair.value = place
      }
      position = child.whole.upperBound
    }
    return pair
  }
}
