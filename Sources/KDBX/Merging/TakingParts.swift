extension ElementView {
  /// Makes a part what it is in another element of the same document.
  ///
  /// What is there in its place goes; a part that the other one lacks goes too.
  fileprivate mutating func take(
    _ part: ElementPart, from other: EditableElement, _ values: ValueSource
  ) {
    if case .item(let list, let key) = part {
      return takeItem(list, key, from: other, values)
    }
    let taken = other.children(of: part, in: values)
    var place: Int?
    var kept: [EditableChild] = []
    for child in element.children {
      if child.belongs(to: part, in: values) {
        place = place ?? kept.count
      } else {
        kept.append(child)
      }
    }
    guard let place else {
      for child in taken {
        element.insert(child.kind, child.content, order: Self.order, in: values)
      }
      return
    }
    let lead = element.children[place].lead
    kept.insert(
      contentsOf: taken.map { child in
        var child = child
        child.lead = values.trailingSpace(in: lead)
        return child
      }, at: place)
    element.children = kept
  }

  private mutating func takeItem(
    _ list: ElementPart.ItemList, _ key: [UInt8], from other: EditableElement,
    _ values: ValueSource
  ) {
    let taken = other.children(of: .item(list, key), in: values)
    var items =
      element.lastIndex(of: list.kind).map { element.children[$0].expanded(in: values) }
      ?? EditableElement(list.kind)
    let place = items.children.firstIndex { $0.key(list, in: values) == key }
    items.children.removeAll { $0.key(list, in: values) == key }
    items.children.insert(
      contentsOf: taken.map { EditableChild(kind: $0.kind, content: $0.content) },
      at: min(place ?? items.children.count, items.children.count))
    element.set(list.kind, to: .element(items), order: Self.order, in: values)
  }
}

extension Times {
  /// Takes whether and when it expires: what other times say, in the spelling of this version.
  fileprivate mutating func takeExpiry(from other: Times) {
    expires = other.expires
    expiry = other.expiry
  }
}

extension Entry {
  /// Makes a part what it is in another entry of the same document.
  package mutating func take(_ part: ElementPart, from other: Entry, in document: Document) {
    guard part != .expiry else { return times.takeExpiry(from: other.times) }
    take(part, from: other.element, document.values)
  }
}

extension Group {
  /// Makes a part what it is in another group of the same document.
  package mutating func take(_ part: ElementPart, from other: Group, in document: Document) {
    guard part != .expiry else { return times.takeExpiry(from: other.times) }
    take(part, from: other.element, document.values)
  }
}

extension Meta {
  /// Makes a part what it is in another Meta of the same document.
  package mutating func take(_ part: ElementPart, from other: Meta, in document: Document) {
    take(part, from: other.element, document.values)
  }

  /// Removes a part.
  package mutating func remove(_ part: ElementPart, in document: Document) {
    take(part, from: EditableElement(.meta), document.values)
  }
}
