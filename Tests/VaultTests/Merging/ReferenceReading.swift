import ByteCoding
import Ciphers
import KDBX
import Secrets
import Vault

/// An element of a small XML text without CDATA, comments or character references but `&lt;` and
/// the like.
struct TestElement {
  var name = ""
  var attributes = ""
  var text: [UInt8] = []
  var children: [TestElement] = []

  func child(_ name: String) -> TestElement? { children.last { $0.name == name } }
  var string: String { String(decoding: text, as: UTF8.self) }

  /// Reads the element at `i`, with what is protected deciphered in the order of the document.
  init(_ xml: [UInt8], _ i: inout Int, _ stream: InnerStream, _ offset: inout UInt64) {
    func take(until marks: [UInt8]) -> [UInt8] {
      let start = i
      while i < xml.count, !marks.contains(xml[i]) { i += 1 }
      return Array(xml[start..<i])
    }
    let close = UInt8(ascii: ">")
    i += 1
    let tag = String(decoding: take(until: [close]), as: UTF8.self)
    i += 1
    let parts = tag.split(separator: " ", maxSplits: 1)
    name = String(parts[0])
    attributes = parts.count > 1 ? String(parts[1]) : ""
    if tag.hasSuffix("/") {
      name = String(name.filter { $0 != "/" })
      return
    }
    while i < xml.count {
      text += take(until: [UInt8(ascii: "<")])
      if xml[i + 1] == UInt8(ascii: "/") {
        _ = take(until: [close])
        i += 1
        break
      }
      children.append(TestElement(xml, &i, stream, &offset))
    }
    guard attributes.contains("Protected=\"True\"") else { return }
    var bytes = (try? Base64.decode(text.span)) ?? []
    var span = bytes.mutableSpan
    stream.apply(at: offset, to: &span)
    offset += UInt64(bytes.count)
    text = bytes
  }
}

extension ReferenceVault {
  /// Reads what is written of a vault, by its XML.
  init(reading vault: Vault) throws {
    let plan = vault.document.writePlan()
    let key = [UInt8](repeating: 9, count: 64)
    let stream = InnerStream(.chaCha20, key: key.span)
    var buffer = WipedBuffer()
    try vault.document.writeXML(plan, innerStream: stream, headerHash: nil, into: &buffer)
    let xml = buffer.bytes.copied()
    var contents: [String] = []
    for binary in plan.binaries {
      var opened = WipedBuffer()
      try vault.document.open(binary.content, into: &opened)
      contents.append(String(decoding: opened.bytes.copied(), as: UTF8.self))
    }
    var i =
      xml.indices.first { xml[$0] == UInt8(ascii: "<") && xml[$0 + 1] == UInt8(ascii: "K") } ?? 0
    var offset: UInt64 = 0
    let file = TestElement(xml, &i, stream, &offset)
    let reader = Reader(contents: contents)
    if let meta = file.child("Meta") { reader.readMeta(meta, into: &self) }
    guard let root = file.child("Root")?.child("Group") else { return }
    reader.readChildren(of: Self.root, root, into: &self)
    for record in file.child("Root")?.child("DeletedObjects")?.children ?? [] {
      deleted[Reader.number(record)] = Reader.time(record.child("DeletionTime"))
    }
  }

  private struct Reader {
    let contents: [String]

    static func number(_ element: TestElement) -> Int {
      let uuid = element.child("UUID").flatMap { VaultUUID(base64: $0.text.span) } ?? .zero
      return Int(uuid.low & 0xFF)
    }

    static func time(_ element: TestElement?) -> Int {
      let time = element.flatMap { VaultTime(text: $0.text.span) } ?? .earliest
      return Int(time.unixSeconds - TestVault.time(0).unixSeconds)
    }

    func readMeta(_ meta: TestElement, into vault: inout ReferenceVault) {
      for element in meta.children {
        if RandomEdits.metaTimes.contains(element.name) {
          vault.metaTimes[element.name] = Self.time(element)
        } else if RandomEdits.metaElements.contains(element.name) {
          vault.meta["e:" + element.name] = element.string
        }
      }
      readCustomData(meta, into: &vault.meta)
    }

    func readChildren(of number: Int, _ group: TestElement, into vault: inout ReferenceVault) {
      for element in group.children {
        let child = Self.number(element)
        let place = ReferencePlace(
          parent: number, changed: Self.time(element.child("Times")?.child("LocationChanged")))
        if element.name == "Group" {
          let state = state(of: element, RandomEdits.groupElements)
          vault.groups[child] = ReferenceGroup(
            parts: state.parts, modified: state.modified, place: place)
          readChildren(of: child, element, into: &vault)
        } else if element.name == "Entry" {
          vault.entries[child] = ReferenceEntry(
            state: state(of: element, RandomEdits.entryElements),
            accessed: Self.time(element.child("Times")?.child("LastAccessTime")),
            uses: Int(element.child("Times")?.child("UsageCount")?.string ?? "") ?? 0,
            place: place,
            history: (element.child("History")?.children ?? []).map {
              state(of: $0, RandomEdits.entryElements)
            })
        }
      }
    }

    private func state(of element: TestElement, _ names: [String]) -> ReferenceState {
      var parts = ["icon": element.child("IconID")?.string ?? ""]
      let times = element.child("Times")
      parts["expiry"] =
        "\(times?.child("Expires")?.string ?? "")@\(Self.time(times?.child("ExpiryTime")))"
      for child in element.children {
        let key = child.child("Key")?.string ?? ""
        if names.contains(child.name) { parts["e:" + child.name] = child.string }
        if child.name == "String" { parts["f:" + key] = child.child("Value")?.string }
        if child.name == "Binary" { parts["a:" + key] = child.child("Value").map(content) }
      }
      readCustomData(element, into: &parts)
      return ReferenceState(
        parts: parts, modified: Self.time(times?.child("LastModificationTime")))
    }

    private func content(_ value: TestElement) -> String {
      guard value.attributes.hasPrefix("Ref=") else {
        let bytes = (try? Base64.decode(value.text.span)) ?? []
        return String(decoding: bytes, as: UTF8.self)
      }
      return contents[Int(value.attributes.filter(\.isNumber)) ?? 0]
    }

    private func readCustomData(_ element: TestElement, into parts: inout [String: String]) {
      for item in element.child("CustomData")?.children ?? [] {
        parts["c:" + (item.child("Key")?.string ?? "")] = item.child("Value")?.string
      }
    }
  }
}
