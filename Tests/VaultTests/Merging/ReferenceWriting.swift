import ByteCoding
import KDBX
import Vault

extension ReferenceVault {
  /// The vault as a program writes it.
  func written() throws -> Vault {
    try TestVault.make(version: .kdbx41, meta: metaXML, deleted: deletedXML) { file in
      writeChildren(of: Self.root, into: &file)
    }
  }

  private var metaXML: String {
    let times = metaTimes.sorted { $0.key < $1.key }.map {
      "<\($0)>\(TestVault.iso(Int64($1)))</\($0)>"
    }
    return Self.elements(meta) + times.joined()
      + "<RecycleBinUUID>\(Self.base64(Self.bin))</RecycleBinUUID>" + Self.customData(meta)
  }

  private var deletedXML: String {
    deleted.sorted { $0.key < $1.key }.map { number, time in
      """
      <DeletedObject><UUID>\(Self.base64(number))</UUID>\
      <DeletionTime>\(TestVault.iso(Int64(time)))</DeletionTime></DeletedObject>
      """
    }.joined()
  }

  private func writeChildren(of parent: Int, into file: inout TestVault) {
    for number in entries.keys.sorted() {
      if let entry = entries[number], entry.place.parent == parent { write(number, entry, &file) }
    }
    for number in groups.keys.sorted() {
      guard let group = groups[number], group.place.parent == parent else { continue }
      file.text("<Group><UUID>\(Self.base64(number))</UUID>")
      file.text("<IconID>\(group.parts["icon"] ?? "0")</IconID>" + Self.elements(group.parts))
      file.text(Self.times(group.parts, group.modified, location: group.place.changed))
      file.text(Self.customData(group.parts))
      writeChildren(of: number, into: &file)
      file.text("</Group>")
    }
  }

  private func write(_ number: Int, _ entry: ReferenceEntry, _ file: inout TestVault) {
    file.text("<Entry>")
    write(
      number, entry.state, &file, accessed: entry.accessed, uses: entry.uses,
      location: entry.place.changed)
    if !entry.history.isEmpty {
      file.text("<History>")
      for version in entry.history {
        file.text("<Entry>")
        write(number, version, &file)
        file.text("</Entry>")
      }
      file.text("</History>")
    }
    file.text("</Entry>")
  }

  private func write(
    _ number: Int, _ state: ReferenceState, _ file: inout TestVault, accessed: Int = 0,
    uses: Int = 0, location: Int = 0
  ) {
    file.text("<UUID>\(Self.base64(number))</UUID>")
    file.text("<IconID>\(state.parts["icon"] ?? "0")</IconID>" + Self.elements(state.parts))
    file.text(
      Self.times(
        state.parts, state.modified, accessed: accessed, uses: uses, location: location))
    for (part, value) in state.parts.sorted(by: { $0.key < $1.key }) {
      if part.hasPrefix("f:") {
        file.field((part == "f:Password" ? "*" : "") + part.dropFirst(2), value)
      } else if part.hasPrefix("a:") {
        let content = String(decoding: Base64.encode(Array(value.utf8).span), as: UTF8.self)
        file.text(
          "<Binary><Key>\(part.dropFirst(2))</Key><Value>\(content)</Value></Binary>")
      }
    }
    file.text(Self.customData(state.parts))
  }

  private static func elements(_ parts: [String: String]) -> String {
    parts.sorted { $0.key < $1.key }.filter { $0.key.hasPrefix("e:") }
      .map { part, value in "<\(part.dropFirst(2))>\(value)</\(part.dropFirst(2))>" }.joined()
  }

  private static func customData(_ parts: [String: String]) -> String {
    let items = parts.sorted { $0.key < $1.key }.filter { $0.key.hasPrefix("c:") }
      .map { "<Item><Key>\($0.dropFirst(2))</Key><Value>\($1)</Value></Item>" }
    return items.isEmpty ? "" : "<CustomData>\(items.joined())</CustomData>"
  }

  private static func times(
    _ parts: [String: String], _ modified: Int, accessed: Int = 0, uses: Int = 0, location: Int
  ) -> String {
    let expiry = (parts["expiry"] ?? "False@0").split(separator: "@").map(String.init)
    return """
      <Times><LastModificationTime>\(TestVault.iso(Int64(modified)))</LastModificationTime>\
      <LastAccessTime>\(TestVault.iso(Int64(accessed)))</LastAccessTime>\
      <ExpiryTime>\(TestVault.iso(Int64(expiry[1]) ?? 0))</ExpiryTime>\
      <Expires>\(expiry[0])</Expires><UsageCount>\(uses)</UsageCount>\
      <LocationChanged>\(TestVault.iso(Int64(location)))</LocationChanged></Times>
      """
  }

  private static func base64(_ number: Int) -> String {
    TestVault.base64(TestVault.uuid(UInt8(number)))
  }
}
