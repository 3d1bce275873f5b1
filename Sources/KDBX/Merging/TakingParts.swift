extension EditableElement {
  /// Makes a part what it is in another element of the same document.
  ///
  /// What is there in its place goes; a part that the other one lacks goes too. What is new goes to
  /// its place in `order`.
  fileprivate mutating func take(
    _ part: ElementPart, from other: EditableElement, order: [ElementKind], _ values: ValueSource
  ) {
    if case .item(let list, let key) = part {
      return takeItem(list, key, from: other, order: order, values)
    }
    let taken = other.children(of: part, in: values)
    var place: Int?
    var kept: [EditableChild] = []
    for child in children {
      if child.belongs(to: part, in: values) {
        place = place ?? kept.count
      } else {
        kept.append(child)
      }
    }
    guard let place else {
      for child in taken {
        insert(child.kind, child.content, order: order, in: values)
      }
      return
    }
    let lead = children[place].lead
    kept.insert(
      contentsOf: taken.map { child in
        var child = child
        child.lead = values.trailingSpace(in: lead)
        return child
      }, at: place)
    children = kept
  }

  private mutating func takeItem(
    _ list: ElementPart.ItemList, _ key: [UInt8], from other: EditableElement,
    order: [ElementKind], _ values: ValueSource
  ) {
    let taken = other.children(of: .item(list, key), in: values)
    var items =
      lastIndex(of: list.kind).map { children[$0].expanded(in: values) }
      ?? EditableElement(list.kind)
    let place = items.children.firstIndex { $0.key(list, in: values) == key }
    items.children.removeAll { $0.key(list, in: values) == key }
    items.children.insert(
      contentsOf: taken.map { EditableChild(kind: $0.kind, content: $0.content) },
      at: min(place ?? items.children.count, items.children.count))
    set(list.kind, to: .element(items), order: order, in: values)
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
    element.take(part, from: other.element, order: Self.order, document.values)
  }
}

extension Group {
  /// Makes a part what it is in another group of the same document.
  package mutating func take(_ part: ElementPart, from other: Group, in document: Document) {
    guard part != .expiry else { return times.takeExpiry(from: other.times) }
    element.take(part, from: other.element, order: Self.order, document.values)
  }
}

extension Meta {
  /// Makes a part what it is in another Meta of the same document.
  package mutating func take(_ part: ElementPart, from other: Meta, in document: Document) {
    element.take(part, from: other.element, order: Self.order, document.values)
  }

  /// Removes a part.
  package mutating func remove(_ part: ElementPart, in document: Document) {
    element.take(part, from: EditableElement(.meta), order: Self.order, document.values)
  }
}
