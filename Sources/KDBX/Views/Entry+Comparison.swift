import ByteCoding

extension Entry {
  /// Whether fields, protection, attachments, tags and all other children but Times and History are
  /// the same.
  ///
  /// The order of fields and attachments doesn't count.
  package func sameContent(as other: Entry, values: ValueSource) -> Bool {
    guard sameStrings(as: other, values), sameAttachments(as: other) else { return false }
    let mine = rest
    let theirs = other.rest
    return mine.count == theirs.count
      && zip(mine, theirs).allSatisfy { $0.isSame(as: $1, in: values) }
  }

  private func sameStrings(as other: Entry, _ values: ValueSource) -> Bool {
    let mine = strings.stablySorted { $0.key }
    let theirs = other.strings.stablySorted { $0.key }
    return mine.count == theirs.count
      && zip(mine, theirs).allSatisfy { left, right in
        left.key == right.key && left.isProtected == right.isProtected
          && values.equal(left.value, right.value)
      }
  }

  private func sameAttachments(as other: Entry) -> Bool {
    attachments.stablySorted { $0.name } == other.attachments.stablySorted { $0.name }
  }

  /// All children but fields, attachments, Times and History.
  private var rest: [EditableChild] {
    element.children.filter { child in
      switch child.kind {
      case .string, .binary, .times, .history: false
      default: true
      }
    }
  }
}

extension Array {
  /// Sorted by the bytes of a key; what has one key stays in order.
  fileprivate func stablySorted(by key: (Element) -> [UInt8]) -> [Element] {
    map(key).placesByBytes().map { self[$0] }
  }
}

extension EditableChild {
  /// Whether two children mean the same: both are the same part of the source, or read the same.
  fileprivate func isSame(as other: EditableChild, in values: ValueSource) -> Bool {
    guard kind == other.kind else { return false }
    if case .source(let left) = content, case .source(let right) = other.content {
      if left == right { return true }
      let (a, b) = (values.bytes(in: left), values.bytes(in: right))
      return XMLText.equal(a, 0..<a.count, b, 0..<b.count)
    }
    if let left = text(in: values), let right = other.text(in: values) {
      return values.equal(left, right)
    }
    let left = expanded(in: values).children
    let right = other.expanded(in: values).children
    return left.count == right.count
      && zip(left, right).allSatisfy { $0.isSame(as: $1, in: values) }
  }
}
