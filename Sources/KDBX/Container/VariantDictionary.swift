package import ByteCoding

/// The typed dictionary of KDBX 4 headers (`docs/kdbx.md` 1.3): names and values in file order, each
/// with the type that its writer gave it.
///
/// The type of a number matters: KeePass refuses a vault whose rounds are 32 bits wide.
package struct VariantDictionary: Hashable, Sendable {
  /// The types that the format knows.
  package enum ItemType: UInt8, Hashable, Sendable {
    case uint32 = 0x04
    case uint64 = 0x05
    case bool = 0x08
    case int32 = 0x0C
    case int64 = 0x0D
    case string = 0x18
    case bytes = 0x42

    /// How many bytes a value has; nil where any count goes.
    var byteCount: Int? {
      switch self {
      case .uint32, .int32: 4
      case .uint64, .int64: 8
      case .bool: 1
      case .string, .bytes: nil
      }
    }
  }

  package struct Item: Hashable, Sendable {
    package let type: ItemType
    /// UTF-8, as it stands in the file.
    package let name: [UInt8]
    package let value: [UInt8]

    package init(type: ItemType, name: [UInt8], value: [UInt8]) {
      self.type = type
      self.name = name
      self.value = value
    }
  }

  /// The version that all known writers state.
  private static let knownVersion: UInt16 = 0x0100

  package let version: UInt16
  package private(set) var items: [Item]

  package init(items: [Item] = []) {
    version = Self.knownVersion
    self.items = items
  }

  /// Reads a dictionary; what follows its end mark is ignored, as KeePass does.
  package init(reading bytes: Span<UInt8>) throws(ByteError) {
    var reader = ByteReader(bytes)
    version = try reader.takeUInt16()
    // The high byte says whether older readers can understand the rest.
    guard version >> 8 == Self.knownVersion >> 8 else {
      throw ByteError(.unexpected(Int(version)), at: 0)
    }
    items = []
    while let item = try Self.takeItem(from: &reader) { items.append(item) }
  }

  /// Takes the next item; nil at the end mark.
  private static func takeItem(from reader: inout ByteReader) throws(ByteError) -> Item? {
    let start = reader.offset
    let rawType = try reader.takeUInt8()
    if rawType == 0 { return nil }
    guard let type = ItemType(rawValue: rawType) else {
      throw ByteError(.unexpected(Int(rawType)), at: start)
    }
    let name = [UInt8](copying: try reader.takeCounted(limit: .max))
    let valueStart = reader.offset
    let value = [UInt8](copying: try reader.takeCounted(limit: .max))
    if let expected = type.byteCount, value.count != expected {
      throw ByteError(.unexpected(value.count), at: valueStart)
    }
    return Item(type: type, name: name, value: value)
  }

  /// The dictionary as it stands in a file, end mark included.
  package var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.appendUInt16(version)
    for item in items {
      writer.append(item.type.rawValue)
      writer.appendInt32(Int32(clamping: item.name.count))
      writer.append(item.name)
      writer.appendInt32(Int32(clamping: item.value.count))
      writer.append(item.value)
    }
    writer.append(0)
    return writer.bytes
  }
}

extension VariantDictionary {
  /// The last item called `name`.
  package func item(_ name: StaticString) -> Item? {
    items.last { $0.name == [UInt8](name) }
  }

  /// The value called `name`, where it is an unsigned number of either width.
  package func unsigned(_ name: StaticString) -> UInt64? {
    guard let item = item(name), item.type == .uint32 || item.type == .uint64 else { return nil }
    return item.value.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The value called `name`, where it is bytes.
  package func bytes(_ name: StaticString) -> [UInt8]? {
    guard let item = item(name), item.type == .bytes else { return nil }
    return item.value
  }

  /// Puts `value` in the place of what is called `name`; type and place stay.
  ///
  /// - Precondition: there is such an item.
  mutating func replace(_ name: StaticString, with value: [UInt8]) {
    guard let index = items.lastIndex(where: { $0.name == [UInt8](name) }) else {
      preconditionFailure("the dictionary has no item \(name)")
    }
    items[index] = Item(type: items[index].type, name: items[index].name, value: value)
  }

  /// Writes the unsigned number called `name` in the width of `type`, if it is one and fits.
  mutating func widen(_ name: StaticString, to type: ItemType) {
    guard let index = items.lastIndex(where: { $0.name == [UInt8](name) }),
      let number = unsigned(name), let count = type.byteCount,
      count >= 8 || number >> UInt64(8 * count) == 0
    else { return }
    let value = (0..<count).map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    items[index] = Item(type: type, name: items[index].name, value: value)
  }
}

extension [UInt8] {
  /// The UTF-8 bytes of a text of ours.
  init(_ text: StaticString) {
    self = text.withUTF8Buffer { unsafe [UInt8]($0) }
  }
}
