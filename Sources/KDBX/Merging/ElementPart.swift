/// What a merge takes from one side or the other as a whole.
package enum ElementPart: Hashable, Sendable {
  /// A field of an entry, by its key.
  case string([UInt8])
  /// An attachment of an entry, by its name.
  case attachment([UInt8])
  /// The icon: a standard one and, if there is one, a custom one.
  case icon
  /// Whether and when something expires.
  case expiry
  /// All children of that name.
  case element([UInt8])
  /// The child of a list that is told from the others by a child of its own: of CustomIcons an Icon
  /// by its UUID, of CustomData an Item by its Key.
  case item(ItemList, [UInt8])

  package enum ItemList: Hashable, Sendable {
    case customIcons, customData

    var kind: ElementKind { self == .customIcons ? .customIcons : .customData }
    var keyKind: ElementKind { self == .customIcons ? .uuid : .key }

    init?(_ kind: ElementKind) {
      switch kind {
      case .customIcons: self = .customIcons
      case .customData: self = .customData
      default: return nil
      }
    }
  }
}

// MARK: - Children

extension EditableElement {
  /// The children that are a part; of items not the lists that they are in.
  func children(of part: ElementPart, in values: ValueSource) -> [EditableChild] {
    guard case .item(let list, let key) = part else {
      return children.filter { $0.belongs(to: part, in: values) }
    }
    return children.filter { $0.kind == list.kind }.flatMap { child in
      child.expanded(in: values).children.filter { $0.key(list, in: values) == key }
    }
  }
}

extension EditableChild {
  /// The part that the child is, but for the items of a list; nil for what is none.
  func part(in values: ValueSource) -> ElementPart? {
    switch kind {
    case .string: return .string(expanded(in: values).bytes(.key, in: values) ?? [])
    case .binary: return .attachment(expanded(in: values).bytes(.key, in: values) ?? [])
    case .iconID, .customIconUUID: return .icon
    case _ where kind.isLeftOut: return nil
    default:
      let name = name(in: values)
      return name.isEmpty ? nil : .element(name)
    }
  }

  func belongs(to part: ElementPart, in values: ValueSource) -> Bool {
    self.part(in: values) == part
  }

  /// What tells an item of a list from the others; `nil` for what isn't an item.
  func key(_ list: ElementPart.ItemList, in values: ValueSource) -> [UInt8]? {
    expanded(in: values).bytes(list.keyKind, in: values)
  }

  /// The name of the element; empty for what is none.
  func name(in values: ValueSource) -> [UInt8] {
    switch content {
    case .source(let range): return Self.name(of: values.bytes(in: range))
    case .raw(let bytes): return Self.name(of: bytes.span)
    case .text(let element): return [UInt8](element.name)
    case .element(let element):
      switch element.tag {
      case .source(_, let range): return values.bytes(of: .source(range))
      case .raw(_, let name): return name
      case .new(let name): return [UInt8](name)
      }
    case .nodes: return kind == .other ? [] : [UInt8](kind.elementName)
    }
  }

  private static func name(of bytes: Span<UInt8>) -> [UInt8] {
    guard RawElement.isElement(bytes) else { return [] }
    return bytes.copy(of: XMLElement(startTagIn: bytes, at: 0).name)
  }
}

extension ElementKind {
  /// What is no part: merged in its own way, or not at all.
  var isLeftOut: Bool {
    switch self {
    case .uuid, .times, .history, .previousParentGroup, .entry, .group: true
    case .generator, .headerHash, .binaries, .lastSelectedGroup, .lastTopVisibleGroup: true
    case .lastTopVisibleEntry, .isExpanded: true
    default: false
    }
  }
}
